from __future__ import annotations

import pytest

from harness.wire_format import wire_of


@pytest.mark.parametrize(
    ("url", "wire"),
    [
        ("https://api.openai.com/v1/chat/completions", "openai-chat"),
        ("https://x.openai.azure.com/openai/deployments/d/chat/completions?api-version=1", "openai-chat"),
        ("http://127.0.0.1:8080/chat/completions/", "openai-chat"),
        ("https://api.openai.com/v1/responses", "openai-responses"),
        ("https://api.anthropic.com/v1/messages?beta=true", "anthropic"),
        ("http://127.0.0.1:1/messages", "anthropic"),
        ("https://h/v1/projects/p/publishers/anthropic/models/claude:streamRawPredict", "anthropic"),
        ("https://h/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse", "gemini"),
        ("https://h/v1beta/models/gemini-2.5-flash:generateContent", "gemini"),
        ("https://h/v1/projects/p/publishers/google/models/g:streamGenerateContent", "gemini"),
        ("https://api.openai.com/v1/threads/t1/messages", None),
        ("https://api.anthropic.com/v1/messages/count_tokens", None),
        ("https://api.anthropic.com/v1/messages/batches", None),
        ("https://api.openai.com/v1/responses/r1/cancel", None),
        ("https://api.openai.com/v1/completions", None),
        ("https://api.openai.com/v1/embeddings", None),
        ("https://h/v1beta/models/g:countTokens", None),
        ("https://h/", None),
        ("https://h/?x=/messages", None),
    ],
)
def test_the_path_tells(url, wire):
    assert wire_of("POST", url) == wire_of("post", url) == wire
    assert wire_of("GET", url) is None
