"""Plots drawn as SVG: narrow enough for a phone, so that several stand side by side on a wide screen.

Lengths are in units of the drawing, which is as wide as `WIDTH`. Each row has its name and figure as text above its
bar or dot; colours and sizes of type are those of page.css.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from harness.page.plot import Axis, Bar, Bars, Dot, Dots, Plot
from harness.page.scale import Scale, scale
from harness.page.shell import escaped
from harness.report.text import columns

WIDTH = 400.0
_SIDE = 10.0
_ROW = 38.0
_TEXT = 13.0
_MARK = 25.0
"""Where in a row the base line of its text is, and the middle of its bar or dot."""
_THICK = 12.0
_FOOT = 36.0
_PAD = 4.0
"""From the ends of the axis to the texts of a row."""
_OPEN = 22.0
"""The length of what stands for an unknown rest."""
_LETTER = 6.6


def figure(plot: Plot, key: str) -> Iterator[str]:
    """The markup of a plot. `key`: begins its ids."""
    rows: Sequence[Bar | Dot] = plot.bars if isinstance(plot, Bars) else plot.dots
    height = len(rows) * _ROW + _FOOT
    yield '<figure class="plot">'
    yield f"<figcaption>{escaped(plot.title)}</figcaption>"
    yield f'<svg viewBox="0 0 {WIDTH:g} {height:g}" role="img" aria-labelledby="{key}-title {key}-desc">'
    yield f'<title id="{key}-title">{escaped(plot.title)}</title>'
    told = "; ".join(f"{row.name}: {row.says}" for row in rows)
    yield f'<desc id="{key}-desc">{escaped(f"{plot.axis.unit}. {told}")}</desc>'
    yield from _bars(plot) if isinstance(plot, Bars) else _dots(plot)
    yield "</svg>"
    yield from _key(plot)
    yield "</figure>"


def _bars(plot: Bars) -> Iterator[str]:
    room = _OPEN + 2 if any(bar.more for bar in plot.bars) else 0.0
    most = max((plot.least, *(sum(bar.parts) for bar in plot.bars)))
    axis = scale(0.0, most, _SIDE, WIDTH - _SIDE - room)
    yield from _grid(axis, plot.axis, len(plot.bars))
    for at, bar in enumerate(plot.bars):
        top = at * _ROW
        yield from _row(bar, top)
        end = 0.0
        for series, value in enumerate(bar.parts):
            if value > 0:
                said = f"{bar.name}, {plot.series[series]}: {_exact(value, plot.axis)}"
                yield _rect(axis.at(end), top, axis.at(end + value), plot.tones[series % len(plot.tones)], said)
                end += value
        if bar.more:
            start = axis.at(end) + (1 if end else 0)
            yield _rect(start, top, start + _OPEN, "open", f"{bar.name}: {plot.more or bar.says}")


def _dots(plot: Dots) -> Iterator[str]:
    ends = [end for dot in plot.dots for end in (dot.value, *(dot.interval or ())) if end is not None]
    low, high = plot.within or (min(0.0, *ends, 0.0), max(0.0, *ends, 0.0))
    axis = scale(low, high, _SIDE, WIDTH - _SIDE)
    yield from _grid(axis, plot.axis, len(plot.dots))
    for at, dot in enumerate(plot.dots):
        top = at * _ROW
        middle = top + _MARK
        yield from _row(dot, top)
        if dot.interval is not None:
            left, right = (axis.at(end) for end in dot.interval)
            path = f"M{left:.2f} {middle:g}H{right:.2f}M{left:.2f} {middle - 5:g}v10M{right:.2f} {middle - 5:g}v10"
            yield f'<path class="whisker" d="{path}"/>'
        if dot.value is not None:
            title = f"<title>{escaped(f'{dot.name}: {dot.says}')}</title>"
            yield f'<circle class="c1" cx="{axis.at(dot.value):.2f}" cy="{middle:g}" r="5">{title}</circle>'


def _grid(axis: Scale, about: Axis, rows: int) -> Iterator[str]:
    bottom = rows * _ROW
    for tick in axis.ticks():
        place = axis.at(tick)
        kind = "zero" if abs(tick) < axis.step / 1e6 else "grid"
        yield f'<path class="{kind}" d="M{place:.2f} 0V{bottom:g}"/>'
        said = f"{about.before}{axis.say(tick)}{about.after}"
        half = len(said) * _LETTER / 2
        place = min(max(place, half), WIDTH - half)
        yield f'<text class="tick" text-anchor="middle" x="{place:.2f}" y="{bottom + 14:g}">{escaped(said)}</text>'
    unit = f'<text class="tick" text-anchor="middle" x="{WIDTH / 2:g}" y="{bottom + 30:g}">'
    yield f"{unit}{escaped(about.unit)}</text>"


def _row(row: Bar | Dot, top: float) -> Iterator[str]:
    left = _SIDE + _PAD
    says = _cut(row.says, int((WIDTH - 2 * left) * 0.7 / _LETTER))
    room = int((WIDTH - 2 * left) / _LETTER) - columns(says) - 2
    base = top + _TEXT
    full = f"<title>{escaped(row.name)}</title>" if columns(row.name) > room else ""
    yield f'<text class="name" x="{left:g}" y="{base:g}">{full}{escaped(_cut(row.name, room))}</text>'
    yield f'<text class="says" text-anchor="end" x="{WIDTH - left:g}" y="{base:g}">{escaped(says)}</text>'


def _cut(text: str, room: int) -> str:
    """`text` in one line of about `room` columns; what is too long lacks its middle, for names often end alike or begin
    alike."""
    line = " ".join(text.split())
    if columns(line) <= room:
        return line
    half = max(room - 1, 2) // 2
    if not line.isascii():
        half = max(half * len(line) // columns(line), 1)
    return f"{line[:half]}…{line[-half:]}"


def _rect(left: float, top: float, right: float, kind: str, said: str) -> str:
    place = f'x="{left:.2f}" y="{top + _MARK - _THICK / 2:g}" width="{right - left:.2f}" height="{_THICK:g}"'
    return f'<rect class="{kind}" {place}><title>{escaped(said)}</title></rect>'


def _exact(value: float, axis: Axis) -> str:
    number = f"{value:,.0f}" if value == int(value) else f"{value:,.9f}".rstrip("0")
    return f"{axis.before}{number}{axis.after}"


def _key(plot: Plot) -> Iterator[str]:
    """What colours and dashes mean, and what is not drawn."""
    parts = []
    if isinstance(plot, Dots):
        if any(dot.interval is not None for dot in plot.dots):
            parts.append(escaped(plot.interval))
        elif plot.dots:
            parts.append("no interval is known")
    else:
        key = partial('<span class="key {}"></span>{}'.format)
        if len(plot.series) > 1:
            drawn = {at for bar in plot.bars for at, value in enumerate(bar.parts) if value > 0}
            parts += [key(plot.tones[at % len(plot.tones)], escaped(plot.series[at])) for at in sorted(drawn)]
        if any(bar.more for bar in plot.bars):
            parts.append(key("open", escaped(plot.more)))
        if plot.left_out:
            parts.append(f"{plot.left_out:,} more are not drawn")
    if parts:
        yield f'<p class="legend">{"".join(f"<span>{part}</span>" for part in parts)}</p>'
