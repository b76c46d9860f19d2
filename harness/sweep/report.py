"""What a sweep has shown, as a table for a terminal or a pull request, as CSV, or as JSON. Pure."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import Any

from agent.jsonio import dumps
from harness.report.figures import plural
from harness.report.text import visible_line
from harness.sweep.sweep import SAYS, Swept
from harness.sweep.tally import Broken, Example

_HEADERS = ("recording", "calls", "turns", "cases", "laws held", "first counter-example")
_ALIGN = ("left", "right", "right", "right", "right", "left")
_COLUMNS = ("path", "calls", "turns", "bytes", "cases", "laws", "broken", "law", "call", "case", "reason")


def text(results: Sequence[Swept], seed: int, *, quiet: bool = False) -> str:
    """A table, a line for each broken law, and the totals. `quiet` leaves out the files that hold all laws."""
    from tabulate import tabulate

    shown = [swept for swept in results if not quiet or swept.fault or swept.broken]
    rows = [[visible_line(cell) for cell in _cells(swept)] for swept in shown]
    lines = []
    if rows:
        table = tabulate(rows, headers=_HEADERS, disable_numparse=True, colalign=_ALIGN, preserve_whitespace=True)
        lines = [*(line.rstrip() for line in table.splitlines()), ""]
    for heading, *rest in (detail for swept in shown for detail in _details(swept)):
        lines += [visible_line(heading), *(f"  {visible_line(line)}" for line in rest)]
    return "\n".join([*lines, _totals(results, seed), ""])


def markdown(results: Sequence[Swept], seed: int, *, quiet: bool = False) -> str:
    """The same for a pull request."""
    shown = [swept for swept in results if not quiet or swept.fault or swept.broken]
    lines = []
    if shown:
        marks = [":--" if side == "left" else "--:" for side in _ALIGN]
        lines = [_row(_HEADERS), _row(marks), *(_row(_cells(swept)) for swept in shown), ""]
    details = [detail for swept in shown for detail in _details(swept)]
    for heading, *rest in details:
        lines += [f"- {_escaped(heading)}", *(f"  - {_escaped(line)}" for line in rest)]
    lines += [""] if details else []
    return "\n".join([*lines, _totals(results, seed), ""])


def as_csv(results: Sequence[Swept], seed: int, *, quiet: bool = False) -> str:
    """A line for each broken law of a file, one for a file without any."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow([*_COLUMNS, "seed"])
    for swept in results:
        tally = swept.tally
        head = [str(swept.path), swept.calls, swept.turns, swept.size, tally.cases.total(), len(tally.checked)]
        broken = [
            [one.law, one.first.stream.call, one.first.case.says(), one.first.reason] for one in swept.broken
        ] or [["", "", "", swept.fault or ""]]
        if not quiet or swept.fault or swept.broken:
            writer.writerows([*head, len(swept.broken), *row, seed] for row in broken)
    return out.getvalue()


def as_json(results: Sequence[Swept], seed: int, *, quiet: bool = False) -> str:
    """One object a line, the last with the totals; docs/sweep.md describes the fields."""
    shown = [swept for swept in results if not quiet or swept.fault or swept.broken]
    lines: list[dict[str, Any]] = [_data(swept) for swept in shown]
    lines.append({"totals": _sums(results), "seed": seed})
    return "".join(dumps(line).decode() + "\n" for line in lines)


FORMATS: dict[str, Callable[..., str]] = {"text": text, "markdown": markdown, "csv": as_csv, "json": as_json}


def _cells(swept: Swept) -> list[str]:
    if swept.fault is not None:
        return [str(swept.path), "", "", "", "", f"cannot be used: {swept.fault}"]
    tally = swept.tally
    laws = len(tally.checked)
    found = swept.broken[0] if swept.broken else None
    what = "" if found is None else f"{found.law}: {found.first.case.says()}"
    held = f"{laws - len(tally.broken)} of {laws}" if laws else ""
    return [str(swept.path), str(swept.calls), str(swept.turns), f"{tally.cases.total():,}", held, what]


def _details(swept: Swept) -> list[list[str]]:
    """For each broken law a heading and what is to be said of it; for calls that cannot be swept a heading."""
    found = [_detail(swept, broken) for broken in swept.broken]
    return [*found, *([f"left out: {swept.path}, {what}"] for what in swept.left_out)]


def _detail(swept: Swept, broken: Broken) -> list[str]:
    first = broken.first
    lines = [
        f"BROKEN {swept.path}, call {first.stream.call}, {broken.law}: {SAYS[broken.law]}",
        f"first of {plural(broken.times, 'case')}: {first.case.says()}: {first.reason}",
    ]
    if broken.small is not None:
        lines.append(f"smallest: {_size(broken.small)}, {broken.small.case.says()}: {broken.small.reason}")
    return lines


def _size(example: Example) -> str:
    frames = plural(len(example.stream.pieces), "frame") if example.stream.framed else "a body"
    return f"{frames} of {len(example.stream.body):,} bytes"


def _sums(results: Sequence[Swept]) -> dict[str, Any]:
    laws = {law for swept in results for law in swept.tally.checked}
    return {
        "files": len(results),
        "unusable": sum(swept.fault is not None for swept in results),
        "calls": sum(swept.calls for swept in results),
        "turns": sum(swept.turns for swept in results),
        "bytes": sum(swept.size for swept in results),
        "cases": sum(swept.tally.cases.total() for swept in results),
        "laws": [law for law in SAYS if law in laws],
        "broken": [law for law in SAYS if any(law in swept.tally.broken for swept in results)],
    }


def _totals(results: Sequence[Swept], seed: int) -> str:
    sums = _sums(results)
    laws, broken = len(sums["laws"]), sums["broken"]
    verdict = f"{len(broken)} of {plural(laws, 'law')} broken" if broken else f"{plural(laws, 'law')}, all held"
    parts = [plural(sums["files"], "file"), plural(sums["calls"], "call"), plural(sums["turns"], "turn")]
    unusable = f" · {sums['unusable']} unusable" if sums["unusable"] else ""
    return f"{verdict} · {plural(sums['cases'], 'case')} · {', '.join(parts)}{unusable} · seed {seed}"


def _data(swept: Swept) -> dict[str, Any]:
    tally = swept.tally
    return {
        "path": str(swept.path),
        "calls": swept.calls,
        "turns": swept.turns,
        "bytes": swept.size,
        "cases": {part: dict(sorted(found.cases.items())) for part, found in swept.tallies.items()},
        "laws": {
            law: {"checked": tally.checked[law], "broken": tally.broken[law].times if law in tally.broken else 0}
            for law in SAYS
            if law in tally.checked
        },
        "broken": [
            {
                "law": broken.law,
                "times": broken.times,
                "first": _example(broken.first),
                "smallest": _example(broken.small),
            }
            for broken in swept.broken
        ],
        "left_out": swept.left_out,
        "fault": swept.fault,
    }


def _example(example: Example | None) -> dict[str, Any] | None:
    if example is None:
        return None
    return {
        "call": example.stream.call,
        "case": example.case.says(),
        "reason": example.reason,
        "frames": len(example.stream.pieces) if example.stream.framed else None,
        "bytes": len(example.stream.body),
    }


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_escaped(cell) for cell in cells) + " |"


def _escaped(cell: str) -> str:
    line = visible_line(cell)
    for mark in "\\`*_<>[]|":
        line = line.replace(mark, f"\\{mark}")
    return line
