"""What a text can be expected to be: the keys that `text` and `file` share, and how a text is judged by them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import ClassVar

from harness.checks.base import Check
from harness.checks.fields import Patterns, Pieces, Schema
from harness.checks.patterns import compiled
from harness.checks.values import text_likeness
from harness.differences import first_difference, shorten

_AROUND = 20
_LINES = 2000
"""Lines of a text that are looked through for the one that is nearest."""


class Texts(Check):
    """Expectations of a text; all must hold. `json_schema`: the schema itself, or a file beside the suite."""

    KEYS: ClassVar[tuple[str, ...]] = ("contains", "not_contains", "regex", "not_regex", "equals", "json_schema")

    contains: Pieces | None = None
    not_contains: Pieces | None = None
    regex: Patterns | None = None
    not_regex: Patterns | None = None
    equals: str | None = None
    ignore_case: bool = False
    json_schema: Schema | None = None

    def expects(self) -> bool:
        """Whether any of the keys is set."""
        return any(getattr(self, name) is not None for name in self.KEYS)

    def problems(self, text: str, folder: Path) -> list[str | None]:
        """For each expectation what is wrong with `text`, or None. Raises `CheckError` for a schema that is none."""
        found = [_contains(piece, text, self.ignore_case) for piece in self.contains or ()]
        found += [_not_contains(piece, text, self.ignore_case) for piece in self.not_contains or ()]
        for pattern in self.regex or ():
            missed = f"nothing in {_start(text)} matches {shorten(pattern)}"
            found.append(None if compiled(pattern, self.ignore_case).search(text) else missed)
        for pattern in self.not_regex or ():
            match = compiled(pattern, self.ignore_case).search(text)
            found.append(None if match is None else f"{shorten(match[0])} matches {shorten(pattern)}")
        if self.equals is not None:
            found.append(_equals(self.equals, text, self.ignore_case))
        if self.json_schema is not None:
            from harness.checks.schema import schema_problem

            found.append(schema_problem(self.json_schema, text, folder))
        return found


def share(problems: list[str | None]) -> float:
    """The share of the expectations that hold."""
    return problems.count(None) / len(problems)


def _contains(piece: str, text: str, ignore_case: bool) -> str | None:
    if _fold(piece, ignore_case) in _fold(text, ignore_case):
        return None
    lines = [line for line in text.splitlines()[:_LINES] if line.strip()]
    near = max(lines, key=lambda line: _nearness(piece, line), default="")
    if not any(_nearness(piece, near)):
        return f"{shorten(piece)} is not in {_start(text)}"
    return f"{shorten(piece)} is not there; the nearest line is {shorten(near)}"


def _nearness(piece: str, line: str) -> tuple[float, float]:
    """How many words two texts have in common, then how alike they are."""
    words = {*re.findall(r"\w+", piece.casefold())}
    common = len(words & {*re.findall(r"\w+", line.casefold())})
    return common / len(words) if words else 0.0, text_likeness(piece, line)


def _not_contains(piece: str, text: str, ignore_case: bool) -> str | None:
    at = _fold(text, ignore_case).find(_fold(piece, ignore_case))
    if at < 0:
        return None
    around = text[max(0, at - _AROUND) : at + len(piece) + _AROUND]
    return f"{shorten(piece)} is there: {shorten(around)}"


def _equals(expected: str, text: str, ignore_case: bool) -> str | None:
    one, other = _fold(expected, ignore_case), _fold(text, ignore_case)
    if one == other:
        return None
    at = first_difference(one, other)
    start = max(0, at - _AROUND)
    wanted, found = (shorten(value[start:], 60) for value in (one, other))
    return f"from character {at} on it differs: expected {wanted}, found {found}"


def _fold(text: str, ignore_case: bool) -> str:
    return text.casefold() if ignore_case else text


def _start(text: str) -> str:
    return shorten(text) if text else "the empty text"
