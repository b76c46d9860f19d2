"""Derives the events of a recorded call anew from its bytes, and compares them with the recorded ones."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent.events import DecodeOptions, to_dict
from agent.jsonio import canonical, dumps
from agent.providers import WIRES
from agent.response import no_response
from agent.response_reader import Numbered, ResponseReader
from harness.differences import shorten, value_differences
from harness.errors import RecordingError
from harness.recorder.encodings import coding_of
from harness.recording.contents import Call

FIRST, _PIECE = 8, 1 << 15
"""Frames of the first piece, from which a decoder can learn what all look like, and bytes of the others, about."""

Derived = list[tuple[int | None, dict[str, Any]]]
"""Events in their JSON form, each with the number of its frame; None for those from the end of the response."""


def derive(call: Call) -> Derived:
    """The events of a call in their JSON form."""
    return [(frame, to_dict(event)) for frame, event in derived_events(call)]


def derived_events(call: Call, reader_type: type[ResponseReader] = ResponseReader) -> Numbered:
    """The events of a call of a known wire format. Where its end is missing, those up to there.

    A body whose content coding was not undone gives none but those of its end.
    """
    assert call.wire is not None
    died = call.end_record is None
    if call.response is None:
        return [] if died else [(None, event) for event in no_response(call.end, call.url)]
    reader = reader_type(
        call.wire,
        status=call.response.status,
        headers=call.response.headers,
        content_type=call.response.content_type,
        call=call.number,
        options=DecodeOptions.from_dict(call.decode),
    )
    found: Numbered = []
    for chunk in () if coding_of(call.response.headers) else _pieces(call):
        found += reader.feed(chunk)
    if not died:
        found += reader.finish(call.end)
    elif call.frames and call.frames[-1].unterminated:
        found += reader.flush()
    return found


def _pieces(call: Call) -> Iterator[bytes]:
    """The body of a response. How it is cut says nothing about its frames, so many go at once where all are frames."""
    if call.bodies:
        yield from call.chunks()
    else:
        raws = [part.raw for part in call.frames]
        many = 1 + _PIECE * len(raws) // (1 + sum(map(len, raws)))
        yield b"".join(raws[:FIRST])
        for start in range(FIRST, len(raws), many):
            yield b"".join(raws[start : start + many])


def first_difference(call: Call) -> str | None:
    """What of a call is missing, or how its events differ from what today's adapters derive; None where all agrees.

    Raises `RecordingError` for a wire format that is not known.
    """
    missing = gap(call)
    if missing is not None:
        return f"call {call.number}: {missing}"
    if call.wire is None:
        return None
    if call.wire not in WIRES:
        raise RecordingError(f"call {call.number}: its wire format {call.wire!r} is none of {', '.join(WIRES)}")
    derived = derive(call)
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


def gap(call: Call) -> str | None:
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
