"""The scale of an axis: its ends, its ticks at round numbers, and places on it. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, floor, log10

_STEPS = (1.0, 2.0, 5.0, 10.0)


@dataclass(slots=True, frozen=True)
class Scale:
    """`low` and `high` are drawn at `left` and `right`; `step`: from tick to tick."""

    low: float
    high: float
    step: float
    left: float
    right: float

    def at(self, value: float) -> float:
        """Where a value is drawn."""
        return self.left + (value - self.low) / (self.high - self.low) * (self.right - self.left)

    def ticks(self) -> list[float]:
        """The round numbers from `low` to `high`."""
        first, last = ceil(self.low / self.step - 1e-9), floor(self.high / self.step + 1e-9)
        return [number * self.step for number in range(first, last + 1)]

    def say(self, value: float) -> str:
        """A tick as a number with as many decimals as the step needs."""
        decimals = max(0, -floor(log10(self.step) + 1e-9))
        return f"{value:,.{decimals}f}".replace("-", "−") if round(value, decimals) else "0"


def scale(low: float, high: float, left: float, right: float, most: int = 5) -> Scale:
    """From a round number at or below `low` to one at or above `high`, with at most `most` steps."""
    if high <= low:
        high = low + 1.0
    step = _step((high - low) / most)
    while ceil(high / step - 1e-9) - floor(low / step + 1e-9) > most:
        step = _step(step * 1.001)
    return Scale(floor(low / step + 1e-9) * step, ceil(high / step - 1e-9) * step, step, left, right)


def _step(least: float) -> float:
    """The first of 1, 2, 5 times a power of ten that is not below `least`."""
    power = 10.0 ** floor(log10(least))
    return next(factor * power for factor in _STEPS if factor * power >= least * (1 - 1e-9))
