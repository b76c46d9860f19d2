"""Named rewritings of request bodies before they are compared, for parts of a prompt that change from run to run.

They are opt-in, by name: `normalizers` of `[tool.harness]`, of `MatchRules` and of the pytest marker. Packages add
their own by an entry point of the group `trajectory_harness.normalizers`: a function from a JSON value to one. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, TypeAlias

Normalizer: TypeAlias = Callable[[Any], Any]

GROUP = "trajectory_harness.normalizers"
"""The entry point group of normalizers that other packages bring."""

_DEPTH = 200
"""Levels of a value that are rewritten; deeper ones are compared as they are."""

_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*"
_DAY = r"(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*"
_CLOCK = r"\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?"
_ZONE = r"(?: ?(?:Z|UTC|GMT)(?![A-Za-z])(?: ?[+-]\d{1,2}(?::?\d{2})?)?| ?[+-]\d{2}:?\d{2})"
_TIME = rf"(?:{_CLOCK}(?: ?[AaPp]\.?[Mm]\b\.?)?{_ZONE}?)"

DATES = (
    (rf"\b\d{{4}}-\d{{2}}-\d{{2}}(?:[T ]{_TIME})?", "[date]"),
    (rf"\b\d{{1,2}}[/.]\d{{1,2}}[/.]\d{{4}}\b(?:,? {_TIME})?", "[date]"),
    (
        rf"\b(?:{_DAY}\.?,? )?(?:{_MONTH}\.? \d{{1,2}}(?:st|nd|rd|th)?,? |\d{{1,2}}(?:st|nd|rd|th)?\.? {_MONTH}\.?,? )"
        rf"(?:{_TIME} )?\d{{4}}\b(?:,? (?:at )?{_TIME})?",
        "[date]",
    ),
    (rf"\b{_TIME}", "[time]"),
)
"""RFC 3339 and what is like it, 3/14/2026 and 14.03.2026, dates with an English month, and the time of day."""

UUIDS = ((r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b", "[uuid]"),)
"""RFC 9562."""

PATHS = (
    (r"(?<![\w.~:/\\])(?:~|/(?!/)[^\s/\"'`<>|:,;()\[\]{}]+)(?:/[^\s/\"'`<>|:,;()\[\]{}]+)+/?", "[path]"),
    (r"\b[A-Za-z]:\\[^\s\"'`<>|:,;()\[\]{}]+", "[path]"),
)
"""Absolute paths of at least two parts, the working directory among them; POSIX and Windows."""

CODEX = (
    (r"(?m)^(Chunk ID: )\S+", r"\1[id]"),
    (r"(?m)^(Wall time: )[\d.]+( seconds?)", r"\1[time]\2"),
)
"""What the codex command line puts above the output of a command."""


def in_texts(rules: Sequence[tuple[str, str]]) -> Normalizer:
    """A normalizer that applies replacements, one after the other, to every string of a value (not to names)."""

    @cache
    def compiled() -> list[tuple[re.Pattern[str], str]]:
        return [(re.compile(pattern), replacement) for pattern, replacement in rules]

    def text(value: str) -> str:
        for pattern, replacement in compiled():
            value = pattern.sub(replacement, value)
        return value

    return lambda value: _strings(value, text)


def ids(value: Any) -> Any:
    """Ids that a provider made (of tool calls, items and responses) are replaced by the order in which they appear."""
    found: dict[str, str] = {}
    _collect(value, found, _DEPTH)
    return _strings(value, lambda text: found.get(text, text)) if found else value


BUILT_IN: dict[str, Normalizer] = {
    "codex": in_texts(CODEX),
    "dates": in_texts(DATES),
    "ids": ids,
    "paths": in_texts(PATHS),
    "uuids": in_texts(UUIDS),
}


def entry_points(**wanted: str) -> Any:
    """`importlib.metadata.entry_points`, loaded on first use: it brings the email package with it."""
    from importlib import metadata

    return metadata.entry_points(**wanted)


def names() -> list[str]:
    """The names of all normalizers there are: built in and installed."""
    return sorted({*BUILT_IN, *(point.name for point in entry_points(group=GROUP))})


@cache
def normalizer(name: str) -> Normalizer:
    """The normalizer of a name; a built-in one wins. Raises `ValueError` for a name that is none."""
    if name in BUILT_IN:
        return BUILT_IN[name]
    for point in entry_points(group=GROUP, name=name):
        loaded: Normalizer = point.load()
        return loaded
    raise ValueError(f"unknown normalizer {name!r}; known are {', '.join(names())}")


_ID_FIELDS = frozenset({"call_id", "item_id", "previous_response_id", "response_id", "tool_call_id", "tool_use_id"})
_WITH_ID = frozenset({
    "custom_tool_call", "custom_tool_call_output", "function", "function_call", "function_call_output", "mcp_call",
    "message", "reasoning", "server_tool_use", "tool_use",
})  # fmt: skip
"""Values of `type` whose objects have an `id` that the provider made, or the client (codex)."""
_GEMINI = frozenset({"functionCall", "functionResponse", "function_call", "function_response"})


def _collect(value: Any, found: dict[str, str], depth: int) -> None:
    if depth and isinstance(value, list):
        for item in value:
            _collect(item, found, depth - 1)
    elif depth and isinstance(value, dict):
        kind = value.get("type")
        for name, item in value.items():
            if isinstance(item, str):
                if name in _ID_FIELDS or (name == "id" and isinstance(kind, str) and kind in _WITH_ID):
                    found.setdefault(item, f"[id:{len(found) + 1}]")
            elif name in _GEMINI and isinstance(item, dict) and isinstance(item.get("id"), str):
                found.setdefault(item["id"], f"[id:{len(found) + 1}]")
            _collect(item, found, depth - 1)


def _strings(value: Any, change: Callable[[str], str], depth: int = _DEPTH) -> Any:
    """The value with every string changed; it is not touched itself."""
    if isinstance(value, str):
        return change(value)
    if depth and isinstance(value, list):
        return [_strings(item, change, depth - 1) for item in value]
    if depth and isinstance(value, dict):
        return {name: _strings(item, change, depth - 1) for name, item in value.items()}
    return value
