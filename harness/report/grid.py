"""Tables for a terminal, made by `tabulate`: no column is wider than its cells, wide characters count as shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from harness.report.text import columns, fold, visible_line

BETWEEN = 2
"""Blanks between two columns."""
_NARROWEST = 12
"""Columns of texts are not made narrower than this."""
_MARKS = "/-_."
"""Paths and names of models are broken behind these."""


def grid(
    headers: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = (), width: int | None = None
) -> list[str]:
    """The lines: headers, a rule, one or more lines for each row; columns named in `right` are aligned to the right.

    `width` as in `fitted`.
    """
    from tabulate import tabulate

    # As a row of their own the headers get no room beside them; the rule comes first and last then.
    cells = ["\n".join(lines) for row in fitted(headers, rows, right, width) for lines in row]
    many = len(headers)
    table = tabulate(
        [cells[at : at + many] for at in range(0, len(cells), many)],
        tablefmt="simple",
        disable_numparse=True,
        colalign=["right" if header in right else "left" for header in headers],
        preserve_whitespace=True,
    )
    rule, *lines, _ = (line.rstrip() for line in table.splitlines())
    return [lines[0], rule, *lines[1:]]


def fitted(
    headers: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = (), width: int | None = None
) -> list[list[list[str]]]:
    """The rows of a table, headers first, each cell as the lines that it takes.

    `width`: the columns of the terminal. In a table that is wider the widest texts are folded, so that it fits if it
    can; what is aligned to the right, figures, is left whole.
    """
    cells = [[visible_line(cell).rstrip() for cell in row] for row in (headers, *rows)]
    widths = [max(map(columns, column)) for column in zip(*cells, strict=True)]
    if width is not None:
        figures = [header in right for header in headers]
        widths = _narrowed(widths, [columns(cell) for cell in cells[0]], figures, width)
    return [[fold(cell, size, _MARKS) for cell, size in zip(row, widths, strict=True)] for row in cells]


def _narrowed(widths: Sequence[int], headers: Sequence[int], figures: Sequence[bool], width: int) -> list[int]:
    """One limit for all texts, the largest with which the table fits. Headers are not folded."""
    least = [
        size if is_figure else max(min(_NARROWEST, size), header)
        for size, header, is_figure in zip(widths, headers, figures, strict=True)
    ]
    room = width - BETWEEN * (len(widths) - 1)
    limit = max(widths)
    while limit > _NARROWEST and sum(_held(widths, least, limit)) > room:
        limit -= 1
    return _held(widths, least, limit)


def _held(widths: Sequence[int], least: Sequence[int], limit: int) -> list[int]:
    return [max(min(size, limit), low) for size, low in zip(widths, least, strict=True)]
