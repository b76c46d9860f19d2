"""Which headers and query parameters a recording keeps, and where a request carries keys. Rules as data.

Field names are case-insensitive (RFC 9110, 5.1). What is not listed is not recorded: new kinds of key headers appear
faster than lists of them.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit

from agent.providers.base_url import KEY_QUERY

if TYPE_CHECKING:
    from harness.redaction.redactor import Redactor

KEPT_HEADERS = frozenset({
    # what the message is
    "accept", "content-type", "content-encoding", "content-length", "transfer-encoding", "date", "location", "server",
    "user-agent",
    # which version or feature of an API was asked for
    "anthropic-beta", "anthropic-version", "openai-beta", "openai-version", "x-goog-api-client",
    # how to find the call at the provider, and when to come again
    "cf-ray", "openai-processing-ms", "request-id", "retry-after", "retry-after-ms", "x-request-id", "x-should-retry",
})  # fmt: skip
KEPT_PREFIXES = ("anthropic-ratelimit-", "ratelimit-", "x-ratelimit-")

_KEY_HEADER = re.compile(
    r"(?:^|[-_])(?:api-?key|key|token|secret|auth|authorization|credentials?|password|signature)(?:$|[-_])"
)
_NO_KEY_HEADERS = frozenset({"idempotency-key", "sec-websocket-key", "www-authenticate"})
_COOKIE_MIN = 16
"""Shorter cookie values are ordinary words too often to be replaced in texts."""


def header_value(headers: Iterable[tuple[str, str]], name: str) -> str | None:
    """The first value of a header, whatever the case of its name."""
    return next((value for key, value in headers if key.lower() == name), None)


def recorded_headers(headers: Iterable[tuple[str, str]], redactor: Redactor) -> list[list[str]]:
    """The headers of the allow-list, in order, with redacted values."""
    kept = []
    for name, value in headers:
        lower = name.lower()
        if lower in KEPT_HEADERS or lower.startswith(KEPT_PREFIXES):
            kept.append([name, recorded_url(value, redactor) if lower == "location" else redactor.text(value)])
    return kept


def recorded_url(url: str, redactor: Redactor) -> str:
    """The URL without key parameters and without user and password; the rest is left byte for byte, but redacted."""
    return redactor.text(url_without_keys(url))


def url_without_keys(url: str) -> str:
    """The URL without key parameters and without user and password; the rest is left byte for byte."""
    parts = urlsplit(url)
    query = "&".join(field for field in parts.query.split("&") if not _is_key(field))
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], query=query))


def header_secrets(headers: Iterable[tuple[str, str]], url: str = "") -> list[str]:
    """The secrets that a request carries: keys without their scheme, passwords, cookie values, key parameters."""
    found: list[str] = []
    for name, value in headers:
        lower = name.lower()
        if lower in ("authorization", "proxy-authorization"):
            found += _credentials(value)
        elif lower in ("cookie", "set-cookie"):
            found += cookie_values([(lower, value)])
        elif _KEY_HEADER.search(lower) and lower not in _NO_KEY_HEADERS and "ratelimit" not in lower:
            found.append(value.strip())
    return [secret for secret in found if secret] + url_secrets(url)


def cookie_values(headers: Iterable[tuple[str, str]]) -> list[str]:
    """The values of the cookies that are sent or set."""
    found: list[str] = []
    for name, value in headers:
        lower = name.lower()
        if lower in ("cookie", "set-cookie"):
            pairs = value.split(";") if lower == "cookie" else value.split(";")[:1]
            found += [text for pair in pairs if len(text := pair.partition("=")[2].strip()) >= _COOKIE_MIN]
    return found


def url_secrets(url: str) -> list[str]:
    """The secrets that a URL carries: values of key parameters, and a password."""
    parts = urlsplit(url)
    found = [unquote_plus(field.partition("=")[2]) for field in parts.query.split("&") if _is_key(field)]
    found.append(unquote(parts.password or ""))
    return [secret for secret in found if secret]


def _is_key(field: str) -> bool:
    return unquote_plus(field.partition("=")[0]).lower() in KEY_QUERY


def _credentials(value: str) -> list[str]:
    """The secrets of an Authorization value (RFC 9110, 11.6.2; RFC 7617 for Basic)."""
    scheme, _, rest = value.strip().partition(" ")
    rest = rest.strip()
    if not rest:
        return [scheme]
    if scheme.lower() != "basic":
        return [rest]
    try:
        password = base64.b64decode(rest, validate=True).decode().partition(":")[2]
    except (binascii.Error, UnicodeDecodeError):
        return [rest]
    return [rest, password]
