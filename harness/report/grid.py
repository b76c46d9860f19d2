"""Tables for a terminal: no column is wider than its cells, wide characters count as shown."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import zip_longest

from harness.report.text import columns, fold, visible_line

_BETWEEN = 2
_NARROWEST = 12
"""Columns of texts are not made narrower than this."""
_MARKS = "/-_."
"""Paths and names of models are broken behind these."""


def grid(
    headers: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = (), width: int | None = None
) -> list[str]:
    """The lines: headers, a rule, a line for each row; columns named in `right` are aligned to the right.

    `width`: the columns of the terminal. In a table that is wider the widest texts are folded, so that it fits if it
    can; what is aligned to the right, figures, is left whole.
    """
    cells = [[visible_line(cell) for cell in row] for row in (headers, *rows)]
    figures = [header in right for header in headers]
    widths = [max(map(columns, column)) for column in zip(*cells, strict=True)]
    if width is not None:
        widths = _narrowed(widths, [columns(cell) for cell in cells[0]], figures, width)
    found: list[str] = []
    for row in cells:
        found += _lines([fold(cell, size, _MARKS) for cell, size in zip(row, widths, strict=True)], widths, figures)
    return [found[0], (" " * _BETWEEN).join("-" * size for size in widths), *found[1:]]


def _lines(folded: Sequence[Sequence[str]], widths: Sequence[int], figures: Sequence[bool]) -> Iterator[str]:
    """The lines of one row."""
    for parts in zip_longest(*folded, fillvalue=""):
        placed = []
        for part, size, is_figure in zip(parts, widths, figures, strict=True):
            room = " " * (size - columns(part))
            placed.append(room + part if is_figure else part + room)
        yield (" " * _BETWEEN).join(placed).rstrip()


def _narrowed(widths: Sequence[int], headers: Sequence[int], figures: Sequence[bool], width: int) -> list[int]:
    """One limit for all texts, the largest with which the table fits. Headers are not folded."""
    least = [
        size if is_figure else max(min(_NARROWEST, size), header)
        for size, header, is_figure in zip(widths, headers, figures, strict=True)
    ]
    room = width - _BETWEEN * (len(widths) - 1)
    limit = max(widths)
    while limit > _NARROWEST and sum(_held(widths, least, limit)) > room:
        limit -= 1
    return _held(widths, least, limit)


def _held(widths: Sequence[int], least: Sequence[int], limit: int) -> list[int]:
    return [max(min(size, limit), low) for size, low in zip(widths, least, strict=True)]
