from __future__ import annotations

import pytest

from agent.providers import WIRES
from agent.providers.base_url import normalize
from agent.providers.table import PROVIDERS, BadBaseURL, MissingKey, Provider, TargetError, UnknownProvider, resolve

NAMES = {
    "openai", "openai-responses", "groq", "mistral", "deepseek", "xai", "together", "fireworks", "perplexity",
    "openrouter", "ollama", "lmstudio", "copilot", "anthropic", "gemini",
}  # fmt: skip


def target(model, base_url=None, **environ):
    return resolve(model, base_url=base_url, environ=environ)[0]


def test_the_rows():
    assert set(PROVIDERS) == NAMES
    for row in PROVIDERS.values():
        assert row.wire in WIRES
        assert row.key_variables
        assert normalize(row.base_url, row.wire, known=row.base_url) == row.base_url
        assert row.base_url.startswith("https://" if row.needs_key else "http://127.0.0.1")


@pytest.mark.parametrize("name", sorted(NAMES))
def test_every_provider_resolves_with_its_key(name):
    row = PROVIDERS[name]
    found, model = resolve(f"{name}/some/model", base_url=None, environ={row.key_variables[0]: " secret\n"})
    assert model == "some/model"
    assert (found.provider, found.wire, found.base_url) == (name, row.wire, row.base_url)
    assert (found.key, found.key_variable) == ("secret", row.key_variables[0])
    assert (found.headers, found.max_tokens_param) == (row.headers, row.max_tokens_param)
    assert "secret" not in repr(found)


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_key_is_needed_except_by_local_servers_and_with_a_base_url(name):
    row = PROVIDERS[name]
    if row.needs_key:
        with pytest.raises(MissingKey, match=row.key_variables[0]):
            target(f"{name}/m")
        with pytest.raises(MissingKey):
            target(f"{name}/m", **{row.key_variables[0]: "  "})
    else:
        assert target(f"{name}/m").key is None
    local = target(f"{name}/m", "http://127.0.0.1:9")
    assert (local.key, local.key_variable) == (None, row.key_variables[0])


def test_the_first_key_variable_counts():
    assert target("gemini/m", GEMINI_API_KEY="a", GOOGLE_API_KEY="b").key == "a"
    second = target("gemini/m", GOOGLE_API_KEY="b")
    assert (second.key, second.key_variable) == ("b", "GOOGLE_API_KEY")


@pytest.mark.parametrize("key", ["a\nb", "schlüssel", "a\x00"])
def test_a_value_that_no_header_can_carry(key):
    with pytest.raises(MissingKey, match="OPENAI_API_KEY"):
        target("openai/m", OPENAI_API_KEY=key)


@pytest.mark.parametrize("model", ["gpt-4.1", "", "/m", "openai/", " "])
def test_a_model_without_a_provider(model):
    with pytest.raises(UnknownProvider, match="provider/model"):
        target(model, "http://h")


def test_an_unknown_provider():
    with pytest.raises(UnknownProvider, match="did you mean openai,"):
        target("opneai/m")
    with pytest.raises(UnknownProvider, match=r"use one of openai, .* base URL"):
        target("zzzz/m")
    found = target("My-Server.2/m", "http://h:1/", MY_SERVER_2_API_KEY="k")
    assert (found.provider, found.wire, found.key) == ("my-server.2", "openai-chat", "k")
    assert (found.base_url, found.max_tokens_param) == ("http://h:1/v1", "max_tokens")
    assert target("vllm/m", "http://h:1").key is None


def test_rows_of_ones_own():
    row = Provider("mine", "https://llm.example/api", ("MINE",), "anthropic")
    found, _ = resolve("mine/m", base_url=None, environ={"MINE": "k"}, providers={**PROVIDERS, "mine": row})
    assert (found.wire, found.base_url) == ("anthropic", "https://llm.example/api")


def test_ollama_host():
    assert target("ollama/m", OLLAMA_HOST="0.0.0.0:8080").base_url == "http://127.0.0.1:8080/v1"
    assert target("ollama/m", OLLAMA_HOST=" ").base_url == "http://127.0.0.1:11434/v1"
    assert target("ollama/m", "http://h/v1", OLLAMA_HOST="other").base_url == "http://h/v1"
    with pytest.raises(BadBaseURL, match="OLLAMA_HOST"):
        target("ollama/m", OLLAMA_HOST="ftp://h")


def test_the_errors_are_value_errors():
    assert all(issubclass(kind, TargetError) for kind in (UnknownProvider, MissingKey, BadBaseURL))
    assert issubclass(TargetError, ValueError)
    for call in (lambda: target("openai/m"), lambda: target("x/m"), lambda: target("x/m", "h:1")):
        with pytest.raises(TargetError) as caught:
            call()
        assert "\n" not in str(caught.value)
