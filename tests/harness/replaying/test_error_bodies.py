from __future__ import annotations

import json

import pytest

from agent.failures import http_error
from harness.replaying.error_bodies import error_body, shape_of


@pytest.mark.parametrize(
    ("path", "headers", "shape"),
    [
        ("/v1/chat/completions", [], "openai"),
        ("/v1/responses", [], "openai"),
        ("/v1/embeddings", [("X-Other", "1")], "openai"),
        ("/v1/messages", [], "anthropic"),
        ("/anthropic/v1/messages/count_tokens", [], "anthropic"),
        ("/v1/models", [("Anthropic-Version", "2023-06-01")], "anthropic"),
        ("/v1beta/models/m:streamGenerateContent", [], "gemini"),
        ("/v1/models/m:generateContent", [], "gemini"),
        ("/gemini/v1beta/models", [], "gemini"),
        ("/v1/models", [("x-goog-api-key", "k")], "gemini"),
        ("/api/chat", [], "ollama"),
        ("/ollama/api/tags", [], "ollama"),
        ("/api/v1/chat/completions", [], "openai"),
        ("/", [], "openai"),
    ],
)
def test_the_shape_that_is_expected(path, headers, shape):
    assert shape_of(path, headers) == shape


@pytest.mark.parametrize("shape", ["openai", "anthropic", "gemini", "ollama"])
@pytest.mark.parametrize("status", [400, 426, 500, 502])
def test_the_message_is_found_as_in_the_providers_own_errors(shape, status):
    body = error_body(shape, status, "what is wrong", "a_word")
    assert http_error(status, [("content-type", "application/json")], body).message.endswith("what is wrong")


def test_lines_stay_apart():
    assert json.loads(error_body("openai", 400, "a\nb", "c"))["error"]["message"] == "a\nb"
