"""Success rates over tasks with repeats, and the verdict on two of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import fsum
from typing import Literal

from harness.statistics.bootstrap import FEWEST, bootstrap_mean, mean
from harness.statistics.intervals import Interval, newcombe, wilson
from harness.statistics.pairs import Outcomes, PairedOutcomes, Unit, known_pairs, least_p, mcnemar, paired_outcomes
from harness.statistics.sample_size import tasks_needed

OutcomeVerdict = Literal["better", "worse", "no difference shown"]


@dataclass(frozen=True, slots=True)
class SuccessRate:
    """Mean over tasks of the share of known repeats that succeeded; null where no repeat of any task is known."""

    rate: float | None
    interval: Interval | None
    tasks: int
    """Tasks with a known repeat, all of which count in the rate."""
    unknown: int
    """Repeats without a verdict, and tasks without a repeat."""


@dataclass(frozen=True, slots=True)
class OutcomeComparison:
    """The second against the first. `verdict` speaks of the second and rests on `adjusted_p`."""

    pairs: PairedOutcomes
    p: float
    """Of the exact McNemar test on `pairs`."""
    adjusted_p: float
    """The same after Holm's correction; equal to `p` where only two are compared."""
    alpha: float
    difference: float | None
    """Success rate of the second minus the first's, as a mean over tasks of the repeats known on both sides."""
    interval: Interval | None
    """Of the difference; not corrected for several contenders."""
    family: int = 1
    """How many comparisons are corrected together."""

    @property
    def _agrees(self) -> bool:
        """Whether the rates point the same way as the pairs."""
        return (self.pairs.second - self.pairs.first) * (self.difference or 0.0) > 0

    @property
    def verdict(self) -> OutcomeVerdict:
        """`better` or `worse` only where the test shows it and the rates point the same way as the pairs."""
        if self.adjusted_p > self.alpha or not self._agrees:
            return "no difference shown"
        return "better" if self.pairs.second > self.pairs.first else "worse"

    @property
    def least_p(self) -> float:
        """The smallest p that so many pairs could have given."""
        return least_p(self.pairs.known)

    @property
    def could_show(self) -> bool:
        """Whether so many pairs could have shown a difference: the first step of Holm's method asks for alpha / m."""
        return self.least_p * self.family <= self.alpha

    def tasks_needed(self, power: float = 0.8) -> int | None:
        """Pairs it would take to show the difference, were the true shares those seen; None where none was seen, or
        the rates point the other way than the pairs. Where several are corrected together, at `alpha` / their number.
        """
        if not self._agrees:
            return None
        share = self.pairs.second / self.pairs.discordant
        return tasks_needed(self.pairs.discordant / self.pairs.known, share, self.alpha / self.family, power)

    def corrected(self, adjusted_p: float, family: int) -> OutcomeComparison:
        return replace(self, adjusted_p=adjusted_p, family=family)


def success_rate(tasks: Outcomes, *, confidence: float = 0.95, seed: int = 0) -> SuccessRate:
    """Success rate with its interval.

    One repeat a task, or one task alone: Wilson, whose independence holds there. Several tasks with repeats: the
    bootstrap over tasks (a cluster bootstrap), since repeats of a task are alike. Where that has too few tasks, or all
    have the same rate so that it sees no spread: Wilson with one trial a task, as if repeats added nothing, which is
    wide rather than narrow.
    """
    known = [[outcome for outcome in task if outcome is not None] for task in tasks]
    shares = [mean(task) for task in known if task]
    unknown = sum(outcome is None for task in tasks for outcome in task) + sum(not task for task in tasks)
    if not shares:
        return SuccessRate(None, None, 0, unknown)
    trials = sum(map(len, known))
    interval = None
    if len(shares) == 1:
        interval = wilson(sum(map(sum, known)), trials, confidence)
    elif trials > len(shares) and len(shares) >= FEWEST:
        interval = bootstrap_mean(shares, confidence=confidence, seed=seed)
    if interval is None:
        interval = wilson(fsum(shares), len(shares), confidence)
    return SuccessRate(mean(shares), interval, len(shares), unknown)


def compare_outcomes(
    first: Outcomes,
    second: Outcomes,
    *,
    unit: Unit = "task",
    alpha: float = 0.05,
    seed: int = 0,
) -> OutcomeComparison:
    """The exact paired test on two contenders' outcomes, with the difference in success rate and its 1 - alpha
    interval.

    `unit` says what a pair is, see `paired_outcomes`. The interval is Newcombe's where each task has one outcome (or
    the same pair of outcomes in all its repeats), and over the repeats of one task alone; else by the bootstrap over
    tasks, and None where that sees no spread or has too few of them.
    It tells the size of the difference; only the test decides. For more than two contenders, put the results through
    `holm.corrected`.
    """
    pairs = paired_outcomes(first, second, unit)
    p = mcnemar(pairs.first, pairs.second)
    tasks = [task for task in known_pairs(first, second) if task]
    margins = [mean([b - a for a, b in task]) for task in tasks]
    return OutcomeComparison(
        pairs=pairs,
        p=p,
        adjusted_p=p,
        alpha=alpha,
        difference=mean(margins) if margins else None,
        interval=_interval(tasks, margins, 1 - alpha, seed),
    )


def _interval(
    tasks: Sequence[Sequence[tuple[bool, bool]]], margins: Sequence[float], confidence: float, seed: int
) -> Interval | None:
    if len(tasks) > 1 and any(len(set(task)) > 1 for task in tasks):
        return bootstrap_mean(margins, confidence=confidence, seed=seed) if len(tasks) >= FEWEST else None
    cells = [task[0] for task in tasks] if len(tasks) > 1 else [pair for task in tasks for pair in task]
    return newcombe(
        both=cells.count((True, True)),
        first_only=cells.count((True, False)),
        second_only=cells.count((False, True)),
        neither=cells.count((False, False)),
        confidence=confidence,
    )
