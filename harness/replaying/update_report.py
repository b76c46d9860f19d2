"""What `harness replay --update` has to tell. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from harness.replaying.updating import EventChange, Updated
from harness.report.figures import plural
from harness.report.report import Block, Details, Report, Table

_HEADERS = ("verdict", "recording", "calls", "events")
_COLUMNS = ("status", "path", "call", "frame", "recorded", "derived", "fault")
_SHOWN = 20
"""Lines of differences that are shown of a recording."""

_ORDER = ("unchanged", "would change", "updated", "record again", "unusable")


def update_report(results: Sequence[Updated], *, quiet: bool = False) -> Report:
    """A table of the recordings, each difference in a line, and the totals. `quiet` leaves out what is unchanged."""
    shown = [result for result in results if not quiet or result.status != "unchanged"]
    table = Table(_HEADERS, [_cells(result) for result in shown], right=_HEADERS[2:])
    blocks: list[Block] = [table, *(_details(result) for result in shown if result.status != "unchanged")]
    counts = Counter(result.status for result in results)
    totals = {status: counts[status] for status in _ORDER}
    parts = [f"{totals[status]} {status}" for status in _ORDER if totals[status]]
    blocks.append(f"{', '.join(parts)} · {plural(len(results), 'recording')}")
    if totals["would change"]:
        blocks.append("Nothing was written: add --accept to write what would change.")
    return Report(blocks, {"recordings": [_data(result) for result in shown], "totals": totals}, _COLUMNS, _rows(shown))


def _cells(result: Updated) -> list[str]:
    calls = len({change.call for change in result.changes})
    return [result.status, str(result.path), str(calls or ""), str(len(result.changes) or "")]


def _details(result: Updated) -> Details:
    lines = [f"call {change.call}, {_place(change)}: {line}" for change in result.changes for line in change.says()]
    if len(lines) > _SHOWN:
        lines = [*lines[:_SHOWN], f"and {len(lines) - _SHOWN} more (--json has all of them)"]
    if result.fault is not None:
        lines.append(result.fault)
    return Details(f"{result.status} {result.path}", lines)


def _place(change: EventChange) -> str:
    return "the end" if change.frame is None else f"frame {change.frame}"


def _rows(results: Sequence[Updated]) -> list[list[object]]:
    found: list[list[object]] = []
    for result in results:
        changes: Sequence[EventChange | None] = result.changes or [None]
        for change in changes:
            event = ["", "", "", ""] if change is None else [change.call, change.frame, *_json(change)]
            found.append([result.status, str(result.path), *event, result.fault or ""])
    return found


def _json(change: EventChange) -> list[str]:
    from agent.jsonio import dumps

    return ["" if event is None else dumps(event).decode() for event in (change.recorded, change.derived)]


def _data(result: Updated) -> dict[str, Any]:
    return {
        "path": str(result.path),
        "status": result.status,
        "changes": [
            {"call": change.call, "frame": change.frame, "recorded": change.recorded, "derived": change.derived}
            for change in result.changes
        ],
        "fault": result.fault,
    }
