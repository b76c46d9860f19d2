"""A plain table for the terminal. `tabulate` makes finer ones, and takes as long to load as all of a small replay."""

from __future__ import annotations

from collections.abc import Collection, Sequence


def columns(headers: Sequence[str], rows: Sequence[Sequence[object]], right: Collection[str] = ()) -> str:
    """Headers, a rule and rows in columns; those named in `right` are aligned to the right."""
    cells = [[*headers], *([_shown(str(cell)) for cell in row] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    cells.insert(1, ["-" * width for width in widths])
    lines = []
    for row in cells:
        padded = [
            cell.rjust(width) if header in right else cell.ljust(width)
            for cell, width, header in zip(row, widths, headers, strict=True)
        ]
        lines.append("  ".join(padded).rstrip())
    return "\n".join(lines)


def _shown(cell: str) -> str:
    """A cell in one line; a name may hold anything."""
    if cell.isprintable():
        return cell
    from harness.report.text import visible_line

    return visible_line(cell)
