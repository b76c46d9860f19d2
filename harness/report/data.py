"""The JSON form of one recording: its facts, and on request its frames and events."""

from __future__ import annotations

from typing import Any

from harness.recording.contents import Part
from harness.recording.opening import Recording
from harness.recording.records import bytes_fields
from harness.report.facts import recording_facts


def recording_data(
    recording: Recording, *, frames: bool = False, events: bool = False, only: int | None = None
) -> dict[str, Any]:
    """What `harness show --json` prints. `only`: of the calls nothing but this one."""
    data = recording_facts(recording).to_dict()
    if only is not None:
        data["calls"] = [call for call in data["calls"] if call["call"] == only]
    recorded = {call.number: call for call in recording.calls}
    for entry in data["calls"]:
        call = recorded[entry["call"]]
        if frames:
            entry["frame_list"] = [_part(part) for part in call.frames]
            entry["body_list"] = [_part(part) for part in call.bodies]
        if events:
            entry["event_list"] = [
                {"t": record.get("t"), "frame": record.get("frame"), "event": record["event"]}
                for record in call.event_records
            ]
    return data


def _part(part: Part) -> dict[str, Any]:
    """As in the recording; `cuts` null where the chunk ended with the frame."""
    return {"i": part.i, "t": part.t, "bytes": len(part.raw), "cuts": part.cuts, **bytes_fields(part.raw)}
