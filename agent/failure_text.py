"""The innermost real message of what a provider sent as an error: JSON in JSON, lists, HTML pages, plain text.

Every function returns one line: whitespace folded, key shapes masked. An empty string means there was no message.
"""

from __future__ import annotations

import json
import re
from typing import Any

from agent.jsonio import NotJSON, loads, scrub

LIMIT = 400
"""Characters a message may have."""

_DEPTH = 8
_WINDOW = 65_536
"""Characters of an error body that are searched for a message: error pages can be megabytes."""

_PAGE = 16_384

_STRUCTURED = ("error", "errors")
_WORDS = (
    "message", "Message", "error_description", "error_message", "detail", "details", "msg", "error", "errors",
    "description", "title", "reason",
)  # fmt: skip
_NAMES = ("status", "type", "code")
_TITLE = re.compile(r"<(title|h1|message)\b[^>]*>(.*?)</\1\s*>", re.I | re.S)
_INVISIBLE = re.compile(r"<(script|style|head)\b.*?</\1\s*>|<!--.*?-->", re.I | re.S)
_TAG = re.compile(r"<[^<>]*>")
_SSE_LINE = re.compile(rb"^(?:data|error):[ \t]*([{\[].*)$", re.M)
_SECRET = re.compile(
    r"\b(?:(?:sk|pk|rk|gsk|xai|pplx|fw|hf|gh[opsu]|github_pat|tgp)[-_](?=[\w-]{0,64}\d)[\w-]{16,}|AIza[\w-]{30,}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*)"
    r"|(?<=Bearer )[\w.~+/=-]{16,}",
)
_DECODER = json.JSONDecoder()


def fold(text: str, limit: int = LIMIT) -> str:
    """One line of at most `limit` characters, with an ellipsis where it was cut, fit for any output."""
    text = " ".join(scrub(text[:_WINDOW]).split())[: 4 * limit]
    text = "".join(char for char in _SECRET.sub("[secret]", text) if char.isprintable())
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def parsed_body(body: bytes) -> Any:
    """The JSON value that an error response holds, also where it came as an event stream; None where there is none."""
    body = body.removeprefix(b"\xef\xbb\xbf").strip()
    if body[:1] in (b"{", b"["):
        return parse(body)
    if body.startswith((b"event:", b"data:", b"error:", b":")):
        return next((parse(line) for line in _SSE_LINE.findall(body[:_WINDOW])), None)
    return None


def of_body(body: bytes, parsed: Any = None) -> str:
    """The message in an error response's body. `parsed`: what `parsed_body` found in it."""
    if parsed is not None:
        return of_value(parsed)
    text = body[:_WINDOW].decode("utf-8-sig", "replace").strip()
    if text[:1] == "<":
        return of_page(text)
    unreadable = sum(not char.isprintable() or char == "\ufffd" for char in text if not char.isspace())
    if unreadable * 10 > len(text):
        return f"unreadable body of {len(body)} bytes"
    return of_value(text)


def of_page(page: str) -> str:
    """The message of an HTML or XML page: its title, first heading or `<Message>`, else its visible text."""
    from html import unescape  # it loads the names of all entities

    page = page[:_PAGE]
    found = {tag.lower(): text for tag, text in reversed(_TITLE.findall(page))}
    for tag in ("message", "title", "h1"):
        text = fold(unescape(_TAG.sub(" ", found.get(tag, ""))))
        if text:
            return text
    return fold(unescape(_TAG.sub(" ", _INVISIBLE.sub(" ", page))), 200)


def of_value(value: Any, depth: int = 0) -> str:
    """The innermost message in a parsed error value (object, list or string)."""
    if depth > _DEPTH or value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return _of_string(value, depth)
    if isinstance(value, dict):
        return _of_object(value, depth)
    if isinstance(value, list):
        messages = dict.fromkeys(filter(None, (of_value(item, depth + 1) for item in value[:20])))
        return fold("; ".join(messages))
    return fold(str(value))


def _of_string(text: str, depth: int) -> str:
    """A string may be JSON itself, or hold an error object behind some words (proxies wrap them so)."""
    stripped = text.strip()
    if stripped[:1] == "<" and "</" in stripped:
        return of_page(stripped)
    if stripped[:1] in ("{", "[", '"'):
        parsed = parse(stripped.encode("utf-8", "replace"))
        inner = of_value(parsed, depth + 1) if isinstance(parsed, dict | list | str) else ""
        return inner or fold(stripped)
    start = stripped.find('{"')
    if start >= 0:
        try:
            parsed, _ = _DECODER.raw_decode(stripped, start)
        except (ValueError, RecursionError):
            parsed = None
        if isinstance(parsed, dict) and parsed.get("error"):
            return of_value(parsed, depth + 1) or fold(stripped)
    return fold(stripped)


def _of_object(value: dict[str, Any], depth: int) -> str:
    """Nested errors first (the inner one is the real one), then words, then names such as a type or code."""
    metadata = value.get("metadata")
    nested = [value.get(key) for key in _STRUCTURED if isinstance(value.get(key), dict | list)]
    if isinstance(metadata, dict):
        nested.append(metadata.get("raw"))
    for inner in nested:
        message = of_value(inner, depth + 1)
        if message:
            return message
    for key in _WORDS:
        message = of_value(value.get(key), depth + 1)
        if message:
            return _located(value, message) if key == "msg" else message
    for key in _NAMES:
        if isinstance(value.get(key), str | int) and value[key] not in ("", 0, "error"):
            return fold(str(value[key]))
    return ""


def _located(value: dict[str, Any], message: str) -> str:
    """FastAPI's validation errors say where: `{"loc": ["body", "messages", 0], "msg": "Field required"}`."""
    place = value.get("loc")
    if not isinstance(place, list):
        return message
    return fold(".".join(str(part) for part in place) + ": " + message)


def parse(body: bytes) -> Any:
    """The JSON value of an error body, or None."""
    try:
        return loads(body)
    except NotJSON:
        return None
