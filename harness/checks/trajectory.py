"""Compares the tool calls of a run with those that were expected. Pure.

| order | holds when |
|---|---|
| exact | the calls made are the expected ones, in their order, and no others |
| in-order | the expected calls were made in their order; others may stand before, between and after them |
| any-order | the calls made are the expected ones and no others, in any order |
| subset | every call made is one of the expected; not all need be made |
| superset | every expected call was made; others may be made too |

Each call is one of a pair at most, so a call that is expected twice must be made twice. Pairs are the best there are:
in exact and in-order the longest common subsequence, elsewhere a maximum matching.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from harness.checks.pairing import Pairs, best_assignment, best_in_order, maximum_matching
from harness.checks.selecting import ToolCall, show
from harness.checks.values import MISSING, Arguments, argument_differences, likeness
from harness.replaying.matching import shorten

Order: TypeAlias = Literal["exact", "in-order", "any-order", "subset", "superset"]
IN_ORDER = frozenset({"exact", "in-order"})
ALL_NEEDED = frozenset({"exact", "in-order", "any-order", "superset"})
"""Orders in which every expected call must be made."""
NO_OTHERS = frozenset({"exact", "any-order", "subset"})
"""Orders in which every call made must be expected."""
_SHOWN = 3
_OTHER_NAME = 0.25
"""How much the likeness of arguments counts where the names differ; where they agree it is the half."""


@dataclass(slots=True, frozen=True)
class Expected:
    name: str
    input: dict[str, Any]
    arguments: Arguments

    def agrees(self, made: ToolCall) -> bool:
        return self.name == made.name and next(self.differences(made), None) is None

    def differences(self, made: ToolCall) -> Any:
        return argument_differences(self.input, made.input, self.arguments)


@dataclass(slots=True)
class Compared:
    """`problems`: what is missing or too much, one line each. `pairs`: expected calls that were made."""

    expected: int
    made: int
    pairs: Pairs
    problems: list[str] = field(default_factory=list)

    @property
    def score(self) -> float:
        """F1: the harmonic mean of precision and recall; 1 where nothing was expected and nothing made."""
        total = self.expected + self.made
        return 2 * len(self.pairs) / total if total else 1.0

    def reason(self) -> str | None:
        if not self.problems:
            return None
        more = len(self.problems) - _SHOWN
        parts = [*self.problems[:_SHOWN], *([f"{more} more"] if more > 0 else [])]
        found = len(self.pairs)
        return f"{'; '.join(parts)} (precision {found}/{self.made}, recall {found}/{self.expected})"


def compare(expected: Sequence[Expected], made: Sequence[ToolCall], order: Order) -> Compared:
    find = _in_order if order in IN_ORDER else _any_order
    pairs, near = find(expected, made)
    compared = Compared(len(expected), len(made), pairs)
    missing = [index for index in range(len(expected)) if index not in pairs] if order in ALL_NEEDED else []
    taken = {*pairs.values()}
    extra = [index for index in range(len(made)) if index not in taken] if order in NO_OTHERS else []
    for index in missing:
        other = near.get(index)
        compared.problems.append(_missing(index, expected[index], None if other is None else made[other]))
        if other in extra:
            extra.remove(other)
    for index in extra:
        compared.problems.append(_extra(index, made[index], expected, near))
    return compared


def _missing(index: int, wanted: Expected, nearest: ToolCall | None) -> str:
    text = f"calls[{index}], {show(wanted.name, wanted.input)}, was not made"
    if nearest is None:
        return text
    if wanted.agrees(nearest):
        return f"{text} in its place but in call {nearest.call}"
    return f"{text}; the nearest is {nearest} in call {nearest.call}: {_difference(wanted, nearest)}"


def _extra(index: int, made: ToolCall, expected: Sequence[Expected], near: Pairs) -> str:
    text = f"{made} in call {made.call} is not expected"
    wanted = next((expected[left] for left, right in near.items() if right == index), None)
    return (
        text
        if wanted is None
        else f"{text}; the nearest, {show(wanted.name, wanted.input)}, differs in " + (_difference(wanted, made))
    )


def _difference(wanted: Expected, made: ToolCall) -> str:
    """The first difference of a pair that does not agree."""
    if wanted.name != made.name:
        return f"name: expected {wanted.name}, made {made.name}"
    name, one, other = next(wanted.differences(made))
    return f"{name}: expected {_value(one)}, made {_value(other)}"


def _value(value: Any) -> str:
    return "nothing" if value is MISSING else shorten(value)


def _any_order(expected: Sequence[Expected], made: Sequence[ToolCall]) -> tuple[Pairs, Pairs]:
    """The most pairs that agree, and of what is left those that are most alike."""
    agree = [[index for index, call in enumerate(made) if wanted.agrees(call)] for wanted in expected]
    pairs = maximum_matching(agree, len(made))
    taken = {*pairs.values()}
    left = [index for index in range(len(expected)) if index not in pairs]
    right = [index for index in range(len(made)) if index not in taken]
    near = best_assignment([[_weight(expected[one], made[other]) for other in right] for one in left])
    return pairs, {left[one]: right[other] for one, other in near.items()}


def _in_order(expected: Sequence[Expected], made: Sequence[ToolCall]) -> tuple[Pairs, Pairs]:
    """The most pairs that agree and keep their order; of the rest those that are most alike, first of all in place."""
    start = _common(lambda index: expected[index].agrees(made[index]), min(len(expected), len(made)))
    rest = min(len(expected), len(made)) - start
    end = _common(lambda index: expected[-1 - index].agrees(made[-1 - index]), rest)
    middle, between = expected[start : len(expected) - end], made[start : len(made) - end]
    full = min(len(middle), len(between)) + 1
    found = best_in_order(
        [[full if wanted.agrees(call) else _weight(wanted, call) for call in between] for wanted in middle]
    )
    pairs = {index: index for index in range(start)}
    near: Pairs = {}
    for one, other in found.items():
        agree = middle[one].agrees(between[other])
        (pairs if agree else near)[one + start] = other + start
    pairs |= {len(expected) - index: len(made) - index for index in range(end, 0, -1)}
    taken = {*pairs.values()}
    free = [index for index in range(len(made)) if index not in taken]
    for index, wanted in enumerate(expected):
        if index not in pairs:
            elsewhere = next((other for other in free if wanted.agrees(made[other])), None)
            if elsewhere is not None:
                near[index] = elsewhere
                free.remove(elsewhere)
    return pairs, near


def _common(agree: Callable[[int], bool], most: int) -> int:
    """How many agree from the first on."""
    return next((index for index in range(most) if not agree(index)), most)


def _weight(wanted: Expected, made: ToolCall) -> float:
    """How alike two calls are that do not agree: 0 to under 1, 0 where they have nothing in common."""
    alike = likeness(wanted.input, made.input)
    return 0.5 + 0.49 * alike if wanted.name == made.name else _OTHER_NAME * alike
