"""Redaction rules of the user's own: all that a pattern matches inside a text is a secret. Pure."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from agent.jsonio import NotJSON, dumps, loads_exact

WIDEST = 256
"""Characters of a match up to which it is found where it is split over frames."""

_DATA_LINE = re.compile(rb"(?m)^(data: ?)([^\r\n]*)")


@dataclass(slots=True, frozen=True)
class Rule:
    """A user's rule: all that `pattern` matches inside a text is a secret. `name`: letters, digits, `_`, `.`, `-`."""

    name: str
    pattern: str


class UserRules:
    """The rules, compiled. Raises `ValueError` for a rule with a bad name or pattern."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self._rules = [(rule.name, _compiled(rule)) for rule in rules]
        widths = [_widths(pattern) for _, pattern in self._rules]
        self.width = max((widest for _, widest in widths), default=0)
        """Characters that a match can have, at most `WIDEST`; 0 without rules."""
        self.least = max(1, min((least for least, _ in widths), default=1))
        """Characters that a match has at least."""

    def __bool__(self) -> bool:
        return bool(self._rules)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self._rules]

    def find(self, text: str, taken: Iterable[tuple[int, int]] = ()) -> list[tuple[int, int, str]]:
        """What the rules match, in order: start, end, and the rule's name.

        Nothing is found inside the spans that are `taken` (placeholders: what stands in one is none of a rule's
        business). A match that reaches into one is tried again on what stands before it.
        """
        spans = sorted(taken)
        found: list[tuple[int, int, str]] = []
        for name, pattern in self._rules:
            new = [(start, end, name) for start, end in _matches(pattern, text, spans)]
            found += new
            spans = sorted([*spans, *((start, end) for start, end, _ in new)])
        return sorted(found)

    def find_bytes(self, data: bytes, taken: re.Pattern[str] | None = None) -> Iterator[tuple[int, int, str]]:
        """The same for bytes, in bytes. What is no UTF-8 is read as halves of surrogate pairs."""
        text = data.decode("utf-8", "surrogateescape")
        spans = [match.span() for match in taken.finditer(text)] if taken is not None else ()
        at = seen = 0
        for start, end, name in self.find(text, spans):
            at += len(_encoded(text[seen:start]))
            yield at, at + len(_encoded(text[start:end])), name
            seen = start


def change_texts(data: bytes, change: Callable[[str], str]) -> bytes:
    """Apply `change` to every string of a JSON document or of an event stream's JSON data, else to the text itself."""
    try:
        value = loads_exact(data)
    except NotJSON:
        pass
    else:
        changed = _change_strings(value, change)
        return data if changed == value else dumps(changed)
    if not _DATA_LINE.search(data):
        return _change_bytes(data, change)
    return _DATA_LINE.sub(lambda match: match[1] + (_change_line(match[2], change) if match[2] else b""), data)


def _matches(pattern: re.Pattern[str], text: str, taken: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """`^` and `$` mean the ends of the whole text, wherever the search goes on."""
    at = index = 0
    while at <= len(text) and (match := pattern.search(text, at)):
        start, end = match.span()
        while index < len(taken) and taken[index][1] <= start:
            index += 1
        if index < len(taken) and taken[index][0] < end:
            border, after = taken[index]
            again = pattern.search(text, at, border) if border > start else None
            if again is not None and again.end() > again.start():
                yield again.span()
            at = after
        elif end > start:
            yield start, end
            at = end
        else:
            at = end + 1


def _compiled(rule: Rule) -> re.Pattern[str]:
    if not re.fullmatch(r"[A-Za-z0-9_.-]+", rule.name):
        raise ValueError(f"the name of a redaction rule has letters, digits, '_', '.' and '-' only, not {rule.name!r}")
    try:
        return re.compile(rule.pattern)
    except re.error as error:
        raise ValueError(f"the pattern of redaction rule {rule.name!r} is wrong: {error}") from None


def _widths(pattern: re.Pattern[str]) -> tuple[int, int]:
    """The shortest and the longest match a pattern can have; the widest allowed where this Python does not tell."""
    try:
        least, widest = import_module("re._parser").parse(pattern.pattern, pattern.flags).getwidth()
    except (ImportError, AttributeError, TypeError, ValueError):
        return 0, WIDEST
    return min(int(least), WIDEST), min(int(widest), WIDEST)


def _change_line(line: bytes, change: Callable[[str], str]) -> bytes:
    try:
        value = loads_exact(line)
    except NotJSON:
        return _change_bytes(line, change)
    changed = _change_strings(value, change)
    return line if changed == value else dumps(changed)


def _change_bytes(data: bytes, change: Callable[[str], str]) -> bytes:
    return _encoded(change(data.decode("utf-8", "surrogateescape")))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _change_strings(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {change(key): _change_strings(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_change_strings(item, change) for item in value]
    return value
