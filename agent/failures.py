"""Provider failures as `error` events: which kind, whether to retry, what it says and what to do next.

    http_error       a response with an error status
    in_stream_error  an error object inside a 200 response
    html_error       a 200 response that is a web page
    truncated_error  a response that ended without the provider's end mark
    unreachable      no response at all

The status decides the kind; structured codes refine it; wording is looked at last, and only for a 400.
Sources: RFC 9110, the error pages of OpenAI, Anthropic and the Gemini API (google.rpc.Code), llama.cpp's server.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from http import HTTPStatus
from typing import Any
from urllib.parse import urlsplit

from agent import retry_after
from agent.events import End, Error, ErrorKind
from agent.failure_text import fold, of_body, of_page, of_value, parse

RETRYABLE: frozenset[ErrorKind] = frozenset(
    {
        "rate_limit", "overloaded", "bad_gateway", "provider_error", "timeout", "network", "truncated_stream",
        "malformed_tool_call",
    }
)  # fmt: skip

HINTS: Mapping[ErrorKind, str] = {
    "auth": "the API key is missing or wrong: check {key}",
    "billing": "add credits or raise the limit with the provider, or use a local model",
    "not_found": "check the model id (and the base URL): the provider does not know it",
    "timeout": "the provider took too long: try again, or raise the time-out",
    "context_overflow": "the request is too large for the model: shorten it, or use a model with a larger context",
    "rate_limit": "{wait}",
    "bad_gateway": "the provider's gateway failed: try again in a moment",
    "overloaded": "the provider is overloaded: {wait}, or use another model",
    "provider_error": "the fault is on the provider's side: try again in a moment",
    "network": "check the network, the address and any proxy settings",
    "truncated_stream": "the answer is not whole: try again",
    "content_blocked": "the provider's filter blocked it: change the request",
    "malformed_tool_call": "the model made a broken tool call: try again, or simplify the tools",
}

FORBIDDEN_HINT = "the key is right, but it is not allowed for this model: ask for access, or use another model"
REDIRECT_HINT = "the address has moved: correct the base URL"
PAGE_HINT = "a web page came instead of an answer: check the base URL, a proxy or a login page may stand before it"

NETWORK_HINTS: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"name or service|name resolution|getaddrinfo|nodename|no address|idna", re.I),
        "the host name is not known: check its spelling and the network",
    ),
    (
        re.compile(r"refused|all connection attempts failed", re.I),
        "nothing answers there: check that the server is running and that host and port are right",
    ),
    (
        re.compile(r"certificate|ssl|tls|wrong version number", re.I),
        "the secure connection failed: check http or https, the certificate and the clock",
    ),
    (
        re.compile(r"disconnected|reset|closed", re.I),
        "the connection was dropped before an answer came: try again",
    ),
)
"""What to check, by the wording of the network exception."""

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
_KEEP_STATUS = {401, 402, 403}
_OVERFLOW = re.compile(
    r"prompt is too long|maximum context length|context[ _](?:length|window|size)|too many (?:input |prompt )?tokens"
    r"|input token count .{0,40}exceeds|exceeds? the (?:model'?s )?(?:maximum|max|context)\b.{0,40}token"
    r"|prompt (?:token count|contains|has) .{0,40}(?:exceed|limit|maximum)|maximum prompt length",
    re.I,
)


def error(
    kind: ErrorKind,
    message: str,
    *,
    status: int | None = None,
    retry_after: float | None = None,
    hint: str | None = None,
    key_variable: str | None = None,
) -> Error:
    """An `error` event of a kind; `retryable` and (unless given) `hint` come from the tables."""
    if hint is None and kind in HINTS:
        wait = "wait a moment and try again" if retry_after is None else f"wait {_seconds(retry_after)} and try again"
        hint = HINTS[kind].format(key=key_variable or "the key you set for this provider", wait=wait)
    return Error(fold(message), kind, kind in RETRYABLE, hint, status, retry_after)


def http_error(
    status: int, headers: Sequence[tuple[str, str]], body: bytes, *, key_variable: str | None = None
) -> Error:
    """The error of a response with an error status. `headers` may have any case."""
    parsed = parse(body) if body.lstrip()[:1] in (b"{", b"[") else None
    text = of_body(body)
    hint = FORBIDDEN_HINT if status == 403 else None
    if 300 <= status < 400:
        target = next((value for name, value in headers if name.lower() == "location"), "")
        text = f"redirect to {target.partition('?')[0]}" if target else text
        hint = REDIRECT_HINT
    wait = retry_after.from_headers(headers)
    return error(
        _http_kind(status, parsed, text),
        f"Provider HTTP {status}: {text or _phrase(status)}",
        status=status,
        retry_after=retry_after.from_body(parsed) if wait is None else wait,
        hint=hint,
        key_variable=key_variable,
    )


def in_stream_error(value: Any, *, key_variable: str | None = None) -> Error:
    """The error that a provider reports inside a 200 response. `value` is its error value: object, string or list.

    Classified by a structured reason, else by type, else by string code, else by numeric code read as a status.
    """
    if isinstance(value, str):
        parsed = parse(value.encode("utf-8", "replace")) if value.lstrip()[:1] in ("{", "[") else None
        value = value if parsed is None else parsed
    text = of_value(value) or "the provider reported an error without a message"
    kind, forbidden = _in_stream_kind(value, text)
    return error(
        kind,
        text,
        status=200,
        retry_after=retry_after.from_body(value),
        hint=FORBIDDEN_HINT if forbidden else None,
        key_variable=key_variable,
    )


def html_error(body: bytes) -> Error:
    """A 200 response that is a web page: a gateway or login page answered in the provider's place."""
    text = of_page(body[:65_536].decode("utf-8", "replace")) or "an empty page"
    return error("provider_error", f"Provider HTTP 200: a web page, no answer: {text}", status=200, hint=PAGE_HINT)


def truncated_error(end: End) -> Error:
    """A response that ended without the provider's end mark; a reset or time-out after the headers is one too."""
    message = "the stream ended without the provider's end mark"
    if end.kind == "error":
        reason = ": ".join(filter(None, (end.error_class, end.message)))
        message = f"the stream broke off before the provider's end mark ({reason or 'connection lost'})"
    return error("truncated_stream", message, status=200)


def network_error(error_class: str, message: str) -> Error:
    """No response: `timeout` where the exception's class says so, else `network` (name, connection, TLS)."""
    kind: ErrorKind = "timeout" if "timeout" in error_class.lower() else "network"
    hint = next((hint for pattern, hint in NETWORK_HINTS if kind == "network" and pattern.search(message)), None)
    return error(kind, message or error_class, hint=hint)


def unreachable(error_class: str, message: str, url: str = "") -> Error:
    """`network_error` for a call to `url`, naming host and port.

    Class and text of the exception are all it needs, so that a replayed failure says the same.
    """
    address = _address(url)
    if not address:
        return network_error(error_class, message)
    if error_class == "ConnectTimeout":
        return network_error(error_class, f"no connection to {address} in time")
    if "timeout" in error_class.lower():
        return network_error(error_class, f"{address} sent no answer in time")
    return network_error(error_class, f"cannot reach {address}: {message or error_class}")


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        return f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}" if parts.hostname else ""
    except ValueError:
        return ""


def _http_kind(status: int, parsed: Any, text: str) -> ErrorKind:
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


def _in_stream_kind(value: Any, text: str) -> tuple[ErrorKind, bool]:
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
    if isinstance(value, list) and depth < 8:
        for item in value[:20]:
            yield from _words(item, depth + 1)
    if not isinstance(value, dict) or depth >= 8:
        return
    for key in ("error", "errors"):
        yield from _words(value.get(key), depth + 1)
    for key in ("type", "code", "status", "reason"):
        if isinstance(value.get(key), str):
            yield value[key].strip().lower().replace(" ", "_").replace("-", "_")
    yield from _words(value.get("details"), depth + 1)


def _number(value: Any) -> int | None:
    """The numeric code of an error value, the innermost first; a string of digits counts."""
    if not isinstance(value, dict):
        return _number(value[0]) if isinstance(value, list) and value and isinstance(value[0], dict) else None
    inner = _number(value.get("error"))
    if inner is not None:
        return inner
    for key in ("code", "status_code", "status"):
        found = str(value.get(key, ""))
        if re.fullmatch(r"\d{3}", found):
            return int(found)
    return None


def _phrase(status: int) -> str:
    try:
        return f"{HTTPStatus(status).phrase} (empty body)"
    except ValueError:
        return "empty body"


def _seconds(value: float) -> str:
    return "a second" if value <= 1 else f"{value:.0f} seconds"
