"""Closed-form confidence intervals of a success rate and of the difference of two paired ones."""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist
from typing import NamedTuple


class Interval(NamedTuple):
    low: float
    high: float


def normal_quantile(confidence: float) -> float:
    """z with `confidence` of the standard normal between -z and z: 1.96 for 0.95. ValueError outside (0, 1)."""
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must lie between 0 and 1, not {confidence}")
    return -NormalDist().inv_cdf((1 - confidence) / 2)


def wilson(successes: float, n: int, confidence: float = 0.95) -> Interval | None:
    """Wilson's score interval (1927), without continuity correction; None for n = 0, where nothing is known.

    It takes the n trials to be independent. Repeats of one task are independent of each other, but runs of several
    tasks with repeats are not: there, `outcomes.success_rate` resamples whole tasks instead. `successes` need not be
    whole: a mean rate of n tasks times n is allowed. ValueError unless 0 <= successes <= n.
    """
    if n < 0 or not 0 <= successes <= n:
        raise ValueError(f"{successes} successes of {n} trials")
    z = normal_quantile(confidence)
    if n == 0:
        return None
    rate = successes / n
    middle = (successes + z * z / 2) / (n + z * z)
    half = z / (n + z * z) * sqrt(n * rate * (1 - rate) + z * z / 4)
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == n else min(1.0, middle + half)
    return Interval(min(low, rate), max(high, rate))


def newcombe(both: int, first_only: int, second_only: int, neither: int, confidence: float = 0.95) -> Interval | None:
    """Interval of the second success rate minus the first, over pairs; None without a pair.

    Newcombe's square-and-add of two Wilson intervals with the correlation of the pairs (Statistics in Medicine 17,
    1998, p. 2635, method 10: a positive correlation is lessened by n/2 in its numerator). The four counts are pairs
    in which both, only the first, only the second, neither succeeded.
    """
    n = both + first_only + second_only + neither
    if min(both, first_only, second_only, neither) < 0:
        raise ValueError("a count of pairs is negative")
    first = wilson(both + first_only, n, confidence)
    second = wilson(both + second_only, n, confidence)
    if first is None or second is None:
        return None
    first_rate, second_rate = (both + first_only) / n, (both + second_only) / n
    margins = (both + first_only) * (second_only + neither) * (both + second_only) * (first_only + neither)
    excess = float(both * neither - first_only * second_only)
    if excess > 0:
        excess = max(excess - n / 2, 0.0)
    correlation = excess / sqrt(margins) if margins else 0.0

    def reach(a: float, b: float) -> float:
        return sqrt(max(0.0, a * a - 2 * correlation * a * b + b * b))

    difference = second_rate - first_rate
    below = reach(second_rate - second.low, first.high - first_rate)
    above = reach(second.high - second_rate, first_rate - first.low)
    return Interval(max(-1.0, difference - below), min(1.0, difference + above))
