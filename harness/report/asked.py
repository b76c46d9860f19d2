"""What a request asks for, whatever its format: for calls that no turn explains."""

from __future__ import annotations

from typing import Any

from harness.report.figures import plural
from harness.report.values import items, mapping, text

CONVERSATIONS = ("messages", "input", "contents")
"""The conversation in a body of the chat and Messages formats, of Responses, and of Gemini."""

_INSIDE = ("content", "parts", "output")


def asked(body: Any) -> tuple[str, str | None]:
    """A line on the body of a request, and the text of its last message; None where that has none."""
    if isinstance(body, bytes):
        return (f"{len(body):,} bytes that are no JSON" if body else "no body"), None
    if not isinstance(body, dict):
        return "a body that cannot be shown", None
    parts = []
    if text(body.get("model")):
        parts.append(body["model"])
    messages = next((body[name] for name in CONVERSATIONS if name in body), None)
    if isinstance(messages, list):
        parts.append(plural(len(messages), "message"))
    tools = items(body.get("tools"))
    if tools:
        parts.append(plural(sum(map(_functions, tools)), "tool"))
    if body.get("stream") is True:
        parts.append("streamed")
    last = messages[-1] if isinstance(messages, list) and messages else messages
    return ", ".join(parts) or "JSON of an unknown shape", text_of(last) or None


def _functions(tool: Any) -> int:
    """Gemini puts all functions into one tool."""
    return len(items(mapping(tool).get("functionDeclarations"))) or 1


def text_of(message: Any, depth: int = 0) -> str:
    """The text in a message of any format; empty where it has none."""
    if isinstance(message, str):
        return message
    if depth > 4:
        return ""
    if isinstance(message, list):
        return "\n".join(filter(None, (text_of(part, depth + 1) for part in message)))
    found = mapping(message)
    if text(found.get("text")) is not None:
        return str(found["text"])
    return next(filter(None, (text_of(found[name], depth + 1) for name in _INSIDE if name in found)), "")
