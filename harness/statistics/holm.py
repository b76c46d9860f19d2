"""Correction for several comparisons at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, Self, TypeVar


class Correctable(Protocol):
    """A comparison whose verdict can be taken again with a corrected p."""

    @property
    def p(self) -> float: ...

    def corrected(self, adjusted_p: float, family: int) -> Self: ...


Comparison = TypeVar("Comparison", bound=Correctable)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjusted p values in the order given: step-down, Holm 1979 (Scandinavian Journal of Statistics 6).

    The i-th smallest of m is multiplied by m - i + 1, made no smaller than the ones before it, and capped at 1. To
    reject where it is <= alpha keeps the chance of any false "better" among the m below alpha, however they depend.
    """
    adjusted = [0.0] * len(p_values)
    least = 0.0
    for rank, at in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[at]))
        adjusted[at] = least
    return adjusted


def corrected(comparisons: Sequence[Comparison]) -> list[Comparison]:
    """The comparisons of one family (several contenders, one measure) with verdicts by their Holm-adjusted p."""
    adjusted = holm([comparison.p for comparison in comparisons])
    return [comparison.corrected(p, len(adjusted)) for comparison, p in zip(comparisons, adjusted, strict=True)]
