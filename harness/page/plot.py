"""What a plot shows, apart from how it is drawn. A value that is not known is drawn as nothing, never as 0."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(slots=True, frozen=True)
class Axis:
    """`unit`: what is counted, in words. `before`, `after`: what stands around a number at the axis, `$` or `%`."""

    unit: str
    before: str = ""
    after: str = ""


@dataclass(slots=True, frozen=True)
class Bar:
    """`says`: its figure in words, as tables have it. `parts`: one value for each series of its plot; none where
    nothing is known. `more`: there is more than that, of unknown length."""

    name: str
    says: str
    parts: Sequence[float] = ()
    more: bool = False


@dataclass(slots=True, frozen=True)
class Bars:
    """Bars from zero, each the sum of its parts. `left_out`: how many more there are. `least`: how far the axis goes
    however short the bars are.

    `more`: what the unknown part of a bar is, in words. `tones`: the colours of the series, where these mean something.
    """

    title: str
    axis: Axis
    series: Sequence[str]
    bars: Sequence[Bar]
    left_out: int = 0
    more: str = ""
    tones: Sequence[str] = ("c1", "c2", "c3", "c4", "c5", "c6")
    least: float = 0.0


@dataclass(slots=True, frozen=True)
class Dot:
    """A value, and the ends of its interval where one is known."""

    name: str
    says: str
    value: float | None
    interval: tuple[float, float] | None = None


@dataclass(slots=True, frozen=True)
class Dots:
    """Dots with whiskers. `within`: the ends of the axis; None is as the values need, zero included. `interval`: what
    the whiskers are, in words."""

    title: str
    axis: Axis
    dots: Sequence[Dot]
    within: tuple[float, float] | None = None
    interval: str = "whiskers: 95% interval"


Plot = Bars | Dots

DOLLARS = Axis("US dollars", before="$")
TOKENS = Axis("tokens")
SECONDS = Axis("seconds")

UNPRICED = "unpriced calls, whose cost is not known"
"""What the unknown part of a cost is."""

MOST = 24
"""The bars of a plot: what is more is counted below it, and stands in tables."""


def with_rows(plots: Iterable[Plot]) -> list[Plot]:
    """Those that have something to show: a value that is known."""
    return [plot for plot in plots if any(map(_known, plot.dots if isinstance(plot, Dots) else plot.bars))]


def _known(row: Bar | Dot) -> bool:
    return bool(row.parts) if isinstance(row, Bar) else row.value is not None
