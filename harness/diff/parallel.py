"""Tool calls of one response have no order that means anything: the model asked for them together, before it saw what
any of them gave. Where one depends on another it shows in the results, which are compared too. Pure.

So calls that stand in another order are paired with their like after the alignment, which keeps all order.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence

from harness.diff.align import Likeness, Pair, align
from harness.diff.steps import Step


def in_any_order(
    pairs: Sequence[Pair], one: Sequence[Step], other: Sequence[Step], likeness: Likeness
) -> Iterator[Pair]:
    """`pairs` of the steps of two runs; calls of a response are paired in any order where that pairs more."""
    for group in _groups(pairs, one, other):
        yield from _paired_anew(group, one, other, likeness) if len(group) > 1 else group


def _groups(pairs: Sequence[Pair], one: Sequence[Step], other: Sequence[Step]) -> Iterator[list[Pair]]:
    """The pairs in their order; those beside one another together where each side has calls of one response only."""
    group: list[Pair] = []
    responses: tuple[set[object], set[object]] = (set(), set())
    for pair in pairs:
        here = _response(one, pair[0]), _response(other, pair[1])
        joined = responses[0] | here[0], responses[1] | here[1]
        if group and (None in joined[0] | joined[1] or len(joined[0]) > 1 or len(joined[1]) > 1):
            yield group
            group, joined = [], here
        group.append(pair)
        responses = joined
    if group:
        yield group


def _response(steps: Sequence[Step], index: int | None) -> set[object]:
    """The response that a step is a call of; `None` where it is something else; nothing where there is no step."""
    if index is None:
        return set()
    step = steps[index]
    return {(step.turn, step.call) if step.kind == "tool_call" else None}


def _paired_anew(group: list[Pair], one: Sequence[Step], other: Sequence[Step], likeness: Likeness) -> list[Pair]:
    """Those that are the same first; the others as they are aligned among themselves."""
    mine, theirs = [i for i, _ in group if i is not None], [j for _, j in group if j is not None]
    waiting: dict[bytes, list[int]] = defaultdict(list)
    for j in reversed(theirs):
        waiting[other[j].key].append(j)
    same = {i: waiting[one[i].key].pop() for i in mine if waiting[one[i].key]}
    taken = {*same.values()}
    left, right = [i for i in mine if i not in same], [j for j in theirs if j not in taken]
    rest = align(
        [one[i].key for i in left], [other[j].key for j in right], lambda at, to: likeness(left[at], right[to])
    )
    anew = [
        *same.items(),
        *((None if at is None else left[at], None if to is None else right[to]) for at, to in rest),
    ]
    return anew if _worth(anew, one, other) > _worth(group, one, other) else group


def _worth(pairs: Sequence[Pair], one: Sequence[Step], other: Sequence[Step]) -> tuple[int, int]:
    """How many are the same, and how many are pairs at all."""
    whole = [(i, j) for i, j in pairs if i is not None and j is not None]
    return sum(one[i].key == other[j].key for i, j in whole), len(whole)
