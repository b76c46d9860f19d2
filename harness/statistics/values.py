"""Cost, tokens and time over tasks with repeats, and the verdict on two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum, sqrt
from typing import Literal, SupportsFloat

from harness.statistics.bootstrap import FEWEST, RESAMPLES, PairedIntervals, mean, paired_bootstrap
from harness.statistics.intervals import Interval
from harness.statistics.pairs import least_p
from harness.statistics.sample_size import tasks_needed_for_mean
from harness.statistics.sign_flip import sign_flip

Values = Sequence[Sequence[SupportsFloat | None]]
"""One list a task, of its repeats' values; None where a value is unknown."""

ValueVerdict = Literal["less", "more", "no difference shown"]


@dataclass(frozen=True, slots=True)
class ValueComparison:
    """The second against the first, over the tasks with a value on both sides; a task's value is its repeats' mean."""

    tasks: int
    unknown: int
    """Tasks without a known value on one side: they are in none of the figures here."""
    first: float | None
    second: float | None
    difference: float | None
    interval: Interval | None
    ratio: float | None
    """second / first; None where the first is not above 0."""
    ratio_interval: Interval | None
    deviation: float | None
    """Standard deviation of the tasks' differences."""
    p: float
    """Of the sign-flip test on the tasks' differences."""
    adjusted_p: float
    """The same after Holm's correction; equal to `p` where only two are compared."""
    alpha: float
    family: int = 1
    """How many comparisons are corrected together; the intervals are not."""

    @property
    def verdict(self) -> ValueVerdict:
        if self.adjusted_p > self.alpha or not self.difference:
            return "no difference shown"
        return "less" if self.difference < 0 else "more"

    @property
    def least_p(self) -> float:
        """The smallest p that so many tasks could have given."""
        return least_p(self.tasks)

    @property
    def could_show(self) -> bool:
        """Whether so many tasks could have shown a difference: the first step of Holm's method asks for alpha / m."""
        return self.least_p * self.family <= self.alpha

    def tasks_needed(self, power: float = 0.8) -> int | None:
        """Tasks it would take to show the difference, were mean and deviation those seen; None where none was seen.
        Where several are corrected together, at `alpha` / their number."""
        if self.difference is None or self.deviation is None:
            return None
        return tasks_needed_for_mean(self.difference, self.deviation, self.alpha / self.family, power)

    def corrected(self, adjusted_p: float, family: int) -> ValueComparison:
        return replace(self, adjusted_p=adjusted_p, family=family)


def compare_values(
    first: Values, second: Values, *, alpha: float = 0.05, seed: int = 0, count: int = RESAMPLES
) -> ValueComparison:
    """Paired comparison over tasks: the sign-flip test decides, bootstrap intervals of 1 - alpha tell the size; None of
    too few tasks.

    `first` and `second` hold the same tasks in the same order; Decimals are taken as floats. ValueError otherwise.
    `count`: resamples of the bootstrap.
    """
    both = [
        (a, b)
        for a, b in zip(map(_task_value, first), map(_task_value, second), strict=True)
        if a is not None and b is not None
    ]
    one, other = [a for a, _ in both], [b for _, b in both]
    margins = [b - a for a, b in both]
    known = bool(both)
    base = mean(one) if known else None
    difference = mean(margins) if known else None
    intervals = PairedIntervals(None, None)
    if len(both) >= FEWEST:
        intervals = paired_bootstrap(one, other, confidence=1 - alpha, seed=seed, count=count)
    p = sign_flip(margins, seed=seed)
    return ValueComparison(
        tasks=len(both),
        unknown=len(first) - len(both),
        first=base,
        second=mean(other) if known else None,
        difference=difference,
        interval=intervals.difference,
        ratio=fsum(other) / fsum(one) if base and base > 0 else None,
        ratio_interval=intervals.ratio,
        deviation=_deviation(margins),
        p=p,
        adjusted_p=p,
        alpha=alpha,
    )


def _task_value(repeats: Sequence[SupportsFloat | None]) -> float | None:
    known = [float(value) for value in repeats if value is not None]
    return mean(known) if known else None


def _deviation(values: Sequence[float]) -> float | None:
    if len(values) < 2:
        return None
    middle = mean(values)
    return sqrt(fsum((value - middle) ** 2 for value in values) / (len(values) - 1))
