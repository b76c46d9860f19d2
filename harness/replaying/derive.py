"""Derives the events of a recorded call anew from its bytes, and compares them with the recorded ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent.events import DecodeOptions, Event, Text, to_dict
from agent.jsonio import canonical, dumps
from agent.providers import WIRES
from agent.response import Framer, ResponseDecoder, no_response
from harness.errors import RecordingError
from harness.recorder.encodings import coding_of
from harness.recording.contents import Call
from harness.recording.records import Record
from harness.replaying.matching import shorten, value_differences

_AT_ONCE = 64

Derived = list[tuple[int | None, dict[str, Any]]]
"""Events with the index of their frame; None for those from the end of the response."""


def derive(call: Call) -> Derived:
    """The events of a call of a known wire format. Where its end is missing, those up to there.

    A body whose content coding was not undone gives none but those of its end.
    """
    return [(frame, to_dict(event)) for frame, event in _events(call)]


def _events(call: Call) -> list[tuple[int | None, Event]]:
    assert call.wire is not None
    died = call.end_record is None
    if call.response is None:
        return [] if died else [(None, event) for event in no_response(call.end, call.url)]
    decoder = ResponseDecoder(
        call.wire,
        status=call.response.status,
        headers=call.response.headers,
        call=call.number,
        options=DecodeOptions.from_dict(call.decode),
    )
    framer = Framer(call.response.content_type)
    found: list[tuple[int | None, Event]] = []
    index = 0
    overflowed = False
    for chunk in () if coding_of(call.response.headers) else _pieces(call):
        for frame in framer.feed(chunk):
            for event in decoder.frame(frame):
                found.append((index, event))
            index += 1
        rest = framer.body(chunk)
        if framer.overflowed and not overflowed:
            overflowed = True
            found += [(None, event) for event in decoder.overflow()]
        elif rest and not overflowed:
            decoder.body(rest)
    if not died or (call.frames and call.frames[-1].unterminated):
        for frame in framer.flush():
            found += [(index, event) for event in decoder.frame(frame)]
            index += 1
    if not died:
        found += [(None, event) for event in decoder.finish(call.end)]
    return found


def _pieces(call: Call) -> Iterator[bytes]:
    """The body of a response. How it is cut says nothing about its frames, so many go at once where all are frames."""
    if call.bodies:
        yield from call.chunks()
    else:
        for start in range(0, len(call.frames), _AT_ONCE):
            yield b"".join([part.raw for part in call.frames[start : start + _AT_ONCE]])


def first_difference(call: Call) -> str | None:
    """What of a call is missing, or how its events differ from what today's adapters derive; None where all agrees.

    Raises `RecordingError` for a wire format that is not known.
    """
    gap = _gap(call)
    if gap is not None:
        return f"call {call.number}: {gap}"
    if call.wire is None:
        return None
    if call.wire not in WIRES:
        raise RecordingError(f"call {call.number}: its wire format {call.wire!r} is none of {', '.join(WIRES)}")
    events = _events(call)
    if _agree(events, call.event_records):
        return None
    derived = [(frame, to_dict(event)) for frame, event in events]
    recorded = [(record["frame"], record["event"]) for record in call.event_records]
    if call.end_record is None:
        derived, recorded = _as_far_as_written(call, derived, recorded)
    if dumps(derived) == dumps(recorded):
        return None
    for index in range(max(len(derived), len(recorded))):
        one = recorded[index] if index < len(recorded) else None
        other = derived[index] if index < len(derived) else None
        if one is None or other is None or canonical(list(one)) != canonical(list(other)):
            return f"call {call.number}, event {index}: {_describe(one, other)}"
    return None


def _agree(events: list[tuple[int | None, Event]], records: list[Record]) -> bool:
    """Whether derived and recorded events are the same, told quickly; no may be said of some that are."""
    if len(events) != len(records):
        return False
    for (frame, event), record in zip(events, records, strict=True):
        recorded = record["event"]
        if record["frame"] != frame:
            return False
        if type(event) is Text and event.opaque is None:
            if recorded.get("text") != event.text or recorded.get("type") != "text" or len(recorded) != 2:
                return False
        elif dumps(to_dict(event)) != dumps(recorded):
            return False
    return True


def _gap(call: Call) -> str | None:
    """What is missing of the call's bytes: records, or a part that could not be recorded."""
    for kind, parts in (("frame", call.frames), ("body", call.bodies)):
        for index, part in enumerate(parts):
            if part.i != index:
                return f"{kind} {part.i} stands where {kind} {index} belongs"
    if call.end_record is not None:
        size = sum(len(part.raw) for part in (*call.frames, *call.bodies))
        if size != call.end_record["bytes"]:
            return f"{size} bytes of its response are recorded, {call.end_record['bytes']} came"
    return None


def _as_far_as_written(call: Call, derived: Derived, recorded: Derived) -> tuple[Derived, Derived]:
    """Both, of a recording that stops inside this call: the events of its last frame, or of its end, may not all have
    been written."""
    while len(recorded) > len(derived) and recorded[-1][0] is None:
        recorded = recorded[:-1]
    last = (None, len(call.frames) - 1)
    while len(derived) > len(recorded) and derived[-1][0] in last:
        derived = derived[:-1]
    return derived, recorded


def _describe(one: tuple[int | None, dict[str, Any]] | None, other: tuple[int | None, dict[str, Any]] | None) -> str:
    if one is not None and other is not None and one[0] == other[0]:
        return f"{one[1].get('type')}: {value_differences(one[1], other[1])[0].say('derived')}"
    return f"recorded {_show(one)}, derived {_show(other)}"


def _show(event: tuple[int | None, dict[str, Any]] | None) -> str:
    if event is None:
        return "nothing"
    where = "the end" if event[0] is None else f"frame {event[0]}"
    return f"{shorten(event[1], 120)} from {where}"
