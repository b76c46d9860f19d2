"""A report as text for a terminal, as markdown for a pull request, as CSV, or as JSON. Pure.

The same report gives the same bytes. Text, markdown and JSON name the version of this program.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Sequence

from harness.report.grid import grid
from harness.report.report import Block, Details, Heading, Quoted, Report, Table
from harness.report.text import fold, harmless, visible_line

NAME = "trajectory-harness"
_NARROWEST = 20


def render(report: Report, form: str, version: str, width: int | None = None) -> str:
    """The report in one of `FORMATS`; it ends with a line feed. `version`: of this program. `width`: the columns in
    which sentences and tables of a text are folded."""
    return FORMATS[form](report, version, width)


def _text(report: Report, version: str, width: int | None) -> str:
    return _document((_text_block(block, width) for block in report.blocks), f"{NAME} {version}")


def _markdown(report: Report, version: str, width: int | None) -> str:
    return _document(map(_markdown_block, report.blocks), f"<sub>{NAME} {version}</sub>")


def _csv(report: Report, version: str, width: int | None) -> str:
    """The table alone: programs read it, so no line of another form stands in it. Control characters are escapes: they
    would steer a terminal, and click leaves colours out of what it pipes."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(report.headers)
    writer.writerows([harmless(cell) if isinstance(cell, str) else cell for cell in row] for row in report.rows)
    return out.getvalue()


def _json(report: Report, version: str, width: int | None) -> str:
    """One object; `harness` is the version of this program."""
    from agent.jsonio import dumps

    return dumps({"harness": version, **report.data}).decode() + "\n"


FORMATS: dict[str, Callable[[Report, str, int | None], str]] = {
    "text": _text,
    "markdown": _markdown,
    "csv": _csv,
    "json": _json,
}


def _document(blocks: Iterator[tuple[bool, list[str]]], last: str) -> str:
    """The blocks, each with whether a blank line sets it apart from others of its kind."""
    lines: list[str] = []
    apart = False
    for alone, block in blocks:
        if block:
            lines += ["", *block] if lines and (alone or apart) else block
            apart = alone
    return "\n".join([*lines, *([""] if lines else []), last, ""])


def _text_block(block: Block, width: int | None) -> tuple[bool, list[str]]:
    match block:
        case Heading(text):
            return True, [visible_line(text), "=" * len(visible_line(text))]
        case Table(headers=headers, rows=rows, right=right):
            return True, grid(headers, rows, right, width) if rows else []
        case Details(text, lines):
            return False, [*_folded(text, 0, width), *(part for line in lines for part in _folded(line, 2, width))]
        case Quoted(lines):
            return True, [f"    {visible_line(line)}".rstrip() for line in lines]
        case _:
            return True, _folded(block, 0, width)


def _folded(text: str, indent: int, width: int | None) -> list[str]:
    """A line, its further parts set in by two."""
    room = None if width is None else max(width - indent - 2, _NARROWEST)
    first, *rest = fold(visible_line(text), room)
    return [" " * indent + first, *(" " * (indent + 2) + part for part in rest)]


def _markdown_block(block: Block) -> tuple[bool, list[str]]:
    match block:
        case Heading(text):
            return True, [f"### {escaped(text)}"]
        case Table(headers=headers, rows=rows, right=right):
            marks = ["--:" if header in right else ":--" for header in headers]
            return True, [_row(headers), f"| {' | '.join(marks)} |", *map(_row, rows)] if rows else []
        case Details(text, lines):
            return False, [f"- {escaped(text)}", *(f"  - {escaped(line)}" for line in lines)]
        case Quoted(lines, language):
            shown = [visible_line(line) for line in lines]
            fence = "`" * max(3, 1 + max((len(run) for line in shown for run in _runs(line)), default=0))
            return True, [f"{fence}{language}", *shown, fence] if shown else []
        case _:
            return True, [escaped(block)]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(escaped, cells))} |"


def _runs(line: str) -> list[str]:
    """The runs of backticks in a line."""
    return "".join(character if character == "`" else " " for character in line).split()


def escaped(cell: str) -> str:
    """A text in one line of markdown, in which nothing of it is taken for markup."""
    line = visible_line(cell)
    for mark in "\\`*_<>[]|":
        line = line.replace(mark, f"\\{mark}")
    return line
