"""Derives the events of a recorded call anew from its bytes, and compares them with the recorded ones."""

from __future__ import annotations

from typing import Any

from agent.events import DecodeOptions, Event, to_dict
from agent.jsonio import canonical, dumps
from agent.response import Framer, ResponseDecoder, no_response
from harness.headers import header_value
from harness.matching import shorten
from harness.recorded import Call

Derived = list[tuple[int | None, dict[str, Any]]]
"""Events with the index of their frame; None for those from the end of the response."""


def derive(call: Call) -> Derived:
    """The events of a call of a known wire format. Where its end is missing, those up to there."""
    assert call.wire is not None
    died = call.end_record is None
    if call.response is None:
        return [] if died else [(None, to_dict(event)) for event in no_response(call.end, call.url)]
    decoder = ResponseDecoder(
        call.wire,
        status=call.response.status,
        headers=call.response.headers,
        call=call.number,
        options=DecodeOptions.from_dict(call.decode),
    )
    framer = Framer(call.response.content_type)
    found: Derived = []
    index = 0

    def add(frame: int | None, events: list[Event]) -> None:
        found.extend((frame, to_dict(event)) for event in events)

    overflowed = False
    for chunk in call.chunks():
        for frame in framer.feed(chunk):
            add(index, decoder.frame(frame))
            index += 1
        rest = framer.body(chunk)
        if framer.overflowed and not overflowed:
            overflowed = True
            add(None, decoder.overflow())
        elif rest and not overflowed:
            decoder.body(rest)
    if not died:
        for frame in framer.flush():
            add(index, decoder.frame(frame))
            index += 1
        add(None, decoder.finish(call.end))
    return found


def first_difference(call: Call) -> str | None:
    """How the events that today's adapters derive differ from the recorded ones: one line, None where they agree."""
    if call.wire is None or (call.response and header_value(call.response.headers, "content-encoding")):
        return None
    derived = derive(call)
    recorded = [(record["frame"], record["event"]) for record in call.event_records]
    if dumps(derived) == dumps(recorded):
        return None
    for index in range(max(len(derived), len(recorded))):
        one = recorded[index] if index < len(recorded) else None
        other = derived[index] if index < len(derived) else None
        if one is None or other is None or canonical(list(one)) != canonical(list(other)):
            return f"call {call.number}, event {index}: recorded {_show(one)}, derived {_show(other)}"
    return None


def _show(event: tuple[int | None, dict[str, Any]] | None) -> str:
    if event is None:
        return "nothing"
    where = "the end" if event[0] is None else f"frame {event[0]}"
    return f"{shorten(event[1], 120)} from {where}"
