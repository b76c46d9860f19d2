"""Base URLs as people write them, made ready for the request halves to append an endpoint to."""

from __future__ import annotations

import re
from urllib.parse import SplitResult, unquote_plus, urlsplit

DEFAULT_PATHS = {"openai-chat": "/v1", "openai-responses": "/v1", "anthropic": "/v1", "gemini": "/v1beta"}

_ENDPOINT = re.compile(
    r"/(?:chat/completions|responses|messages|models(?:/[^/]+:(?:streamGenerateContent|generateContent))?)/*$"
)
_UNSPECIFIED = {"": "127.0.0.1", "0.0.0.0": "127.0.0.1", "::": "::1"}
_PORTS = {"http": 80, "https": 443}
_OLLAMA_PORT = 11434


KEY_QUERY = frozenset({
    "access_token", "api-key", "api_key", "apikey", "auth", "auth_token", "client_secret", "key", "password", "secret",
    "sig", "signature", "subscription-key", "token", "x-amz-credential", "x-amz-security-token", "x-amz-signature",
    "x-api-key", "x-goog-credential", "x-goog-signature",
})  # fmt: skip
"""Query parameters, in lower case, that carry keys: they are never sent by a base URL, recorded or compared."""


class TargetError(ValueError):
    """A model name, key or base URL that no call can be made with; the message is one line that says what to do."""


class BadBaseURL(TargetError):
    """A base URL that no request can be sent to."""


def normalize(url: str, wire: str, known: str = "") -> str:
    """`url` without trailing slashes and a pasted endpoint; without a path it gets the format's default. A query stays
    (Azure's `api-version`), but for Gemini's `alt`, which each request sets.

    `known` is the provider's own base URL: written without a path there too, it gets none (`api.perplexity.ai`).
    Raises `BadBaseURL`, also for a key in the query.
    """
    parts = _split(url)
    path = parts.path.rstrip("/")
    if path:
        path = _ENDPOINT.sub("", path).rstrip("/")
    else:
        own = _split(known) if known else parts
        path = own.path.rstrip("/") if known and own.netloc == parts.netloc else DEFAULT_PATHS[wire]
    query = "&".join(field for field in parts.query.split("&") if field and not field.startswith("alt="))
    return f"{parts.scheme.lower()}://{parts.netloc}{path}{f'?{query}' if query else ''}"


def endpoint(base_url: str, path: str) -> str:
    """Where `path` is, which may have a query, below a base URL; the query of that comes last."""
    base, mark, query = base_url.partition("?")
    return f"{base}{path}{('&' if '?' in path else mark) + query if mark else ''}"


def ollama_base_url(host: str) -> str:
    """The base URL for a value of `OLLAMA_HOST`: `host`, `host:port`, `:port` or a URL, as Ollama's client reads it.

    Without a scheme the port is 11434, with one it is the scheme's. An address to listen on (0.0.0.0, ::) is reached
    over loopback. Raises `BadBaseURL`.
    """
    text = host.strip().strip("\"'").strip()
    scheme, separator, rest = text.partition("://")
    if not separator:
        scheme, rest = "http", text
    if rest.count(":") > 1 and not rest.startswith("["):
        rest = f"[{rest}]"
    parts = _split(f"{scheme}://{'localhost' if rest[:1] in ('', ':', '/') else ''}{rest}", f"OLLAMA_HOST {host!r}")
    name = "" if rest.startswith(":") else parts.hostname or ""
    name = _UNSPECIFIED.get(name, name)
    port = parts.port or (_PORTS[parts.scheme] if separator else _OLLAMA_PORT)
    path = parts.path.rstrip("/").removesuffix("/v1")
    return f"{parts.scheme}://{f'[{name}]' if ':' in name else name}:{port}{path}/v1"


def _split(url: str, what: str = "") -> SplitResult:
    what = what or f"the base URL {url!r}"
    if re.search(r"[\s\x00-\x1f\x7f]", url.strip()):
        raise BadBaseURL(f"{what} has blanks in it: write it like http://127.0.0.1:8080/v1")
    try:
        parts = urlsplit(url.strip())
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        raise BadBaseURL(f"{what} cannot be read ({error}): write it like http://127.0.0.1:8080/v1") from None
    if parts.scheme.lower() not in _PORTS:
        raise BadBaseURL(f"{what} must begin with http:// or https://")
    if not host:
        raise BadBaseURL(f"{what} names no host: write it like http://127.0.0.1:8080/v1")
    if parts.username is not None:
        raise BadBaseURL("a base URL must hold no user name or password: keys are sent in headers")
    for field in parts.query.split("&"):
        name = field.partition("=")[0]
        if unquote_plus(name).lower() in KEY_QUERY:
            raise BadBaseURL(f"a base URL must hold no key ({name}=...): keys are sent in headers")
    return parts
