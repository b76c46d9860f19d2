from __future__ import annotations

import json

import pytest

from agent.failure_text import fold, of_body, of_page, of_value, parsed_body


def read(body: bytes) -> str:
    return of_body(body, parsed_body(body))


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param({"error": {"message": "m", "type": "t"}}, "m", id="openai, anthropic"),
        pytest.param({"error": "m"}, "m", id="a string"),
        pytest.param({"error": "Unauthorized", "message": "m"}, "m", id="message before an error string"),
        pytest.param({"code": "Bad", "error": "m"}, "m", id="xai"),
        pytest.param({"detail": "m"}, "m", id="detail"),
        pytest.param({"message": {"detail": [{"loc": ["body", 0], "msg": "m"}]}}, "body.0: m", id="mistral"),
        pytest.param({"detail": [{"msg": "a"}, {"msg": "b"}, {"msg": "a"}]}, "a; b", id="several, each once"),
        pytest.param([{"error": {"message": "m", "code": 400}}], "m", id="gemini list"),
        pytest.param({"success": False, "errors": [{"code": 7, "message": "m"}]}, "m", id="cloudflare"),
        pytest.param({"error": "not_found", "error_description": "m"}, "m", id="oauth"),
        pytest.param({"error": {"message": '{"error": {"message": "m"}}'}}, "m", id="JSON in JSON"),
        pytest.param({"error": json.dumps({"error": json.dumps({"message": "m"})})}, "m", id="JSON in JSON in JSON"),
        pytest.param({"error": {"message": 'Upstream - {"error": {"message": "m"}}. Sorry'}}, "m", id="JSON in words"),
        pytest.param({"error": {"message": 'bad tool {"a": 1}'}}, 'bad tool {"a": 1}', id="JSON that is no error"),
        pytest.param({"error": {"message": "Provider returned error", "metadata": {"raw": "m"}}}, "m", id="openrouter"),
        pytest.param(
            {"error": {"message": "Provider returned error", "metadata": {"raw": '{"error":{"message":"m"}}'}}}, "m",
            id="openrouter, JSON inside",
        ),
        pytest.param({"error": {"message": "o", "metadata": {"raw": ""}}}, "o", id="openrouter, nothing inside"),
        pytest.param({"error": {"message": "", "type": "server_error"}}, "server_error", id="only a type"),
        pytest.param({"error": {"code": 500}}, "500", id="only a code"),
        pytest.param({"error": {"message": "<html><title>502 Bad</title></html>"}}, "502 Bad", id="HTML in JSON"),
        pytest.param({"error": {"message": "a\n  b\tc"}}, "a b c", id="folded"),
        pytest.param({"error": None, "message": None}, "", id="nothing"),
        pytest.param([], "", id="an empty list"),
    ],
)  # fmt: skip
def test_json_bodies(body, message):
    assert read(json.dumps(body).encode()) == message


@pytest.mark.parametrize(
    ("body", "message"),
    [
        pytest.param(b"", "", id="empty"),
        pytest.param(b" \r\n", "", id="blank"),
        pytest.param(b"upstream connect error", "upstream connect error", id="plain text"),
        pytest.param(b'\xef\xbb\xbf{"error": "m"}', "m", id="byte order mark"),
        pytest.param(b'event: error\ndata: {"error": {"message": "m"}}\n\n', "m", id="event stream"),
        pytest.param(b'error: {"message": "m"}\n\n', "m", id="bare error field"),
        pytest.param(b'{"error": {"message": "m"', '{"error": {"message": "m"', id="cut JSON is shown"),
        pytest.param(b"<html><head><title>502 Bad\nGateway</title></head></html>", "502 Bad Gateway", id="title"),
        pytest.param(b"<html><h1>Not <b>found</b></h1></html>", "Not found", id="heading"),
        pytest.param(b"<html><title></title><h1>x &amp; y</h1>", "x & y", id="empty title"),
        pytest.param(b"<html><style>p {}</style><p>plain</p>", "plain", id="text"),
        pytest.param(b"<Error><Code>C</Code><Message>m</Message></Error>", "m", id="XML"),
        pytest.param(b"\x1f\x8b\x08\x00\x00\x00\x00\x00", "unreadable body of 8 bytes", id="binary"),
        pytest.param("größer als ☂".encode(), "größer als ☂", id="not ASCII"),
    ],
)
def test_other_bodies(body, message):
    assert read(body) == message


def test_length_and_surrogates():
    assert len(fold("x" * 1000)) == 400
    assert fold("x" * 1000).endswith("x…")
    assert fold("x" * 400) == "x" * 400
    assert fold("\ud800 ok\x07") == "\ufffd ok"
    assert len(read(json.dumps({"error": {"message": "m" * 70_000}}).encode())) == 400
    assert len(of_page("<p>" + "x" * 1000)) == 200


@pytest.mark.parametrize(
    "secret",
    [
        "sk-proj-abcDEF0123456789abcd", "sk-ant-api03-abcDEF0123456789", "gsk_abcDEF0123456789abcd",
        "AIzaSyA0123456789abcdefghijklmnopqrstu", "ghu_0123456789abcdefABCDEF",
    ],
)  # fmt: skip
def test_key_shapes_are_masked(secret):
    assert fold(f"Incorrect key {secret}.") == "Incorrect key [secret]."
    assert secret not in of_value({"error": f"Bearer {secret}"})


def test_ordinary_words_are_not_masked():
    text = "sk-learn-is-not-a-key and task-specific-model-names-are-fine, sk-***abcd neither"
    assert fold(text) == text


@pytest.mark.parametrize("body", [b"<" * 200_000, b"<title>" * 30_000, b"sk-" * 60_000, b"[" * 200_000, b'{"' * 90_000])
def test_hostile_bodies_are_read(body):
    assert len(read(body)) <= 400
