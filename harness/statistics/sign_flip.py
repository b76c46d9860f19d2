"""Paired test on values such as cost, tokens and time: Fisher's permutation test of signs."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from math import fsum
from operator import getitem

from harness.statistics.draws import random_bytes

FLIPS = 10_000
_EXACT = 30
"""Up to so many tasks all sign patterns are counted, by the sums of two halves (2 * 2**15 of them)."""
_TIE = 1e-12
"""A sum this near the observed one, relative to the sum of all sizes, is a tie that rounding hides."""


def sign_flip(differences: Sequence[float], *, seed: int = 0, flips: int = FLIPS) -> float:
    """Two-sided p of no difference, from one difference a task: the share of sign patterns with a sum as far from 0.

    Fisher 1935 (The Design of Experiments, section 21): were both sides alike, each difference would as likely have the
    other sign. Exact up to 30 tasks that differ; beyond, `flips` seeded patterns, counted with the observed one among
    them (Phipson and Smyth 2010), which makes p valid and never 0. Few tasks show nothing here either: n of them give
    p >= 2 / 2**n.
    """
    moved = [value for value in differences if value]
    sizes = fsum(abs(value) for value in moved)
    reach = abs(fsum(moved)) - _TIE * sizes
    if reach <= 0:
        return 1.0
    if len(moved) <= _EXACT:
        return min(1.0, 2 * _at_least(moved, reach) / (1 << len(moved)))
    return (_far(moved, reach, seed, flips) + 1) / (flips + 1)


def _signed_sums(values: Sequence[float]) -> list[float]:
    """The sums of `values` under all sign patterns: pattern i takes value j as it is where bit j of i is set."""
    sums = [0.0]
    for value in values:
        sums = [total - value for total in sums] + [total + value for total in sums]
    return sums


def _at_least(values: Sequence[float], reach: float) -> int:
    """How many sign patterns sum to `reach` or more."""
    half = len(values) // 2
    others = sorted(_signed_sums(values[half:]))
    return sum(len(others) - bisect_left(others, reach - total) for total in _signed_sums(values[:half]))


def _far(values: Sequence[float], reach: float, seed: int, flips: int) -> int:
    """How many of `flips` random patterns have a sum of at least `reach` on either side; a byte gives eight signs."""
    padded = [*values, *[0.0] * (-len(values) % 8)]
    tables = [_signed_sums(padded[at : at + 8]) for at in range(0, len(padded), 8)]
    far = 0
    for flip in range(flips):
        total = fsum(map(getitem, tables, random_bytes(seed, flip, len(tables))))
        far += abs(total) >= reach
    return far
