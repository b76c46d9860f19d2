"""Error bodies in the shape of the provider that was asked, so that its SDK prints the reason. Rules as data, pure.

Sources: the providers' API references on errors (OpenAI, Anthropic, Gemini's google.rpc.Status, Ollama).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from agent.jsonio import dumps

_ASKED = (
    ("anthropic", re.compile(r"/messages(?:/|$)|/complete/*$"), "anthropic-version"),
    ("gemini", re.compile(r":[a-z]\w*Content$|:countTokens$|^(?:/gemini)?/v1(?:alpha|beta)\d*/"), "x-goog-api-key"),
    ("ollama", re.compile(r"^(?:/ollama)?/api/(?:chat|generate|tags|show|embed\w*)/*$"), None),
)
"""Shape, and by which path or header a request for it is known; every other one is taken for OpenAI's."""

_WORDS = {
    400: ("invalid_request_error", "INVALID_ARGUMENT"),
    426: ("invalid_request_error", "FAILED_PRECONDITION"),
    500: ("api_error", "INTERNAL"),
    502: ("api_error", "UNAVAILABLE"),
}
"""By status: the error type of OpenAI and Anthropic, and Gemini's status word."""

DONT_RETRY = ("x-should-retry", "false")
"""The header by which the OpenAI and Anthropic SDKs are told that another try is of no use."""


def shape_of(path: str, headers: Iterable[tuple[str, str]]) -> str:
    """The shape that a client which sent this request expects: openai, anthropic, gemini or ollama."""
    names = {name.lower() for name, _ in headers}
    return next(
        (shape for shape, pattern, header in _ASKED if pattern.search(path) or (header and header in names)), "openai"
    )


def error_body(shape: str, status: int, message: str, code: str) -> bytes:
    """The JSON body. `code` is a word for programs, where the shape has a place for it."""
    kind, word = _WORDS[status]
    body: dict[str, Any]
    if shape == "anthropic":
        body = {"type": "error", "error": {"type": kind, "message": message}}
    elif shape == "gemini":
        body = {"error": {"code": status, "message": message, "status": word}}
    elif shape == "ollama":
        body = {"error": message}
    else:
        body = {"error": {"message": message, "type": kind, "param": None, "code": code}}
    return dumps(body)
