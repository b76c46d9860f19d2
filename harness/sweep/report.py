"""What a sweep has shown. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.report.figures import plural
from harness.report.report import Details, Report, Table
from harness.sweep.sweep import SAYS, Swept
from harness.sweep.tally import Broken, Example

_HEADERS = ("recording", "calls", "turns", "cases", "laws held", "first counter-example")
_COLUMNS = ("path", "calls", "turns", "bytes", "cases", "laws", "broken", "law", "call", "case", "reason", "seed")


def report(results: Sequence[Swept], seed: int, *, quiet: bool = False) -> Report:
    """A table, a line for each broken law, and the totals. `quiet` leaves out the files that hold all laws."""
    shown = [swept for swept in results if not quiet or swept.fault or swept.broken]
    return Report(
        [
            Table(_HEADERS, [_cells(swept) for swept in shown], right=_HEADERS[1:5], title="Recordings"),
            *(detail for swept in shown for detail in _details(swept)),
            _totals(results, seed),
        ],
        {"files": [_data(swept) for swept in shown], "totals": _sums(results), "seed": seed},
        _COLUMNS,
        [[*row, seed] for swept in shown for row in _rows(swept)],
    )


def _rows(swept: Swept) -> list[list[object]]:
    """A row for each broken law of a file, one for a file without any."""
    tally = swept.tally
    head = [str(swept.path), swept.calls, swept.turns, swept.size, tally.cases.total(), len(tally.checked)]
    found = [[one.law, one.first.stream.call, one.first.case.says(), one.first.reason] for one in swept.broken]
    return [[*head, len(swept.broken), *row] for row in found or [["", "", "", swept.fault or ""]]]


def _cells(swept: Swept) -> list[str]:
    if swept.fault is not None:
        return [str(swept.path), "", "", "", "", f"cannot be used: {swept.fault}"]
    tally = swept.tally
    laws = len(tally.checked)
    found = swept.broken[0] if swept.broken else None
    what = "" if found is None else f"{found.law}: {found.first.case.says()}"
    held = f"{laws - len(tally.broken)} of {laws}" if laws else ""
    return [str(swept.path), str(swept.calls), str(swept.turns), f"{tally.cases.total():,}", held, what]


def _details(swept: Swept) -> list[Details]:
    """What is to be said of each broken law, and of the calls that cannot be swept."""
    found = [_detail(swept, broken) for broken in swept.broken]
    return [*found, *(Details(f"left out: {swept.path}, {what}") for what in swept.left_out)]


def _detail(swept: Swept, broken: Broken) -> Details:
    first = broken.first
    lines = [f"first of {plural(broken.times, 'case')}: {first.case.says()}: {first.reason}"]
    if broken.small is not None:
        lines.append(f"smallest: {_size(broken.small)}, {broken.small.case.says()}: {broken.small.reason}")
    return Details(f"BROKEN {swept.path}, call {first.stream.call}, {broken.law}: {SAYS[broken.law]}", lines)


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
