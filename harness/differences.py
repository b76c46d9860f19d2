"""Where two JSON values differ, and how that is said in one line. Pure.

Values are the same where their canonical JSON is (`agent.jsonio.canonical`): the order of keys is free, `1` and `1.0`
are two. Checks and diffs, for which these are one number, ask `harness.equality` before.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from agent.jsonio import canonical

_AROUND = 20
_WIDTH = 60
"""Characters of a text before its first difference, and of what is shown of it."""


class _Missing:
    def __repr__(self) -> str:
        return "nothing"

    def __reduce__(self) -> str:
        """By its name, so that what a worker process hands over is this one."""
        return "MISSING"


MISSING: Any = _Missing()
"""Stands for a value that is not there."""


class Difference(NamedTuple):
    """One place in which two values differ; `MISSING` where one has none. `path`: `model`, `messages[0].content`."""

    path: str
    one: Any
    other: Any

    def say(self, now: str, before: str = "recorded") -> str:
        """The difference in one line; the words tell what the second value is (`sent`, `now`), and the first."""
        if isinstance(self.one, str) and isinstance(self.other, str):
            one, other = _around_difference(self.one, self.other)
        else:
            one, other = shorten(self.one), shorten(self.other)
        path = "".join(char if char.isprintable() else "?" for char in self.path)
        return f"{path}: {before} {one}, {now} {other}"


def value_differences(one: Any, other: Any, path: str = "", depth: int = 100) -> list[Difference]:
    """Every place where two JSON values differ, in a fixed order; below `depth` levels values are compared whole.

    `path`: of the two; without one they are called `body`.
    """
    if depth and isinstance(one, dict) and isinstance(other, dict):
        found = []
        for name, left, right in by_name(one, other):
            found += value_differences(left, right, f"{path}.{name}" if path else name, depth - 1)
        return found
    if depth and isinstance(one, list) and isinstance(other, list):
        found = []
        for index in range(max(len(one), len(other))):
            left = one[index] if index < len(one) else MISSING
            right = other[index] if index < len(other) else MISSING
            found += value_differences(left, right, f"{path}[{index}]", depth - 1)
        return found
    return [] if _same(one, other) else [Difference(path or "body", one, other)]


def by_name(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Each name that is in either, with both values; `MISSING` where there is none."""
    for name in [*one, *(name for name in other if name not in one)]:
        yield name, one.get(name, MISSING), other.get(name, MISSING)


def shorten(value: Any, limit: int = 80) -> str:
    """A value as JSON in at most `limit` characters."""
    if value is MISSING:
        return "nothing"
    text = repr(value) if isinstance(value, bytes) else canonical(value).decode()
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def first_difference(one: str, other: str) -> int:
    """Where two texts begin to differ; the length of the shorter where it is the beginning of the other."""
    shorter = min(len(one), len(other))
    return bisect_left(range(1, shorter + 1), True, key=lambda size: one[:size] != other[:size])


def _around_difference(one: str, other: str) -> tuple[str, str]:
    """Two long texts cut to where they begin to differ."""
    start = max(0, first_difference(one, other) - _AROUND) if max(len(one), len(other)) > _WIDTH else 0
    mark = "…" if start else ""
    return shorten(mark + one[start:], _WIDTH), shorten(mark + other[start:], _WIDTH)


def _same(one: Any, other: Any) -> bool:
    if one is MISSING or other is MISSING:
        return False
    if isinstance(one, bytes) or isinstance(other, bytes):
        return bool(one == other)
    return canonical(one) == canonical(other)
