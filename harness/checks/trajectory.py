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

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from harness.checks.expected import Expected, agreeing
from harness.checks.nearest import MANY, nearest, nearest_in_order, weight
from harness.checks.pairing import Pairs, best_in_order, longest_common, maximum_matching
from harness.checks.selecting import ToolCall, show
from harness.differences import shorten
from harness.report.figures import first_of

Order: TypeAlias = Literal["exact", "in-order", "any-order", "subset", "superset"]
IN_ORDER = frozenset({"exact", "in-order"})
ALL_NEEDED = frozenset({"exact", "in-order", "any-order", "superset"})
"""Orders in which every expected call must be made."""
NO_OTHERS = frozenset({"exact", "any-order", "subset"})
"""Orders in which every call made must be expected."""


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
        found = len(self.pairs)
        return f"{'; '.join(first_of(self.problems))} (precision {found}/{self.made}, recall {found}/{self.expected})"


def compare(expected: Sequence[Expected], made: Sequence[ToolCall], order: Order) -> Compared:
    find = _in_order if order in IN_ORDER else _any_order
    pairs, near = find(expected, made)
    compared = Compared(len(expected), len(made), pairs)
    missing = [index for index in range(len(expected)) if index not in pairs] if order in ALL_NEEDED else []
    taken = {*pairs.values()}
    for index in missing:
        other = near.get(index)
        compared.problems.append(_missing(index, expected[index], None if other is None else made[other]))
        taken |= set() if other is None else {other}
    wanted = {right: expected[left] for left, right in near.items()}
    for index in range(len(made)) if order in NO_OTHERS else ():
        if index not in taken:
            compared.problems.append(_extra(made[index], wanted.get(index)))
    return compared


def _missing(index: int, wanted: Expected, nearest: ToolCall | None) -> str:
    text = f"calls[{index}], {show(wanted.name, wanted.input)}, was not made"
    if nearest is None:
        return text
    if wanted.agrees(nearest):
        return f"{text} in its place but in call {nearest.call}"
    return f"{text}; the nearest is {nearest} in call {nearest.call}: {_difference(wanted, nearest)}"


def _extra(made: ToolCall, nearest: Expected | None) -> str:
    text = f"{made} in call {made.call} is not expected"
    if nearest is None:
        return text
    return f"{text}; the nearest, {show(nearest.name, nearest.input)}, differs in {_difference(nearest, made)}"


def _difference(wanted: Expected, made: ToolCall) -> str:
    """The first difference of a pair that does not agree."""
    if wanted.name != made.name:
        return f"name: expected {wanted.name}, made {made.name}"
    name, one, other = next(wanted.differences(made))
    return f"{name}: expected {shorten(one)}, made {shorten(other)}"


def _any_order(expected: Sequence[Expected], made: Sequence[ToolCall]) -> tuple[Pairs, Pairs]:
    """The most pairs that agree, and of what is left those that are most alike."""
    pairs = maximum_matching(agreeing(expected, made), len(made))
    taken = {*pairs.values()}
    left = [index for index in range(len(expected)) if index not in pairs]
    right = [index for index in range(len(made)) if index not in taken]
    return pairs, nearest(expected, made, left, right)


def _in_order(expected: Sequence[Expected], made: Sequence[ToolCall]) -> tuple[Pairs, Pairs]:
    """The most pairs that agree and keep their order; of the rest those that are most alike, first of all in place."""
    agree = agreeing(expected, made)
    start, end = _ends(agree, len(made))
    left, right = range(start, len(expected) - end), range(start, len(made) - end)
    few = len(left) * len(right) <= MANY
    middle, near = (_alike if few else _longest)(expected, made, agree, left, right)
    pairs = {index: index for index in range(start)} | middle
    pairs |= {len(expected) - index: len(made) - index for index in range(end, 0, -1)}
    taken = {*pairs.values()}
    for index, places in enumerate(agree):
        elsewhere = None if index in pairs else next((place for place in places if place not in taken), None)
        if elsewhere is not None:
            near[index] = elsewhere
            taken.add(elsewhere)
    return pairs, near


def _ends(agree: Sequence[Sequence[int]], made: int) -> tuple[int, int]:
    """How many agree from the first on, and of the others from the last back."""
    found = [{*places} for places in agree]
    most = min(len(agree), made)
    start = next((index for index in range(most) if index not in found[index]), most)
    rest = most - start
    return start, next((index for index in range(rest) if made - 1 - index not in found[-1 - index]), rest)


def _alike(
    expected: Sequence[Expected], made: Sequence[ToolCall], agree: Sequence[Sequence[int]], left: range, right: range
) -> tuple[Pairs, Pairs]:
    """The most pairs of two stretches, and of all ways to have them that in which the rest is most alike."""
    full = min(len(left), len(right)) + 1
    places = {one: {*agree[one]} for one in left}
    found = best_in_order([
        [full if other in places[one] else weight(expected[one], made[other]) for other in right] for one in left
    ])  # fmt: skip
    pairs: Pairs = {}
    near: Pairs = {}
    for one, other in found.items():
        (pairs if right[other] in places[left[one]] else near)[left[one]] = right[other]
    return pairs, near


def _longest(
    expected: Sequence[Expected], made: Sequence[ToolCall], agree: Sequence[Sequence[int]], left: range, right: range
) -> tuple[Pairs, Pairs]:
    """As many pairs of two long stretches; the rest is paired between them."""
    pairs = {left[one]: other for one, other in longest_common([agree[one] for one in left], right).items()}
    near: Pairs = {}
    before, after = left.start, right.start
    for one, other in [*pairs.items(), (left.stop, right.stop)]:
        near |= nearest_in_order(expected, made, range(before, one), range(after, other))
        before, after = one + 1, other + 1
    return pairs, near
