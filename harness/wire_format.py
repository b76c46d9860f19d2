"""Which wire format a request speaks, told from its path: for traffic that does not say so itself."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

_PATHS = (
    (re.compile(r"/chat/completions/*$"), "openai-chat"),
    (re.compile(r"/responses/*$"), "openai-responses"),
    (re.compile(r"^(?!.*/threads/[^/]+/messages/*$).*/messages/*$"), "anthropic"),  # not of OpenAI's Assistants
    (re.compile(r"/anthropic/models/[^/]+:(?:stream)?rawPredict$", re.IGNORECASE), "anthropic"),
    (re.compile(r":(?:stream)?generateContent$", re.IGNORECASE), "gemini"),
)


def wire_of(method: str, url: str) -> str | None:
    """The wire format of a request, or None where it is none that is known (embeddings, files, model lists)."""
    if method.upper() != "POST":
        return None
    path = urlsplit(url).path
    return next((wire for pattern, wire in _PATHS if pattern.search(path)), None)
