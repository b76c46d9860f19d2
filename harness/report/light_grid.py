"""The table of `harness replay`: that of `grid`, but without loading `tabulate`, which takes as long as a replay."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import zip_longest

from harness.report.grid import BETWEEN, fitted
from harness.report.text import columns


def light_grid(
    headers: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = (), width: int | None = None
) -> list[str]:
    """The lines, as those of `grid`."""
    cells = fitted(headers, rows, right, width)
    widths = [max(columns(line) for cell in column for line in cell) for column in zip(*cells, strict=True)]
    found = []
    for row in cells:
        for parts in zip_longest(*row, fillvalue=""):
            placed = []
            for part, size, header in zip(parts, widths, headers, strict=True):
                room = " " * (size - columns(part))
                placed.append(room + part if header in right else part + room)
            found.append((" " * BETWEEN).join(placed).rstrip())
    return [found[0], (" " * BETWEEN).join("-" * size for size in widths), *found[1:]]
