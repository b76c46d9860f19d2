"""Takes what can be read out of a damaged recording: the work of `harness recover`.

The lines are read as tolerantly as `harness.recording.lines` can, the records put in order by
`harness.recording.mending`, events derived anew where the frames of a call no longer give the recorded ones, and the
totals counted anew.
"""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from agent.jsonio import dumps
from agent.providers import WIRES
from harness.errors import HarnessError, NewerVersion, RecordingError, UnreadableRecording
from harness.recorder.totals import Totals
from harness.recording.lines import Faults, blocks_of, read_objects
from harness.recording.mending import Numbered, mend
from harness.recording.opening import assemble
from harness.recording.opening import open as open_recording
from harness.recording.records import FORMAT, FORMAT_VERSION, Record, upgrade
from harness.replaying.derive import Derived, derive, first_difference
from harness.replaying.rewriting import renumbered, with_events

TAG = "recovered"


@dataclass(slots=True)
class Recovered:
    """A mended recording, and what was lost of it, a line each; nothing was where the file was whole."""

    path: Path
    records: list[Record]
    lost: list[str] = field(default_factory=list)


class _AllFaults(Faults):
    """Every fault by itself, however many there are."""

    def add(self, what: str, line: int | None, message: str) -> None:
        self.note(what, line, message)


def recover(path: Path) -> Recovered:
    """Read a recording and mend it; nothing is written.

    Raises `UnreadableRecording` where no record can be read, and `NewerVersion`.
    """
    faults = _AllFaults(path, strict=False)
    objects = _upgraded(list(read_objects(blocks_of(path, faults), faults)), path)
    found = Recovered(path, [], [str(fault) for fault in faults.found])
    records = mend(objects, found.lost)
    if not any(record["kind"] != "header" for _, record in records):
        raise UnreadableRecording("no record can be read", path, todo="record again")
    records = _with_header(records, path, found.lost)
    plain = _with_end(_with_events(records, path, found.lost), found.lost)
    if found.lost and TAG not in plain[0]["tags"]:
        plain[0] = {**plain[0], "tags": [*plain[0]["tags"], TAG]}
    found.records = renumbered(plain)
    return found


def check_whole(path: Path) -> None:
    """Raises `HarnessError` where a file is no recording that strict reading accepts."""
    try:
        open_recording(path, strict=True)
    except RecordingError as error:
        raise HarnessError(f"nothing was written, as the result would be no valid recording: {error.what}") from None


def _upgraded(objects: Numbered, path: Path) -> Numbered:
    header = next((record for _, record in objects if record.get("format") == FORMAT), {})
    found = header.get("version", FORMAT_VERSION)
    if not isinstance(found, int) or found < 1:
        return objects
    if found > FORMAT_VERSION:
        raise NewerVersion(
            f"format version {found} is newer than {FORMAT_VERSION}, the newest this program reads", path,
            todo="pip install -U trajectory-harness",
        )  # fmt: skip
    return [(line, upgrade(record, found)) for line, record in objects]


def _with_header(records: Numbered, path: Path, lost: list[str]) -> Numbered:
    if records[0][1]["kind"] == "header":
        return records
    lost.append("the header is lost: the id is new, and the time is the file's")
    began = path.stat().st_mtime - max(record["t"] for _, record in records)
    header: Record = {
        "kind": "header", "t": 0.0, "format": FORMAT, "version": FORMAT_VERSION, "id": str(uuid.uuid4()),
        "started_at": datetime.fromtimestamp(began, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "by": {"name": "trajectory-harness", "version": version("trajectory-harness")}, "source": TAG, "tags": [],
        "redaction": {"rules": []}, "normalizers": [],
    }  # fmt: skip
    return [(0, header), *records]


def _with_events(records: Numbered, path: Path, lost: list[str]) -> list[Record]:
    """Where something was lost: for calls whose bytes no longer give their recorded events, those they do give."""
    plain = [record for _, record in records]
    if not lost:
        return plain
    derived: dict[int, Derived] = {}
    for call in assemble(records, path).calls:
        if call.wire in WIRES and first_difference(call) is not None:
            derived[call.number] = derive(call)
            before = [dumps([record["frame"], record["event"]]) for record in call.event_records]
            after = [dumps([frame, event]) for frame, event in derived[call.number]]
            gone, new = (
                len([one for one in before if one not in after]),
                len([one for one in after if one not in before]),
            )
            lost.append(f"call {call.number}: events derived anew from its bytes ({gone} dropped, {new} added)")
    return with_events(plain, derived)


def _with_end(records: list[Record], lost: list[str]) -> list[Record]:
    """The totals last, counted anew."""
    last = records.pop() if records[-1]["kind"] == "end" else None
    if last is None:
        lost.append("the end record is missing: the process died, or the rest is lost; totals are counted anew")
    if not lost and last is not None:
        return [*records, last]
    totals = Totals()
    totals.add_recorded(enumerate(records))
    turns = max((record["turn"] for record in records if record["kind"] == "turn"), default=-1) + 1
    end = {**(last or {"kind": "end", "t": records[-1]["t"], "status": "error"}), "calls": totals.calls, "turns": turns}
    return [*records, end | totals.to_dict()]
