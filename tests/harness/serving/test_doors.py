"""Prefixes and variables: where a program is sent, and what the local server makes of it."""

from __future__ import annotations

import pytest

from agent.providers.base_url import TargetError
from agent.providers.table import PROVIDERS
from harness.serving.doors import NoRoute, plan
from harness.serving.variables import VARIABLES

URL = "http://127.0.0.1:4000"


def reached(doors, variable, rest=""):
    """Where a request ends up whose client has its base URL from `variable`."""
    upstream, path = doors.route(doors.variables[variable] + rest)
    return upstream.origin + path


@pytest.mark.parametrize(
    ("variable", "value", "url"),
    [
        ("OPENAI_BASE_URL", "/openai/v1", "https://api.openai.com/v1"),
        ("OPENAI_API_BASE", "/openai/v1", "https://api.openai.com/v1"),
        ("ANTHROPIC_BASE_URL", "/anthropic", "https://api.anthropic.com"),
        ("GOOGLE_GEMINI_BASE_URL", "/gemini", "https://generativelanguage.googleapis.com"),
        ("GEMINI_API_BASE", "/gemini/v1beta", "https://generativelanguage.googleapis.com/v1beta"),
        ("GROQ_BASE_URL", "/groq", "https://api.groq.com"),
        ("OPENROUTER_API_BASE", "/openrouter/api/v1", "https://openrouter.ai/api/v1"),
        ("OLLAMA_HOST", "/ollama", "http://127.0.0.1:11434"),
        ("CO_API_URL", "/cohere", "https://api.cohere.com"),
    ],
)
def test_by_default_each_variable_leads_to_its_provider(variable, value, url):
    doors = plan({}, PROVIDERS)
    assert doors.variables[variable] == value
    assert reached(doors, variable) == url


def test_every_provider_of_the_table_has_a_prefix():
    doors = plan({}, PROVIDERS)
    for name, row in PROVIDERS.items():
        upstream, path = doors.route(f"/{name}/x")
        assert row.base_url.startswith(upstream.origin)
        assert (path, upstream.provider) == ("/x", name)


def test_a_variable_without_provider_of_its_own_is_pointed_only_where_it_is_set():
    assert "AZURE_OPENAI_ENDPOINT" not in plan({}, PROVIDERS).variables
    doors = plan({"AZURE_OPENAI_ENDPOINT": "https://one.openai.azure.com/"}, PROVIDERS)
    assert reached(doors, "AZURE_OPENAI_ENDPOINT", "/openai/deployments") == (
        "https://one.openai.azure.com/openai/deployments"
    )


@pytest.mark.parametrize(
    ("environ", "variable", "url"),
    [
        ({"OPENAI_BASE_URL": "http://h:1/v1"}, "OPENAI_BASE_URL", "http://h:1/v1"),
        ({"OPENAI_BASE_URL": "http://h:1/v1/"}, "OPENAI_API_BASE", "http://h:1/v1"),
        ({"OPENAI_API_BASE": "http://h:1/own/v1"}, "OPENAI_BASE_URL", "http://h:1/own/v1"),
        ({"OPENAI_BASE_URL": "http://h:1/own/v1"}, "OPENAI_HOST", "http://h:1/own"),
        ({"OPENAI_BASE_URL": "http://h:1/own"}, "OPENAI_HOST", "http://h:1/own"),
        ({"OPENAI_BASE_URL": "http://h:1/v1", "OPENAI_API_BASE": "http://i:2/v2"}, "OPENAI_API_BASE", "http://i:2/v2"),
        ({"OPENAI_BASE_URL": "http://h:1/v1", "OPENAI_API_BASE": "http://i:2/v2"}, "OPENAI_BASE_URL", "http://h:1/v1"),
        ({"OPENAI_BASE_URL": "http://h:1/a", "OPENAI_API_BASE": "http://h:1/b"}, "OPENAI_API_BASE", "http://h:1/b"),
        ({"ANTHROPIC_BASE_URL": "http://h:1/x"}, "ANTHROPIC_API_BASE", "http://h:1/x"),
        ({"GOOGLE_GEMINI_BASE_URL": "http://h:1"}, "GEMINI_API_BASE", "http://h:1/v1beta"),
        ({"OPENAI_BASE_URL": "http://h:1/v1"}, "ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
        ({"OLLAMA_HOST": "0.0.0.0:99"}, "OLLAMA_HOST", "http://127.0.0.1:99"),
        ({"OLLAMA_HOST": "box"}, "OLLAMA_BASE_URL", "http://box:11434/v1"),
        ({"OPENAI_BASE_URL": "not a url"}, "OPENAI_BASE_URL", "https://api.openai.com/v1"),
        ({"OPENAI_BASE_URL": " "}, "OPENAI_BASE_URL", "https://api.openai.com/v1"),
    ],
)  # fmt: skip
def test_what_is_set_already_stays_the_upstream(environ, variable, url):
    doors = plan(environ, PROVIDERS)
    assert reached(doors, variable) == url
    assert (doors.route(doors.variables[variable])[0].provider is None) == ("h:1" in url or "i:2" in url or "9" in url
                                                                            or "box" in url)  # fmt: skip


@pytest.mark.parametrize(
    ("upstream", "variable", "url"),
    [
        ("http://h:1", "OPENAI_BASE_URL", "http://h:1/v1"),
        ("http://h:1/", "ANTHROPIC_BASE_URL", "http://h:1"),
        ("http://h:1/v1", "OPENAI_BASE_URL", "http://h:1/v1"),
        ("http://h:1/v1", "ANTHROPIC_BASE_URL", "http://h:1"),
        ("http://h:1/api/v1", "OPENAI_BASE_URL", "http://h:1/api/v1"),
        ("http://h:1/anthropic", "ANTHROPIC_BASE_URL", "http://h:1/anthropic"),
        ("anthropic=http://h:1/anthropic", "ANTHROPIC_BASE_URL", "http://h:1/anthropic"),
        ("anthropic=http://h:1/anthropic", "OPENAI_BASE_URL", "https://api.openai.com/v1"),
        ("azure=http://h:1", "AZURE_API_BASE", "http://h:1"),
    ],
)
def test_an_upstream_that_is_given(upstream, variable, url):
    assert reached(plan({"OPENAI_BASE_URL": "http://other/v1"}, PROVIDERS, [upstream]), variable) == (
        "http://other/v1" if url.startswith("https://api.openai.com") else url
    )


@pytest.mark.parametrize(
    "upstream", ["h:1", "ftp://h", "http://", "Bad Name=http://h", "http://a b", "openai=", "http://h?v=1"]
)
def test_an_upstream_that_cannot_be_used(upstream):
    with pytest.raises(TargetError):
        plan({}, PROVIDERS, [upstream])


def test_an_upstream_may_have_an_equals_sign_of_its_own():
    assert reached(plan({}, PROVIDERS, ["http://h:1/a=b"]), "OPENAI_BASE_URL") == "http://h:1/a=b"


@pytest.mark.parametrize(
    ("upstream", "path", "url"),
    [
        ("http://h:1", "/v1/chat/completions", "http://h:1/v1/chat/completions"),
        ("http://h:1", "/openai/v1/chat/completions", "http://h:1/v1/chat/completions"),
        ("http://h:1/openai/v1", "/openai/v1/chat/completions", "http://h:1/openai/v1/chat/completions"),
        ("http://h:1/api/v1", "/v1/chat/completions", "http://h:1/api/v1/chat/completions"),
        ("http://h:1/api/v1", "/api/v1/chat/completions", "http://h:1/api/v1/chat/completions"),
        ("http://h:1/api/v1", "/openai/v1/chat/completions", "http://h:1/api/v1/chat/completions"),
        ("gemini=http://h:1/gemini", "/gemini/v1beta/models", "http://h:1/gemini/v1beta/models"),
        ("http://h:1/anthropic", "/anthropic/v1/messages", "http://h:1/anthropic/v1/messages"),
    ],
)
def test_paths_written_by_hand(upstream, path, url):
    found, rest = plan({}, PROVIDERS, [upstream]).route(path)
    assert found.origin + rest == url


def test_a_path_without_provider_is_refused_with_what_to_do():
    doors = plan({}, PROVIDERS)
    with pytest.raises(NoRoute, match="/openai/v1"):
        doors.route("/v1/chat/completions")
    assert doors.unprefixed("/v1/chat/completions") == "/v1/chat/completions"
    assert doors.unprefixed("/groq/openai/v1/models") == "/openai/v1/models"


def test_the_environment_of_a_child():
    doors = plan({}, PROVIDERS)
    found = doors.environment(URL, {})
    assert found["HARNESS_PROXY_URL"] == URL
    assert found["OPENAI_BASE_URL"] == f"{URL}/openai/v1"
    assert not {"NO_PROXY", "no_proxy"} & found.keys()
    assert {variable.name for variable in VARIABLES} >= found.keys() - {"HARNESS_PROXY_URL"}


def test_a_proxy_of_the_environment_is_not_asked_for_loopback():
    found = plan({}, PROVIDERS).environment(URL, {"HTTPS_PROXY": "http://p", "NO_PROXY": "a.b, localhost"})
    assert found["NO_PROXY"] == "a.b,localhost,127.0.0.1"
    assert found["no_proxy"] == "127.0.0.1,localhost"
