"""The timing of a trajectory, to scale: a row for each call and tool, idle time between them cut out and said. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from harness.page.shell import escaped
from harness.report.call_facts import CallFacts
from harness.report.figures import seconds
from harness.report.phrases import GOOD_ENDINGS

_LONG = 0.5
"""Idle time is cut out where it is more than this part of the time in which something ran."""

_CUT = 3.0
"""Percent of the width that a gap takes which was cut out."""


@dataclass(slots=True, frozen=True)
class Bar:
    """One row. `start`, `first` (first bytes) and `end` in seconds since the recording began; `end` None: it is not
    known. `took`: as it is told elsewhere. A row without a start is a heading. `depth`: how far it is set in."""

    href: str
    label: str
    kind: str
    depth: int = 0
    start: float | None = None
    first: float | None = None
    end: float | None = None
    took: float | None = None


def call_bar(href: str, facts: CallFacts, depth: int) -> Bar:
    """The bar of a call."""
    start = facts.started
    first = None if start is None or facts.first_chunk is None else start + facts.first_chunk
    end = None if start is None or facts.duration is None else start + facts.duration
    retry = "" if facts.retry_of is None else f" (retry of {facts.retry_of})"
    status = "" if facts.status is None or facts.status == 200 else f" {facts.status}"
    kind = "call" if facts.ending in GOOD_ENDINGS else "failed"
    return Bar(href, f"call {facts.call}{retry}{status}", kind, depth, start, first, end, facts.duration)


def tool_bar(href: str, result: dict[str, Any], depth: int) -> Bar:
    """The bar of a tool: it ends when its result was told."""
    end, took = result["ended"], result["duration"]
    start = None if end is None or took is None else max(end - took, 0.0)
    return Bar(href, result["name"], "tool" if result["ok"] else "failed", depth, start, start, end, took)


_GAPS = 8
"""As many gaps are drawn in every row; of more a page would be made, and they are only told."""


class Scale:
    """Seconds to percent of the width. Long idle times are cut out: `gaps` has their place and length."""

    def __init__(self, spans: Sequence[tuple[float, float]]) -> None:
        busy = _joined(spans)
        self.begin = busy[0][0] if busy else 0.0
        self.end = busy[-1][1] if busy else 0.0
        ran = sum(end - start for start, end in busy) or 1e-9
        idle = [(one[1], other[0]) for one, other in pairwise(busy)]
        cut = [gap for gap in idle if gap[1] - gap[0] > _LONG * ran]
        width = min(_CUT, 30.0 / max(len(cut), 1))
        kept = max(self.end - self.begin - sum(end - start for start, end in cut), 1e-9)
        self._cut = cut
        self._width = width
        self._percent = (100.0 - width * len(cut)) / kept
        self.gaps = [(self.place(start), width, end - start) for start, end in cut]

    def place(self, at: float) -> float:
        """Percent from the left."""
        passed = at - self.begin
        shift = 0.0
        for start, end in self._cut:
            if at <= start:
                break
            inside = min(at, end) - start
            passed -= inside
            shift += self._width * inside / (end - start)
        return min(max(passed * self._percent + shift, 0.0), 100.0)


def _joined(spans: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    found: list[tuple[float, float]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def timing(bars: Sequence[Bar], ended: float | None = None) -> str:
    """The rows as links, each with its bar: light until the first bytes, full until the end; open where no end is
    recorded: it goes on to the time of the last record then, `ended`. Empty without rows."""
    if not bars:
        return ""
    times = [time for bar in bars for time in (bar.start, bar.first, bar.end) if time is not None]
    last = max([*times, *([] if ended is None else [ended])], default=0.0)
    timed = [(bar.start, last if bar.end is None else bar.end) for bar in bars if bar.start is not None]
    scale = Scale(timed)
    rows = [_row(bar, scale, last) for bar in bars]
    return "\n".join(
        ['<nav class="tj-time" aria-label="Outline and timing">', *([_axis(scale)] if timed else []), *rows, "</nav>"]
    )


def _axis(scale: Scale) -> str:
    marks = [
        f'<text x="0" y="11">{seconds(scale.begin)}</text>',
        f'<text x="100%" y="11" text-anchor="end">{seconds(scale.end)}</text>',
    ]
    note = ""
    if scale.gaps:
        more = f" and {len(scale.gaps) - 1:,} more" if len(scale.gaps) > 1 else ""
        grey = " (grey)" if len(scale.gaps) <= _GAPS else ""
        note = f'<p class="tj-idle soft">cut out{grey}: {seconds(scale.gaps[0][2])} idle{more}</p>'
    return (
        f'<div class="tj-row tj-axis"><span class="tj-label soft">since start</span>'
        f'<svg class="tj-bars" height="14" aria-hidden="true">{"".join(marks)}</svg><span class="tj-took"></span></div>'
        f"{note}"
    )


def _row(bar: Bar, scale: Scale, last: float) -> str:
    label = f'<span class="tj-label tj-depth{bar.depth}">{escaped(bar.label)}</span>'
    if bar.start is None:
        return f'<a class="tj-row tj-of-{bar.kind}" href="#{bar.href}">{label}</a>'
    end = last if bar.end is None else bar.end
    took = seconds(bar.took)
    first = end if bar.first is None else bar.first
    parts = [_rect(at, width, "gap") for at, width, _ in scale.gaps if len(scale.gaps) <= _GAPS]
    start = scale.place(bar.start)
    if first > bar.start:
        parts.append(_rect(start, scale.place(first) - start, "wait"))
        start = scale.place(first)
    if bar.first is not None:
        parts.append(_rect(start, scale.place(end) - start, "open" if bar.end is None else "run"))
    title = f"{bar.label}: at {seconds(bar.start)}, {took}"
    return (
        f'<a class="tj-row tj-of-{bar.kind}" href="#{bar.href}" title="{escaped(title)}">{label}'
        f'<svg class="tj-bars" height="14" aria-hidden="true">{"".join(parts)}</svg>'
        f'<span class="tj-took">{took}</span></a>'
    )


def _rect(left: float, width: float, name: str) -> str:
    return f'<rect class="{name}" x="{left:.3f}%" width="{max(width, 0.0):.3f}%" y="2" height="10"/>'
