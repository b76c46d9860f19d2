from __future__ import annotations

import json

import pytest

from agent.failure_kinds import STATUSES
from agent.failures import RETRYABLE, http_error, in_stream_error
from tests.shared import SHARED, needs_shared


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
