"""Paired outcomes and the exact test on them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

Outcomes = Sequence[Sequence[bool | None]]
"""One list a task, of its repeats in order: succeeded, failed, or None where no verdict could be computed."""

Unit = Literal["task", "repeat"]


class PairedOutcomes(NamedTuple):
    """Counts of pairs: won by the first, won by the second, drawn, and not comparable."""

    first: int
    second: int
    same: int
    unknown: int

    @property
    def known(self) -> int:
        return self.first + self.second + self.same

    @property
    def discordant(self) -> int:
        return self.first + self.second


def known_pairs(first: Outcomes, second: Outcomes) -> list[list[tuple[bool, bool]]]:
    """For each task the repeats that have a verdict on both sides, paired by number. ValueError if the tasks differ."""
    if len(first) != len(second):
        raise ValueError(f"{len(first)} tasks against {len(second)}")
    return [
        [(a, b) for a, b in zip(one, other, strict=False) if a is not None and b is not None]
        for one, other in zip(first, second, strict=True)
    ]


def paired_outcomes(first: Outcomes, second: Outcomes, unit: Unit = "task") -> PairedOutcomes:
    """Pairs of outcomes, one a task (the default) or one a task and repeat number.

    `task`: a task goes to the side that succeeded more often in it, over the repeats known on both sides (so both had
    equally many tries); equally often is `same`; a task without such a repeat is `unknown`. With one repeat a task
    this is McNemar's table, with more the sign test over tasks. It is the default because repeats of a task are
    alike: a hundred repeats of one task say much about that task and little about others.

    `repeat`: repeat i of the first against repeat i of the second. The test then speaks of these tasks only: that both
    have the same success rate in each of them. A repeat that the other side lacks is `unknown`.
    """
    counts = [0, 0, 0, 0]
    for task, one, other in zip(known_pairs(first, second), first, second, strict=True):
        margins = [b - a for a, b in task]
        if unit == "task":
            margins = [sum(margins)] if margins else []
            counts[3] += not margins
        else:
            counts[3] += max(len(one), len(other)) - len(margins)
        for margin in margins:
            counts[0 if margin < 0 else 1 if margin > 0 else 2] += 1
    return PairedOutcomes(*counts)


def mcnemar(b: int, c: int) -> float:
    """Two-sided p of the exact McNemar test: b and c discordant pairs, binomial with one half, twice the lesser tail.

    McNemar 1947 (Psychometrika 12), its exact conditional form (Fagerland, Lydersen and Laake 2013, BMC Medical
    Research Methodology 13:91). Capped at 1; 1 without a discordant pair. ValueError for negative counts.
    """
    if min(b, c) < 0:
        raise ValueError(f"{b} and {c} discordant pairs")
    n = b + c
    ways, term = 0, 1
    for i in range(min(b, c) + 1):
        ways += term
        term = term * (n - i) // (i + 1)
    return min(1.0, 2 * ways / (1 << n))


def least_p(pairs: int) -> float:
    """The smallest p that so many pairs can give, all discordant and to one side: 1/16 for 5, 1/32 for 6."""
    return mcnemar(pairs, 0)


def fewest_pairs(alpha: float) -> int:
    """How many pairs it takes at least for p <= alpha: 6 for 0.05. With fewer no difference can be shown at all."""
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, not {alpha}")
    pairs = 1
    while least_p(pairs) > alpha:
        pairs += 1
    return pairs
