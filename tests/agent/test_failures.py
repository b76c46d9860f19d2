from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import End
from agent.failure_kinds import STATUSES
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
from tests.shared import SHARED, needs_shared

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
    ("status", "kind"),
    [
        (400, "invalid_request"), (401, "auth"), (402, "billing"), (403, "auth"), (404, "not_found"),
        (405, "invalid_request"), (408, "timeout"), (409, "invalid_request"), (413, "context_overflow"),
        (422, "invalid_request"), (426, "invalid_request"), (429, "rate_limit"), (499, "invalid_request"),
        (500, "provider_error"), (501, "provider_error"), (502, "bad_gateway"), (503, "overloaded"),
        (504, "bad_gateway"), (520, "provider_error"), (529, "overloaded"), (301, "invalid_request"),
    ],
)  # fmt: skip
def test_the_status_decides(status, kind):
    for content in (b"", b"{}", b"oops", body(message="m", type="x")):
        found = http_error(status, [], content)
        assert (found.kind, found.status) == (kind, status)
        assert found.retryable is (kind in RETRYABLE)
        assert found.message.startswith(f"Provider HTTP {status}: ")
    assert status not in STATUSES or STATUSES[status] == kind


@pytest.mark.parametrize(
    ("status", "fields", "kind"),
    [
        pytest.param(429, {"code": "insufficient_quota", "message": "m"}, "billing", id="quota is billing"),
        pytest.param(429, {"type": "insufficient_quota"}, "billing", id="quota as a type"),
        pytest.param(400, {"details": [{"reason": "API_KEY_INVALID"}]}, "auth", id="google key reason"),
        pytest.param(400, {"code": "invalid_api_key"}, "auth", id="key code in a 400"),
        pytest.param(400, {"code": "context_length_exceeded"}, "context_overflow", id="overflow code"),
        pytest.param(500, {"code": "context_length_exceeded"}, "context_overflow", id="overflow code in a 500"),
        pytest.param(400, {"type": "exceed_context_size_error"}, "context_overflow", id="llama.cpp overflow"),
        pytest.param(400, {"message": "prompt is too long: 9 > 8"}, "context_overflow", id="overflow wording"),
        pytest.param(
            400, {"message": "This model's maximum context length is 8 tokens"}, "context_overflow", id="openai wording"
        ),
        pytest.param(
            400, {"message": "The input token count (9) exceeds the maximum number of tokens allowed (8)."},
            "context_overflow", id="gemini wording",
        ),
        pytest.param(422, {"message": "prompt is too long"}, "invalid_request", id="wording counts only for a 400"),
        pytest.param(429, {"message": "prompt is too long"}, "rate_limit", id="a 429 before any wording"),
        pytest.param(429, {"code": "context_length_exceeded"}, "rate_limit", id="a 429 stays one"),
        pytest.param(401, {"code": "insufficient_quota"}, "auth", id="a 401 stays one"),
        pytest.param(400, {"code": "model_not_found"}, "invalid_request", id="other codes do not outweigh the status"),
        pytest.param(400, {"message": "max_tokens is too large: 9"}, "invalid_request", id="an output limit"),
        pytest.param(400, {"message": "Token limit reached"}, "invalid_request", id="no overflow wording"),
    ],
)  # fmt: skip
def test_structured_reasons_refine_the_status(status, fields, kind):
    assert http_error(status, [], body(**fields)).kind == kind


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        pytest.param({"type": "overloaded_error"}, "overloaded", id="anthropic overloaded"),
        pytest.param({"type": "rate_limit_error"}, "rate_limit", id="anthropic rate limit"),
        pytest.param({"type": "api_error"}, "provider_error", id="anthropic api_error"),
        pytest.param({"type": "authentication_error"}, "auth", id="anthropic auth"),
        pytest.param({"type": "error", "code": "rate_limit_exceeded"}, "rate_limit", id="responses code"),
        pytest.param({"code": "server_error"}, "provider_error", id="responses server_error"),
        pytest.param({"code": "insufficient_quota"}, "billing", id="quota by code"),
        pytest.param({"type": "insufficient_quota", "code": "x"}, "billing", id="quota by type"),
        pytest.param({"type": "invalid_request_error", "code": "tool_use_failed"}, "invalid_request", id="type first"),
        pytest.param({"type": "invalid_request_error", "code": 503}, "invalid_request", id="type before number"),
        pytest.param({"type": "what", "code": "slow_down"}, "overloaded", id="unknown type, then code"),
        pytest.param({"code": 429, "message": "m"}, "rate_limit", id="number as status"),
        pytest.param({"code": "529"}, "overloaded", id="digits as status"),
        pytest.param({"code": 502, "metadata": {"raw": "bad"}}, "bad_gateway", id="openrouter 502"),
        pytest.param({"code": 503, "status": "UNAVAILABLE"}, "overloaded", id="google unavailable"),
        pytest.param({"code": 429, "status": "RESOURCE_EXHAUSTED"}, "rate_limit", id="google exhausted"),
        pytest.param({"code": 1, "message": "m"}, "provider_error", id="a number that is no status"),
        pytest.param({"code": 400, "message": "maximum context length is 8"}, "context_overflow", id="wording, 400"),
        pytest.param({"code": 500, "message": "maximum context length is 8"}, "provider_error", id="wording, 500"),
        pytest.param({"type": "content_filter"}, "content_blocked", id="filter"),
        pytest.param("something broke", "provider_error", id="a string"),
        pytest.param('{"error": {"type": "overloaded_error", "message": "m"}}', "overloaded", id="JSON in a string"),
        pytest.param([{"error": {"code": 429}}], "rate_limit", id="a list"),
        pytest.param({}, "provider_error", id="nothing"),
        pytest.param(None, "provider_error", id="null"),
    ],
)
def test_in_stream_errors(value, kind):
    found = in_stream_error(value)
    assert (found.kind, found.status, found.retryable) == (kind, 200, kind in RETRYABLE)
    assert found.message


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


def _rows(path):
    return [json.loads(line) for line in path.read_bytes().split(b"\n") if line] if path.is_file() else []


def _corpus_errors():
    folder = SHARED / "corpus"
    index = {row["id"]: row for row in _rows(folder / "index.jsonl")}
    found = [(row["id"], index[row["id"]], row["error_kind"]) for row in _rows(folder / "normalized.jsonl")]
    return [pytest.param(*case, id=case[0]) for case in found if case[1]["http_status"] != 200]


@needs_shared
@pytest.mark.parametrize(("name", "row", "kind"), _corpus_errors())
def test_http_errors_of_real_providers(name, row, kind):
    content = (SHARED / "corpus" / "cases" / f"{name}.body").read_bytes()
    found = http_error(row["http_status"], list(row["response_headers"].items()), content)
    assert found.kind == kind
    assert "{" not in found.message
