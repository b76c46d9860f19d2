from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.messages import Message
from agent.providers import adapter
from agent.providers.base import Target
from agent.providers.base_url import DEFAULT_PATHS, BadBaseURL, normalize, ollama_base_url


@pytest.mark.parametrize(
    ("url", "wire", "expected"),
    [
        pytest.param("http://h", "openai-chat", "http://h/v1", id="no path"),
        pytest.param("http://h:8080/", "openai-responses", "http://h:8080/v1", id="only a slash"),
        pytest.param("http://h", "anthropic", "http://h/v1", id="anthropic"),
        pytest.param("https://h", "gemini", "https://h/v1beta", id="gemini"),
        pytest.param("http://h/v1//", "openai-chat", "http://h/v1", id="trailing slashes"),
        pytest.param("http://h/openai/deployments/x", "openai-chat", "http://h/openai/deployments/x", id="as it is"),
        pytest.param("http://h/v2", "gemini", "http://h/v2", id="another version"),
        pytest.param("http://h/v1/chat/completions", "openai-chat", "http://h/v1", id="pasted chat"),
        pytest.param("http://h/v1/chat/completions/", "openai-chat", "http://h/v1", id="pasted chat, slash"),
        pytest.param("http://h/v1/chat/completions", "openai-responses", "http://h/v1", id="the other endpoint"),
        pytest.param("http://h/v1/responses?x=1", "openai-responses", "http://h/v1?x=1", id="pasted responses, query"),
        pytest.param("http://h/v1/messages#top", "anthropic", "http://h/v1", id="pasted messages, fragment"),
        pytest.param(
            "http://h/v1beta/models/g-2.5:streamGenerateContent?alt=sse&x=1", "gemini", "http://h/v1beta?x=1",
            id="pasted gemini",
        ),
        pytest.param("http://h/chat/completions", "openai-chat", "http://h", id="an endpoint is a path"),
        pytest.param("http://h?x=1", "openai-chat", "http://h/v1?x=1", id="only a query"),
        pytest.param("http://h/v1/?", "openai-chat", "http://h/v1", id="an empty query"),
        pytest.param(
            "https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=2024-10-21", "openai-chat",
            "https://x.openai.azure.com/openai/deployments/d?api-version=2024-10-21", id="azure",
        ),
        pytest.param(" HTTPS://h ", "openai-chat", "https://h/v1", id="blanks, upper case"),
        pytest.param("http://[::1]:8080", "openai-chat", "http://[::1]:8080/v1", id="IPv6"),
    ],
)  # fmt: skip
def test_normalize(url, wire, expected):
    assert normalize(url, wire) == expected


@pytest.mark.parametrize(
    ("wire", "url"),
    [
        ("openai-chat", "http://h/v1/chat/completions?api-version=1&x=2"),
        ("openai-responses", "http://h/v1/responses?api-version=1&x=2"),
        ("anthropic", "http://h/v1/messages?api-version=1&x=2"),
        ("gemini", "http://h/v1/models/m:streamGenerateContent?alt=sse&api-version=1&x=2"),
    ],
)
def test_requests_keep_the_query(wire, url):
    target = Target("p", wire, normalize("http://h/v1?api-version=1&x=2", wire))
    assert adapter(wire).request(target, model="m", messages=[Message("user", "hi")]).url == url


def test_a_provider_without_a_path_keeps_none():
    assert normalize("https://api.perplexity.ai/", "openai-chat", "https://api.perplexity.ai") == (
        "https://api.perplexity.ai"
    )
    assert normalize("http://proxy", "openai-chat", "https://api.perplexity.ai") == "http://proxy/v1"
    assert normalize("https://api.groq.com", "openai-chat", "https://api.groq.com/openai/v1") == (
        "https://api.groq.com/openai/v1"
    )


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("", "must begin with http"), ("localhost:8080", "must begin with http"), ("ftp://h", "must begin with http"),
        ("http://", "no host"), ("http:///v1", "no host"), ("http://h:99999", "cannot be read"),
        ("http://h:x", "cannot be read"), ("http://[::1", "cannot be read"), ("http://a b/v1", "blanks"),
        ("http://h/\x00", "blanks"), ("http://user:pass@h/v1", "keys are sent in headers"),
        ("http://h/v1?x=1&API-Key=pass", r"no key \(API-Key=\.\.\.\): keys are sent in headers"),
    ],
)  # fmt: skip
def test_bad_base_urls(url, words):
    with pytest.raises(BadBaseURL, match=words) as caught:
        normalize(url, "openai-chat")
    assert "pass" not in str(caught.value).replace("password", "")


@given(st.text(max_size=40), st.sampled_from(sorted(DEFAULT_PATHS)))
def test_any_text_is_taken_or_refused(text, wire):
    for url in (text, f"http://{text}", f"http://h/{text}"):
        try:
            found = normalize(url, wire)
        except BadBaseURL:
            continue
        path = found.partition("?")[0]
        assert not path.endswith("/")
        assert normalize(found, wire) == found or path.count("/") == 2


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("myhost", "http://myhost:11434/v1"),
        ("myhost:80", "http://myhost:80/v1"),
        (":8080", "http://127.0.0.1:8080/v1"),
        ("0.0.0.0", "http://127.0.0.1:11434/v1"),
        ("http://0.0.0.0:1", "http://127.0.0.1:1/v1"),
        ("::", "http://[::1]:11434/v1"),
        ("[::]:8080", "http://[::1]:8080/v1"),
        ("http://myhost", "http://myhost:80/v1"),
        ("https://myhost", "https://myhost:443/v1"),
        ("https://myhost/ollama/", "https://myhost:443/ollama/v1"),
        ("myhost:80/v1", "http://myhost:80/v1"),
        ("'myhost'", "http://myhost:11434/v1"),
    ],
)
def test_ollama_host(host, expected):
    assert ollama_base_url(host) == expected


@pytest.mark.parametrize("host", ["ftp://h", "h:99999", "a b"])
def test_bad_ollama_hosts(host):
    with pytest.raises(BadBaseURL, match="OLLAMA_HOST"):
        ollama_base_url(host)
