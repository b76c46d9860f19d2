"""An expected tool call, and which of those made agree with it. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from harness.checks.selecting import ToolCall
from harness.checks.values import Arguments, argument_differences


@dataclass(slots=True, frozen=True)
class Expected:
    name: str
    input: dict[str, Any]
    arguments: Arguments

    def agrees(self, made: ToolCall) -> bool:
        return self.name == made.name and next(self.differences(made), None) is None

    def differences(self, made: ToolCall) -> Iterator[tuple[str, Any, Any]]:
        return argument_differences(self.input, made.input, self.arguments)


def agreeing(expected: Sequence[Expected], made: Sequence[ToolCall]) -> list[list[int]]:
    """For each expected call the places of the calls made that agree with it, in order.

    As `Expected.agrees` says, but calls whose arguments have to be the same are looked up, and others compared with
    those of their name only.
    """
    by_name: dict[str, list[int]] = defaultdict(list)
    for index, call in enumerate(made):
        by_name[call.name].append(index)
    keys: dict[str, dict[Any, list[int]] | None] = {}
    found = []
    for wanted in expected:
        named = by_name.get(wanted.name, [])
        same = None
        if wanted.arguments == "exact":
            if wanted.name not in keys:
                keys[wanted.name] = _by_key([(index, made[index].input) for index in named])
            same = keys[wanted.name]
        key = None if same is None else _key(wanted.input)
        if same is None or key is None:
            found.append([index for index in named if wanted.agrees(made[index])])
        else:
            found.append(same.get(key, []))
    return found


def _by_key(inputs: Sequence[tuple[int, Any]]) -> dict[Any, list[int]] | None:
    """None where one of them has no key."""
    found: dict[Any, list[int]] = defaultdict(list)
    for index, value in inputs:
        key = _key(value)
        if key is None:
            return None
        found[key].append(index)
    return dict(found)


def _key(value: Any) -> Any:
    """The same for values that are `equal`, and for no others; None for one that is nested too deeply or not JSON."""
    try:
        return _frozen(value)
    except (RecursionError, TypeError):
        return None


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return "{", frozenset([(name, _frozen(item)) for name, item in value.items()])
    if isinstance(value, list):
        return "[", *map(_frozen, value)
    if value is None or isinstance(value, bool):
        return "bool", str(value)
    if isinstance(value, int | float) and value != value:
        raise TypeError("NaN is not the same as itself")
    if isinstance(value, str | int | float):
        return value
    raise TypeError(f"no JSON: {value!r}")
