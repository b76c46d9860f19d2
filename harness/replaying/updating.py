"""What today's adapters would make of an old recording: its events derived anew, and all that follows from them.

Requests and tool results are facts, and stay as they were. Where the loop would now go another way, or ask something
else, the recording cannot be updated: it has to be recorded again.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

from agent.jsonio import canonical, dumps
from agent.providers import WIRES
from agent.providers.base_url import TargetError
from harness.differences import value_differences
from harness.errors import HarnessError, RecordingError
from harness.recorder.totals import Totals
from harness.recording.contents import Call
from harness.recording.opening import Recording, assemble
from harness.recording.reader import RecordReader
from harness.recording.records import Record
from harness.recording.turns import RecordedTurn
from harness.replaying.derive import Derived, derive, first_difference, gap
from harness.replaying.rerun import rerun
from harness.replaying.rewriting import renumbered, with_events, write_file

_COURSE = ("tool_result", "finish", "error", "notice", "done")
"""Loop events that a recording holds."""


@dataclass(slots=True, frozen=True)
class EventChange:
    """An event that would be another, come or go. `frame`: of the new one, or of the one that goes; None is the end."""

    call: int
    frame: int | None
    recorded: dict[str, Any] | None
    derived: dict[str, Any] | None

    def says(self) -> list[str]:
        """In a line for each difference."""
        one, other = self.recorded, self.derived
        if one is not None and other is not None:
            return [f"{one.get('type')}: {each.say('derived')}" for each in value_differences(one, other)]
        sign, event = ("+", other) if one is None else ("-", one)
        return [f"{sign} {dumps(event).decode()}"]


@dataclass(slots=True)
class Updated:
    """One recording. `fault`: why it cannot be judged, or cannot be updated although there are changes."""

    path: Path
    changes: list[EventChange] = field(default_factory=list)
    fault: str | None = None
    written: bool = False

    @property
    def status(self) -> str:
        """`unchanged`, `would change`, `updated`, `record again` or `unusable`."""
        if self.fault is not None:
            return "record again" if self.changes else "unusable"
        return "updated" if self.written else "would change" if self.changes else "unchanged"


def update(path: Path, *, accept: bool) -> Updated:
    """What would change; with `accept` it is written in the place of the recording. No file makes it raise."""
    found = Updated(path)
    try:
        records = _read(path)
        recording = assemble(enumerate(records, 1), path)
        derived = {call.number: derived for call in recording.calls if (derived := _other_events(call, found.changes))}
        if derived:
            new = _follow(path, records, derived)
            if accept:
                write_file(path, new, _check, over=True)
                found.written = True
    except (HarnessError, TargetError) as error:
        found.fault = str(error)
    return found


def _read(path: Path) -> list[Record]:
    reader = RecordReader(path)
    records = [record for _, record in reader]
    damage = [fault for fault in reader.warnings if fault.what != "not_closed"]
    if damage:
        raise RecordingError(f"it is damaged: {damage[0]}", path, todo="repair it with `harness recover` first")
    return records


def _other_events(call: Call, changes: list[EventChange]) -> Derived | None:
    """The events of a call where they would be others, whose changes are added; None where they are as recorded."""
    missing = gap(call)
    if missing is not None:
        raise RecordingError(f"call {call.number}: {missing}")
    if call.wire not in WIRES or first_difference(call) is None:
        return None
    derived = derive(call)
    before = [(record["frame"], record["event"]) for record in call.event_records]
    changes += _changes(call.number, before, derived)
    return derived


def _changes(call: int, before: Derived, after: Derived) -> list[EventChange]:
    """Events that stand in one another's place are one change."""
    one, other = ([canonical(list(event)) for event in events] for events in (before, after))
    found = []
    for tag, start, end, first, last in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        for index in range(max(end - start, last - first)):
            old = before[start + index] if start + index < end else None
            new = after[first + index] if first + index < last else None
            frame = (new or old or (None,))[0]
            found.append(EventChange(call, frame, None if old is None else old[1], None if new is None else new[1]))
    return found


def _follow(path: Path, old: list[Record], derived: dict[int, Derived]) -> list[Record]:
    """The records with other events, and what the loop makes of them. Raises `RecordingError` where it would go another
    way."""
    records = with_events(old, derived)
    totals = Totals()
    totals.add_recorded(enumerate(records))
    records = [{**record, **totals.to_dict()} if record["kind"] == "end" else record for record in records]
    for _ in range(sum(record["kind"] == "turn" for record in records) + 1):
        recording = assemble(enumerate(records, 1), path)
        runs: list[RecordedTurn] = []
        difference = asyncio.run(rerun(recording, runs=runs)) if recording.turns else None
        if difference is None:
            return renumbered(records, old)
        again = _with_course(records, runs[-1])
        if again is None or again == records:
            raise RecordingError(f"the loop would go another way, so it has to be recorded again: {difference}")
        records = again
    raise RecordingError(f"the loop goes another way each time it runs: {difference}")


def _with_course(records: list[Record], run: RecordedTurn) -> list[Record] | None:
    """The records with what the loop said in a turn that ran again; None where it says something else than before."""
    turn = run.turn.number
    now = iter([event for event in run.seen if event.event in _COURSE])
    found: list[Record] = []
    for record in records:
        name = record["event"] if record["kind"] == "loop" else record["kind"]
        if record.get("turn") != turn or name not in _COURSE:
            found.append(record)
            continue
        event = next(now, None)
        if event is None or event.event != name:
            return None
        found.append(_said(record, event.data))
    return found if run.died or next(now, None) is None else None


def _said(record: Record, data: dict[str, Any]) -> Record:
    """A record with what the loop now says; what was paid, and what the tool gave, stays."""
    if record["kind"] == "tool_result":
        return {**record, "id": data["id"], "name": data["name"]}
    kept = {"cost_usd": record["data"]["cost_usd"]} if "cost_usd" in record["data"] else {}
    return {**record, "data": {**data, **kept}}


def _check(path: Path) -> None:
    """Raises `HarnessError` where what was written is no valid recording, or does not replay."""
    from harness.recording.opening import open as open_recording

    recording: Recording = open_recording(path, strict=True)
    difference = next(filter(None, map(first_difference, recording.calls)), None)
    if difference is None and recording.turns:
        difference = asyncio.run(rerun(recording))
    if difference is not None:
        raise HarnessError(f"nothing was written, as the result would not replay: {difference}")
