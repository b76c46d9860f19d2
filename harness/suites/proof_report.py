"""What `harness suite prove` found, as a report. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.report.figures import plural
from harness.report.report import Block, Details, Report, Table

if TYPE_CHECKING:
    from harness.suites.prove import Half, Proved

WORDS = {"pass": "proved", "fail": "FAIL", "error": "ERROR", "open": "not proved"}
_COLUMNS = ("suite", "case", "status", "can_fail", "can_fail_by", "can_pass", "can_pass_by")


def proof_report(proofs: Sequence[Proved]) -> Report:
    rows = [
        [WORDS[one.status], one.case.suite, one.case.name, WORDS[one.can_fail.status], WORDS[one.can_pass.status]]
        for one in proofs
    ]
    blocks: list[Block] = [Table(("verdict", "suite", "case", "can fail", "can pass"), rows, title="Cases")]
    blocks += [
        Details(f"{WORDS[one.status]} {one.case.suite}: {one.case.name}", lines)
        for one in proofs
        if (lines := _lines(one))
    ]
    counts = {status: sum(one.status == status for one in proofs) for status in WORDS}
    parts = [f"{number:,} {WORDS[status]}" for status, number in counts.items() if number]
    blocks.append(f"{', '.join(parts)} · {plural(len(proofs), 'case')}")
    data = {"cases": [_data(one) for one in proofs], "totals": counts}
    return Report(blocks, data, _COLUMNS, [_row(one) for one in proofs])


def _lines(proved: Proved) -> list[str]:
    """What is to be said of a case: all that is not proved, and checks that say nothing by themselves."""
    halves = (("can fail", proved.can_fail), ("can pass", proved.can_pass))
    lines = [f"{name}: {half.by}" for name, half in halves if half.status != "pass"]
    if proved.idle and proved.can_fail.status == "pass":
        lines.append(f"pass although nothing was done: {', '.join(proved.idle)}")
    return lines


def _row(proved: Proved) -> Sequence[object]:
    return (
        proved.case.suite, proved.case.name, proved.status, proved.can_fail.status, proved.can_fail.by,
        proved.can_pass.status, proved.can_pass.by,
    )  # fmt: skip


def _data(proved: Proved) -> dict[str, Any]:
    return {
        "suite": proved.case.suite,
        "path": proved.case.file.as_posix(),
        "case": proved.case.name,
        "status": proved.status,
        "can_fail": _half(proved.can_fail),
        "can_pass": _half(proved.can_pass),
        "pass_with_nothing_done": [*proved.idle],
    }


def _half(half: Half) -> dict[str, str]:
    return {"status": half.status, "by": half.by}
