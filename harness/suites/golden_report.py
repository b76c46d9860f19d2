"""What `harness suite accept` did, as a report. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from harness.report.report import Block, Details, Report

if TYPE_CHECKING:
    from harness.suites.accept import Golden

_ORDER = ("added", "changed", "unchanged", "removed", "error")
_COLUMNS = ("suite", "case", "golden", "what", "difference")


def golden_report(goldens: Sequence[Golden], *, written: bool) -> Report:
    """`written`: the files are what they are to be, but for errors."""
    shown = [golden for golden in goldens if golden.what != "unchanged"]
    blocks: list[Block] = [Details(_said(golden), golden.lines) for golden in shown]
    counts = {what: sum(golden.what == what for golden in goldens) for what in _ORDER}
    summary = ", ".join(f"{number:,} {what}" for what, number in counts.items() if number)
    blocks.append(summary if written else f"{summary} · nothing is written")
    rows = [
        (golden.suite, golden.case or "", golden.path.as_posix(), golden.what, line)
        for golden in goldens
        for line in golden.lines or ("",)
    ]
    data = {
        "written": written,
        "goldens": [
            {
                "suite": golden.suite,
                "case": golden.case,
                "path": golden.path.as_posix(),
                "what": golden.what,
                "lines": [*golden.lines],
            }
            for golden in goldens
        ],
        "totals": counts,
    }
    return Report(blocks, data, _COLUMNS, rows)


def _said(golden: Golden) -> str:
    word = "ERROR" if golden.what == "error" else golden.what
    case = "" if golden.case is None else f" ({golden.suite}: {golden.case})"
    return f"{word} {golden.path.as_posix()}{case}"
