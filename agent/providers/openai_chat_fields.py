"""Where the values of a chat payload stand, and what odd ones mean. Every function takes values of any type."""

from __future__ import annotations

import re
from typing import Any

import orjson

from agent.events import Reasoning, Text
from agent.jsonio import NotJSON, loads_exact

_LONG_INTEGER = re.compile(rb"\d{19}")


def piece_of(payload: Any) -> Text | Reasoning | None:
    """The piece of text or reasoning that a payload is; None where it may say anything else."""
    try:
        (choice,) = payload["choices"]
        delta = choice["delta"]
        text = delta.get("content")
        name = "content"
        if len(delta) > 1 or not text:
            if not text:
                name = "reasoning_content" if delta.get("reasoning_content") else "reasoning"
                text = delta.get(name)
            for key, value in delta.items():
                if value and key != name and key != "role":
                    return None
        if (
            not text
            or type(text) is not str
            or choice.get("index")
            or choice.get("finish_reason") is not None
            or payload.get("usage")
            or "usage" in choice
            or "error" in choice
            or "error" in payload
            or "x_groq" in payload
        ):
            return None
    except (LookupError, TypeError, ValueError, AttributeError):
        return None
    return Text(text) if name == "content" else Reasoning(text)


def piece_in(data: bytes) -> Text | Reasoning | None:
    """The same of a payload that is not parsed yet."""
    try:
        return piece_of(orjson.loads(data))
    except orjson.JSONDecodeError:
        return None


def first_choice(choices: Any) -> dict[str, Any] | None:
    """Choice 0: the one with index 0, or with no usable index."""
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict):
            index = choice.get("index")
            if index in (None, 0, "", "0") or not isinstance(index, int | float | str):
                return choice
    return None


def fragments_of(delta: dict[str, Any]) -> list[Any]:
    """The tool-call fragments of a delta; a legacy `function_call` is one without index."""
    fragments = delta.get("tool_calls")
    if not fragments:
        return [{"function": delta.get("function_call")}]
    return fragments if isinstance(fragments, list) else [fragments]


def exact_fragments(raw: bytes) -> list[Any]:
    """The fragments with every integer exact, where that takes another reading; arguments may be sent as an object."""
    if not _LONG_INTEGER.search(raw):
        return []
    try:
        choice = first_choice(loads_exact(raw).get("choices")) or {}
    except NotJSON:
        return []
    delta = choice.get("delta")
    return fragments_of(delta if isinstance(delta, dict) else choice.get("message") or {})


def is_failure(code: Any, status: Any) -> bool:
    """Whether a code (a number from 400, or a word) or a status (a number from 400) says that a request failed."""
    for value in (code, status):
        if isinstance(value, str) and value.isdecimal() and len(value) < 9:
            value = int(value)
        if isinstance(value, int) and not isinstance(value, bool) and value >= 400:
            return True
    return isinstance(code, str) and bool(code.strip("0")) and code.lower() not in ("ok", "success", "200")


def entry_text(entry: dict[str, Any]) -> str:
    """The readable text of an entry of `reasoning_details`."""
    for key in ("text", "summary"):
        text = entry.get(key)
        if text and isinstance(text, str):
            return text
    return ""


def thinking_text(value: Any) -> str:
    """The text of a thinking part: a string, or a list of text parts."""
    if isinstance(value, str):
        return value
    if not isinstance(value, list):
        return ""
    texts = (item.get("text") if isinstance(item, dict) else item for item in value)
    return "".join(text for text in texts if isinstance(text, str))
