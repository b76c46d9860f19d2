"""Two runs step by step: which steps belong together, and what differs in those that changed. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from harness.diff.align import align
from harness.diff.likeness import StepLikeness
from harness.diff.parallel import in_any_order
from harness.diff.steps import Step
from harness.differences import MISSING, Difference, value_differences
from harness.equality import tidy

Status = Literal["same", "changed", "removed", "added"]
STATUSES: tuple[Status, ...] = ("same", "changed", "removed", "added")


@dataclass(slots=True, frozen=True)
class Change:
    """A pair of steps, or one without a partner. `number`: its place in the comparison, from 0.

    Paths of `differences`: `text`, `name`, `input.path`, `input.lines[0]`, `unparsed`, `ok`, `output`.
    """

    number: int
    status: Status
    one: Step | None
    other: Step | None
    differences: tuple[Difference, ...] = ()

    @property
    def step(self) -> Step:
        step = self.one or self.other
        assert step is not None
        return step


def compare_steps(one: Sequence[Step], other: Sequence[Step]) -> list[Change]:
    """All steps of both runs, in order. The same both ways round, but that removed and added change places."""
    likeness = StepLikeness(one, other)
    pairs = align([step.key for step in one], [step.key for step in other], likeness)
    changes = []
    for number, (i, j) in enumerate(in_any_order(pairs, one, other, likeness)):
        left, right = None if i is None else one[i], None if j is None else other[j]
        if left is None or right is None:
            changes.append(Change(number, "added" if left is None else "removed", left, right))
        elif left.key == right.key:
            changes.append(Change(number, "same", left, right))
        else:
            changes.append(Change(number, "changed", left, right, tuple(step_differences(left, right))))
    return changes


def first_divergence(changes: Sequence[Change]) -> Change | None:
    return next((change for change in changes if change.status != "same"), None)


def counted(changes: Sequence[Change]) -> dict[Status, int]:
    """How many there are of each status."""
    found = [change.status for change in changes]
    return {status: found.count(status) for status in STATUSES}


def step_differences(one: Step, other: Step) -> list[Difference]:
    """Where two steps of a kind differ, in a fixed order: of arguments every path, of texts the whole."""
    found = [
        Difference(name, getattr(one, name), getattr(other, name))
        for name in ("name", "text")
        if getattr(one, name) != getattr(other, name)
    ]
    if one.kind != "tool_call":
        return found
    found += value_differences(tidy(one.input), tidy(other.input), "input")
    for name in ("unparsed", "ok", "output"):
        left, right = getattr(one, name), getattr(other, name)
        if left != right:
            found.append(Difference(name, *(MISSING if value is None else value for value in (left, right))))
    return found
