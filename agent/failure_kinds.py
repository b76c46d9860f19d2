"""Which kind of error a failure is: tables of statuses, types and codes, and the order in which they count.

The status decides; structured reasons refine it; wording is looked at last, and only for a 400.
Sources: RFC 9110, the error pages of OpenAI, Anthropic and the Gemini API (google.rpc.Code), llama.cpp's server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from agent.events import ErrorKind

STATUSES: Mapping[int, ErrorKind] = {
    401: "auth", 402: "billing", 403: "auth", 404: "not_found", 408: "timeout", 413: "context_overflow",
    429: "rate_limit", 502: "bad_gateway", 503: "overloaded", 504: "bad_gateway", 529: "overloaded",
}  # fmt: skip

REASONS: Mapping[str, ErrorKind] = {
    "insufficient_quota": "billing",
    "api_key_invalid": "auth",
    "api_key_expired": "auth",
    "invalid_api_key": "auth",
    "context_length_exceeded": "context_overflow",
    "context_window_exceeded": "context_overflow",
    "model_context_window_exceeded": "context_overflow",
    "model_max_prompt_tokens_exceeded": "context_overflow",
    "max_prompt_tokens_exceeded": "context_overflow",
    "exceed_context_size_error": "context_overflow",
    "request_too_large": "context_overflow",
}
"""Structured reasons that say more than a status or a general type does."""

WORDS: Mapping[str, ErrorKind] = {
    # Anthropic
    "invalid_request_error": "invalid_request",
    "authentication_error": "auth",
    "billing_error": "billing",
    "permission_error": "auth",
    "not_found_error": "not_found",
    "rate_limit_error": "rate_limit",
    "timeout_error": "timeout",
    "api_error": "provider_error",
    "overloaded_error": "overloaded",
    # OpenAI and compatible servers
    "server_error": "provider_error",
    "internal_error": "provider_error",
    "internal_server_error": "provider_error",
    "rate_limit_exceeded": "rate_limit",
    "too_many_requests": "rate_limit",
    "server_overloaded": "overloaded",
    "slow_down": "overloaded",
    "engine_overloaded": "overloaded",
    "service_unavailable": "overloaded",
    "unavailable_error": "overloaded",
    "bad_gateway": "bad_gateway",
    "model_not_found": "not_found",
    "invalid_prompt": "invalid_request",
    "bad_request_error": "invalid_request",
    "tool_use_failed": "invalid_request",
    "content_filter": "content_blocked",
    "content_policy_violation": "content_blocked",
    "image_content_policy_violation": "content_blocked",
    # google.rpc.Code
    "invalid_argument": "invalid_request",
    "failed_precondition": "invalid_request",
    "out_of_range": "invalid_request",
    "unauthenticated": "auth",
    "permission_denied": "auth",
    "not_found": "not_found",
    "resource_exhausted": "rate_limit",
    "internal": "provider_error",
    "unknown": "provider_error",
    "unavailable": "overloaded",
    "deadline_exceeded": "bad_gateway",
}
"""Error types and string codes, lower case, as they come inside streams."""

_FORBIDDEN = {"permission_error", "permission_denied"}
_DEPTH = 8
_KEEP_STATUS = {401, 402, 403}
_OVERFLOW = re.compile(
    r"prompt is too long|maximum context length|context[ _](?:length|window|size)|too many (?:input |prompt )?tokens"
    r"|input token count .{0,40}exceeds|exceeds? the (?:model'?s )?(?:maximum|max|context)\b.{0,40}token"
    r"|prompt (?:token count|contains|has) .{0,40}(?:exceed|limit|maximum)|maximum prompt length",
    re.I,
)


def http_kind(status: int, parsed: Any, text: str) -> ErrorKind:
    """The kind of an error response. `parsed` is its JSON body or None, `text` the message found in it."""
    reason = next((REASONS[word] for word in _words(parsed) if word in REASONS), None)
    if reason == "billing" and status not in _KEEP_STATUS:
        return "billing"
    if reason == "auth" and status == 400:
        return "auth"
    if reason == "context_overflow" and status not in _KEEP_STATUS and status != 429:
        return "context_overflow"
    if status == 400 and _OVERFLOW.search(text):
        return "context_overflow"
    return _status_kind(status)


def _status_kind(status: int) -> ErrorKind:
    if status in STATUSES:
        return STATUSES[status]
    return "invalid_request" if 300 <= status < 500 else "provider_error"


def in_stream_kind(value: Any, text: str) -> tuple[ErrorKind, bool]:
    """The kind, and whether it is a refusal of permission rather than a wrong key."""
    words = list(_words(value))
    number = _number(value)
    for table in (REASONS, WORDS):
        for word in words:
            if word in table:
                kind = table[word]
                overflow = kind == "invalid_request" and number in (None, 400) and _OVERFLOW.search(text)
                return ("context_overflow" if overflow else kind), word in _FORBIDDEN
    if number is None or not 400 <= number < 600:
        return "provider_error", False
    if number == 400 and _OVERFLOW.search(text):
        return "context_overflow", False
    return _status_kind(number), number == 403


def _words(value: Any, depth: int = 0) -> Iterator[str]:
    """Types, then string codes, of an error value and of the errors inside it, lower case."""
    if isinstance(value, list) and depth < _DEPTH:
        for item in value[:20]:
            yield from _words(item, depth + 1)
    if not isinstance(value, dict) or depth >= _DEPTH:
        return
    for key in ("error", "errors"):
        yield from _words(value.get(key), depth + 1)
    for key in ("type", "code", "status", "reason"):
        if isinstance(value.get(key), str):
            yield value[key].strip().lower().replace(" ", "_").replace("-", "_")
    yield from _words(value.get("details"), depth + 1)


def _number(value: Any, depth: int = 0) -> int | None:
    """The numeric code of an error value, the innermost first; a string of digits counts."""
    if isinstance(value, list) and value:
        value = value[0]
    if not isinstance(value, dict) or depth >= _DEPTH:
        return None
    inner = _number(value.get("error"), depth + 1)
    if inner is not None:
        return inner
    for key in ("code", "status_code", "status"):
        found = value.get(key)
        if isinstance(found, str | int) and re.fullmatch(r"\d{3}", str(found), re.ASCII):
            return int(found)
    return None
