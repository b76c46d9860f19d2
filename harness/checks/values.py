"""Compares JSON values as checks do (`harness.equality`). Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeAlias

from agent.jsonio import canonical
from harness.checks.patterns import compiled
from harness.differences import MISSING, first_difference
from harness.equality import same_scalar

Mode: TypeAlias = Literal["exact", "subset", "superset", "ignore", "regex"]
Arguments: TypeAlias = Mode | Mapping[str, Mode]
"""How arguments are compared: all in one way, or some by name and the others as `*` says (exact without it)."""

REST = "*"


def equal(expected: Any, made: Any, *, patterns: bool = False) -> bool:
    """Whether two JSON values are the same, however deep. With `patterns` a string in `expected` is a regular
    expression that is searched for: in a string, or in the JSON form of another value."""
    waiting = [(expected, made)]
    while waiting:
        one, other = waiting.pop()
        if isinstance(one, dict) and isinstance(other, dict):
            if one.keys() != other.keys():
                return False
            waiting += [(value, other[name]) for name, value in one.items()]
        elif isinstance(one, list) and isinstance(other, list):
            if len(one) != len(other):
                return False
            waiting += zip(one, other, strict=True)
        elif patterns and isinstance(one, str):
            if not compiled(one).search(other if isinstance(other, str) else canonical(other).decode()):
                return False
        elif not same_scalar(one, other):
            return False
    return True


def argument_differences(
    expected: Mapping[str, Any], made: Mapping[str, Any], arguments: Arguments
) -> Iterator[tuple[str, Any, Any]]:
    """Every argument that differs: its name, what was expected, what was made; `MISSING` where it is not there.

    `subset`: the expected arguments are some of those made, `superset`: they are all that may be made. Both leave
    out arguments, and compare the values of the others in full. Of one argument by name they say the same about the
    keys of its value.
    """
    named = {} if isinstance(arguments, str) else arguments
    rest: Mode = arguments if isinstance(arguments, str) else arguments.get(REST, "exact")
    for name in [*expected, *(name for name in made if name not in expected)]:
        one, other = expected.get(name, MISSING), made.get(name, MISSING)
        mode = named.get(name, rest)
        by_name = name in named and one is not MISSING
        if mode == "ignore":
            continue
        if one is MISSING:
            allowed = rest in ("subset", "ignore")
        elif other is MISSING:
            allowed = not by_name and rest == "superset"
        else:
            allowed = _agrees(one, other, mode) if by_name else equal(one, other, patterns=mode == "regex")
        if not allowed:
            yield name, one, other


def _agrees(expected: Any, made: Any, mode: Mode) -> bool:
    if mode in ("subset", "superset") and isinstance(expected, dict) and isinstance(made, dict):
        return next(argument_differences(expected, made, mode), None) is None
    return equal(expected, made, patterns=mode == "regex")


def likeness(expected: Mapping[str, Any], made: Mapping[str, Any]) -> float:
    """How alike two sets of arguments are, 0 to 1: what pairs those that differ, for a reason that helps."""
    names = expected.keys() | made.keys()
    if not names:
        return 1.0
    return sum(_alike(expected.get(name, MISSING), made.get(name, MISSING)) for name in names) / len(names)


def _alike(one: Any, other: Any) -> float:
    if one is MISSING or other is MISSING:
        return 0.0
    if isinstance(one, str) and isinstance(other, str):
        return text_likeness(one, other)
    return 1.0 if equal(one, other) else 0.0


def text_likeness(one: str, other: str) -> float:
    """The share of two texts that they have in common at their beginning and end, 0 to 1."""
    if one == other:
        return 1.0
    shorter = min(len(one), len(other))
    start = first_difference(one, other)
    end = min(first_difference(one[::-1], other[::-1]), shorter - start)
    return (start + end) / max(len(one), len(other))
