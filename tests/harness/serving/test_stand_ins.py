"""Lists of models and token counts that no recorded call holds."""

from __future__ import annotations

import json

import pytest

from harness.recording.contents import Call, Request
from harness.serving.stand_ins import stand_in

ANTHROPIC = [("anthropic-version", "2023-06-01")]


def call(number, body, url="http://h/v1/messages", usage=None):
    found = Call(number, Request("POST", url, [], body, {}), 0.0)
    if usage is not None:
        found.event_records.append({"event": {"type": "usage", "usage": usage}})
    return found


CALLS = [
    call(0, {"model": "one", "messages": ["hello"]}, usage={"input_tokens": 17}),
    call(1, {"model": "two", "messages": ["other"]}, usage=None),
    call(2, {"model": "one", "input": "hello"}),
    call(3, {"contents": ["hello"]}, "http://h/v1beta/models/three:generateContent", usage={"input_tokens": 5}),
    call(4, b"no json"),
]


@pytest.mark.parametrize(
    ("path", "headers", "names"),
    [
        ("/v1/models", [], lambda value: [item["id"] for item in value["data"]]),
        ("/openai/v1/models/", [], lambda value: [item["id"] for item in value["data"]]),
        ("/v1/models", ANTHROPIC, lambda value: [item["id"] for item in value["data"]]),
        ("/v1beta/models", [], lambda value: [item["name"].removeprefix("models/") for item in value["models"]]),
        ("/api/tags", [], lambda value: [item["name"] for item in value["models"]]),
    ],
)
def test_the_models_are_those_that_were_asked(path, headers, names):
    assert names(stand_in(CALLS, "GET", path, headers, b"")) == ["one", "two", "three"]


def test_one_model():
    assert stand_in(CALLS, "GET", "/v1/models/two", [], b"")["id"] == "two"
    assert stand_in(CALLS, "GET", "/v1/models/four", [], b"") is None


def test_no_models_at_all():
    value = stand_in([], "GET", "/v1/models", ANTHROPIC, b"")
    assert value == {"data": [], "has_more": False, "first_id": None, "last_id": None}


@pytest.mark.parametrize(
    ("path", "body", "expected"),
    [
        ("/v1/messages/count_tokens", {"model": "any", "messages": ["hello"]}, {"input_tokens": 17}),
        ("/v1/messages/count_tokens", {"messages": ["x" * 398]}, {"input_tokens": 100}),
        ("/v1beta/models/three:countTokens", {"contents": ["hello"]}, {"totalTokens": 5}),
        ("/v1beta/models/three:countTokens", {"generateContentRequest": {"contents": ["hello"]}}, {"totalTokens": 5}),
        ("/v1/responses/input_tokens", {"input": "abcdefgh"}, {"object": "response.input_tokens", "input_tokens": 2}),
    ],
)
def test_tokens_are_the_counted_ones_or_an_estimate(path, body, expected):
    assert stand_in(CALLS, "POST", path, [], json.dumps(body).encode()) == expected


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"{}"])
def test_a_count_of_anything(body):
    assert stand_in(CALLS, "POST", "/v1/messages/count_tokens", [], body)["input_tokens"] >= 1


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "/v1/models"), ("GET", "/v1/messages/count_tokens"), ("POST", "/v1/messages"),
                         ("GET", "/v1/files"), ("POST", "/v1/embeddings")],
)  # fmt: skip
def test_nothing_stands_in_for_other_calls(method, path):
    assert stand_in(CALLS, method, path, [], b"{}") is None
