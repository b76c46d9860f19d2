"""Provider failures as `error` events: which kind, whether to retry, what it says and what to do next.

    http_error       a response with an error status
    in_stream_error  an error object inside a 200 response
    html_error       a 200 response that is a web page
    truncated_error  a response that ended without the provider's end mark
    coded_error      a response whose content coding is not undone
    unreachable      no response at all

`agent.failure_kinds` decides the kind, `agent.failure_text` finds the message, `agent.retry_after` the wait.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from http import HTTPStatus
from math import ceil
from typing import Any
from urllib.parse import urlsplit

from agent import retry_after
from agent.events import End, Error, ErrorKind
from agent.failure_kinds import http_kind, in_stream_kind
from agent.failure_text import fold, of_body, of_page, of_value, parse, parsed_body

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
CODING_HINT = "the server, or a proxy before it, has to honour `accept-encoding: identity`"
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

NEVER_CONNECTED = frozenset(hint for _, hint in NETWORK_HINTS[:3])
NO_CONNECTION = "no connection to "
"""How the hint, or the message, of an error says that no request was sent."""


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
    parsed = parsed_body(body)
    text = of_body(body, parsed)
    hint = FORBIDDEN_HINT if status == 403 else None
    if 300 <= status < 400:
        target = next((value for name, value in headers if name.lower() == "location"), "")
        text = f"redirect to {target.partition('?')[0]}" if target else text
        hint = REDIRECT_HINT
    wait = retry_after.from_headers(headers)
    return error(
        http_kind(status, parsed, text),
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
    kind, forbidden = in_stream_kind(value, text)
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


def coded_error(coding: str) -> Error:
    """A 200 response of which nothing could be read, as its body has a content coding that is not undone."""
    found = error("provider_error", f"{not_undone(coding)}: nothing of it was read", status=200, hint=CODING_HINT)
    return replace(found, retryable=False)


def not_undone(coding: str) -> str:
    """What is said of a body in such a coding, as headers name it."""
    return f"the body came in a content coding that is not undone here ({coding})"


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
        return network_error(error_class, f"{NO_CONNECTION}{address} in time")
    if "timeout" in error_class.lower():
        return network_error(error_class, f"{address} sent no answer in time")
    return network_error(error_class, f"cannot reach {address}: {message or error_class}")


def _address(url: str) -> str:
    try:
        parts = urlsplit(url)
        return f"{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}" if parts.hostname else ""
    except ValueError:
        return ""


def _phrase(status: int) -> str:
    try:
        return f"{HTTPStatus(status).phrase} (empty body)"
    except ValueError:
        return "empty body"


def _seconds(value: float) -> str:
    return "a second" if value <= 1 else f"{ceil(value)} seconds"
