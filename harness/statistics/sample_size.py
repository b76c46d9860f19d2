"""How many tasks it would take to show a difference of a given size."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, exp, fsum, lgamma, log, sqrt
from statistics import NormalDist

from harness.statistics.intervals import normal_quantile
from harness.statistics.pairs import fewest_pairs

_EXACT = 500
"""Up to so many pairs, by the approximation, the exact number is searched."""


def tasks_needed(p_discordant: float, share: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Pairs with which the exact McNemar test shows a difference at `alpha` with probability `power`.

    `p_discordant`: how often a pair is discordant; `share`: how often a discordant pair goes to the one side. Taken
    from a small sample both are uncertain, and so is the answer. None where there is no difference to show.

    Up to about 500 pairs it is the smallest number whose exact power reaches `power`; beyond, Connor's approximation
    (1987, Biometrics 43, p. 207) plus 1 / |difference|, since the exact test is stricter than the one approximated:
    within 2 percent of the exact number, and up to 12 percent above it where discordant pairs are rare and all go one
    way. ValueError for probabilities outside their range.
    """
    _check(alpha, power)
    if not (0 <= p_discordant <= 1 and 0 <= share <= 1):
        raise ValueError(f"p_discordant {p_discordant} and share {share} must lie between 0 and 1")
    difference = p_discordant * abs(2 * share - 1)
    if not difference:
        return None
    quantile, beyond = normal_quantile(1 - alpha), NormalDist().inv_cdf(power)
    spread = sqrt(p_discordant - difference * difference)
    approximate = ((quantile * sqrt(p_discordant) + beyond * spread) / difference) ** 2 + 1 / difference
    if approximate <= _EXACT:
        rejecting = rejection_chances(2 * _EXACT, share, alpha)
        for pairs in range(fewest_pairs(alpha), len(rejecting)):
            if mcnemar_power(pairs, p_discordant, rejecting) >= power:
                return pairs
    return ceil(approximate)


def mcnemar_power(pairs: int, p_discordant: float, rejecting: Sequence[float]) -> float:
    """Probability that the exact McNemar test on so many pairs shows a difference.

    `rejecting[d]` is that probability given d discordant pairs, from `rejection_chances`.
    """
    return fsum(_binomial(pairs, d, p_discordant) * rejecting[d] for d in range(pairs + 1) if rejecting[d])


def rejection_chances(most: int, share: float, alpha: float) -> list[float]:
    """For 0 to `most` discordant pairs the probability of p <= alpha, where a pair goes to one side with `share`.

    p <= alpha where at most `edge` pairs go to either side. The edge grows by 0 or 1 with each pair, and a lower tail
    follows from the one before: P(X <= e | n + 1) = P(X <= e | n) - s * P(X = e | n).
    """
    chances = [0.0] * (most + 1)
    start = fewest_pairs(alpha)
    edge = 0
    tails = {s: _binomial(start, 0, s) for s in (0.5, share, 1 - share)}
    for discordant in range(start, most + 1):
        if discordant > start:
            for s in tails:
                tails[s] -= s * _binomial(discordant - 1, edge, s)
            if 2 * (tails[0.5] + _binomial(discordant, edge + 1, 0.5)) <= alpha:
                edge += 1
                for s in tails:
                    tails[s] += _binomial(discordant, edge, s)
        chances[discordant] = min(1.0, tails[share] + tails[1 - share])
    return chances


def tasks_needed_for_mean(mean: float, deviation: float, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Tasks with which a paired t test shows a mean difference, `deviation` being the differences' standard deviation.

    (z_a + z_b)^2 (deviation / mean)^2 + z_a^2 / 2: the normal formula with Guenther's term for the t distribution
    (1981, The American Statistician 35, p. 243), within 1 of the exact number. Never fewer than the sign-flip test
    needs to give p <= alpha. None where the mean is 0. ValueError for a negative deviation.
    """
    _check(alpha, power)
    if deviation < 0:
        raise ValueError(f"standard deviation {deviation}")
    if not mean:
        return None
    quantile, beyond = normal_quantile(1 - alpha), NormalDist().inv_cdf(power)
    needed = ((quantile + beyond) * deviation / mean) ** 2 + quantile * quantile / 2
    return max(ceil(needed), fewest_pairs(alpha))


def _check(alpha: float, power: float) -> None:
    if not (0 < alpha < 1 and 0 < power < 1):
        raise ValueError(f"alpha {alpha} and power {power} must lie between 0 and 1")


def _binomial(n: int, k: int, p: float) -> float:
    """P(X = k) for X binomial(n, p)."""
    if p in (0.0, 1.0):
        return float(k == n * p)
    ways = lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1)
    return exp(ways + k * log(p) + (n - k) * log(1 - p))
