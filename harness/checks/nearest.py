"""Pairs what does not agree with what is most like it: what a reason of a failed `tools` check names. Pure.

These pairs say nothing of the verdict and its score. Where there are many calls, pairs that could only be found in
seconds are not looked for: calls of one name are then paired as they stand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from harness.checks.expected import Expected
from harness.checks.pairing import Pairs, best_assignment, best_in_order
from harness.checks.selecting import ToolCall
from harness.checks.values import likeness

MANY = 10_000
"""Pairs that are compared, of which each takes some ten microseconds."""
_OTHER_NAME = 0.25
"""How much the likeness of arguments counts where the names differ; where they agree it is the half."""


def weight(wanted: Expected, made: ToolCall) -> float:
    """How alike two calls are that do not agree: 0 to under 1, 0 where they have nothing in common."""
    alike = likeness(wanted.input, made.input)
    return 0.5 + 0.49 * alike if wanted.name == made.name else _OTHER_NAME * alike


def nearest(expected: Sequence[Expected], made: Sequence[ToolCall], left: Sequence[int], right: Sequence[int]) -> Pairs:
    """Of the calls at `left` and `right`, in any order."""
    if len(left) * len(right) <= MANY:
        near = best_assignment([[weight(expected[one], made[other]) for other in right] for one in left])
        return {left[one]: right[other] for one, other in near.items()}
    named: dict[str, tuple[list[int], list[int]]] = defaultdict(lambda: ([], []))
    for one in left:
        named[expected[one].name][0].append(one)
    for other in right:
        named[made[other].name][1].append(other)
    pairs: Pairs = {}
    for mine, theirs in named.values():
        if len(mine) * len(theirs) <= MANY:
            pairs |= nearest(expected, made, mine, theirs)
        else:
            pairs |= zip(mine, theirs, strict=False)
    return dict(sorted(pairs.items()))


def nearest_in_order(expected: Sequence[Expected], made: Sequence[ToolCall], left: range, right: range) -> Pairs:
    """Of the calls in two stretches none of which agree, keeping their order."""
    if len(left) * len(right) <= MANY:
        found = best_in_order([[weight(expected[one], made[other]) for other in right] for one in left])
        return {left[one]: right[other] for one, other in found.items()}
    places = zip(left, right, strict=False)
    return {one: other for one, other in places if expected[one].name == made[other].name}
