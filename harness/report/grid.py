"""Tables for a terminal, made by `tabulate`: no column is wider than its cells, wide characters count as shown."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from harness.report.text import visible_line


def grid(headers: Sequence[str], rows: Sequence[Sequence[str]], right: Collection[str] = ()) -> list[str]:
    """The lines: headers, a rule, a line for each row; columns named in `right` are aligned to the right."""
    from tabulate import tabulate

    # As a row of their own the headers get no room beside them; the rule comes first and last then.
    cells = [[visible_line(cell) for cell in row] for row in (headers, *rows)]
    align = ["right" if header in right else "left" for header in headers]
    table = tabulate(cells, tablefmt="simple", disable_numparse=True, colalign=align, preserve_whitespace=True)
    rule, *lines, _ = (line.rstrip() for line in table.splitlines())
    return [lines[0], rule, *lines[1:]]
