from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import End
from agent.failures import (
    RETRYABLE,
    error,
    html_error,
    http_error,
    in_stream_error,
    network_error,
    truncated_error,
    unreachable,
)
from agent.jsonio import dumps

JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=30),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.sampled_from(["error", "message", "code", "type", "details", "status", "msg"]), inner)
    ),
    max_leaves=12,
)


def body(**fields):
    return json.dumps({"error": fields}).encode()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "MY_KEY"), (402, "local model"), (403, "the key is right"), (404, "model id"), (408, "try again"),
        (413, "shorten"), (429, "wait 7 seconds"), (500, "provider's side"), (502, "try again"),
        (503, "wait 7 seconds"), (302, "base URL"),
    ],
)  # fmt: skip
def test_hints_say_the_next_step(status, words):
    hint = http_error(status, [("Retry-After", "7")], b"", key_variable="MY_KEY").hint
    assert hint is not None
    assert words in hint


def test_hints_without_a_key_variable_or_wait():
    assert "None" not in (http_error(401, [], b"").hint or "")
    assert "a moment" in (http_error(429, [], b"").hint or "")
    assert "the key is right" in (in_stream_error({"type": "permission_error"}).hint or "")


def test_the_retryable_kinds():
    assert {
        "rate_limit", "overloaded", "bad_gateway", "provider_error", "timeout", "network", "truncated_stream",
        "malformed_tool_call",
    } == RETRYABLE  # fmt: skip
    assert error("malformed_tool_call", "m").retryable
    assert not error("content_blocked", "m").retryable


def test_retry_after_from_headers_then_body():
    google = body(details=[{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "34.5s"}])
    assert http_error(429, [], google).retry_after == 34.5
    assert http_error(429, [("retry-after", "2")], google).retry_after == 2
    assert in_stream_error({"code": 429, "details": [{"retryDelay": "3s"}]}).retry_after == 3


def test_a_redirect_names_its_target_without_the_query():
    found = http_error(307, [("location", "https://h/v2?key=abc")], b"<html>")
    assert found.message == "Provider HTTP 307: redirect to https://h/v2"


def test_a_web_page_with_status_200():
    found = html_error(b"<html><head><title>Sign in</title></head></html>")
    assert (found.kind, found.status, found.retryable) == ("provider_error", 200, True)
    assert "Sign in" in found.message


def test_truncation_names_what_broke():
    assert truncated_error(End()).kind == "truncated_stream"
    found = truncated_error(End("error", "ReadError", "reset by peer"))
    assert "ReadError: reset by peer" in found.message
    assert found.retryable


@pytest.mark.parametrize(
    ("error_class", "message", "kind", "in_message", "in_hint"),
    [
        ("ConnectError", "[Errno -2] Name or service not known", "network", "h:81: [Errno -2]", "spelling"),
        ("ConnectError", "All connection attempts failed", "network", "cannot reach h:81", "server is running"),
        ("ConnectError", "[SSL: CERTIFICATE_VERIFY_FAILED] certificate", "network", "h:81", "certificate"),
        ("RemoteProtocolError", "Server disconnected without", "network", "h:81", "try again"),
        ("ReadError", "", "network", "ReadError", "proxy"),
        ("ConnectTimeout", "", "timeout", "no connection to h:81", "time-out"),
        ("ReadTimeout", "", "timeout", "h:81 sent no answer", "time-out"),
    ],
)
def test_no_response(error_class, message, kind, in_message, in_hint):
    found = unreachable(error_class, message, "http://h:81/v1/chat/completions")
    assert (found.kind, found.status, found.retryable) == (kind, None, True)
    assert in_message in found.message
    assert in_hint in (found.hint or "")


def test_no_response_without_a_usable_url():
    assert unreachable("ConnectError", "m", "http://[::1").message == "m"
    assert unreachable("ConnectError", "m").message == network_error("ConnectError", "m").message == "m"
    assert network_error("ConnectError", "").message == "ConnectError"


@given(st.integers(300, 600), st.binary(max_size=200) | JSON_VALUES.map(dumps))
def test_any_body_gives_one_short_line(status, content):
    found = http_error(status, [("retry-after", "soon")], content)
    assert 0 < len(found.message) <= 400
    assert found.message.isprintable()


@given(JSON_VALUES)
def test_any_value_gives_one_short_line(value):
    found = in_stream_error(value)
    assert 0 < len(found.message) <= 400
    assert found.message.isprintable()


def test_deep_nesting_is_survived():
    deep = b'{"error":' * 900 + b"1" + b"}" * 900
    assert http_error(400, [], deep).kind == "invalid_request"
    assert in_stream_error(json.loads(deep)).kind == "provider_error"
