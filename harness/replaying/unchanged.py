"""Tells quickly that a recording replays as it was recorded. Of what differs it says nothing.

Three things make it quick. Event lines are not parsed: they are compared with what the writer makes of the events that
are derived now. A call of a turn is decoded once, where the loop runs again: those are the events that `derive` gives
too, as the decoder is given the same. And the loop gets pieces of text joined, which it joins itself.
"""

from __future__ import annotations

import asyncio
import re
from os import PathLike
from pathlib import Path
from typing import Any

from agent.events import EOF, DecodeOptions, End, Text, to_dict
from agent.jsonio import dumps
from agent.providers import WIRES
from agent.response_reader import Numbered, ResponseReader
from harness.recorder.encodings import coding_of
from harness.recording.contents import Call
from harness.recording.opening import Recording, assemble
from harness.recording.reader import RecordReader
from harness.replaying.derive import derived_events, gap

_EVENT_LINE = b'{"kind":"event","seq":'
_FRAME_LINE, _REQUEST_LINE, _END_LINE = b'{"kind":"frame"', b'{"kind":"request"', b'{"kind":"end"'
_HEADS = re.compile(
    rb'(?:\{"kind":"event","seq":(?:0|[1-9]\d*),"t":(?:0|[1-9]\d*)(?:\.\d+)?(?:e-\d+)?,"call":\n)*+'
)  # possessive, as there may be very many


def unchanged(path: str | PathLike[str]) -> Recording | None:
    """The recording, without the records of its events, where nothing is wrong with it and every verdict is a pass.

    None says nothing: the recording has to be read whole and judged. Never raises.
    """
    aside = _Aside()
    path = Path(path)
    if not path.is_file():  # a pipe is read only once
        return None
    try:
        reader = RecordReader(path, choose=aside.choose)
        recording = assemble(reader, reader.path)
        if reader.warnings or recording.warnings or not _is_plain(recording):
            return None
        watched: dict[int, Watched] = {}
        if recording.turns and asyncio.run(_rerun(recording, watched)) is not None:
            return None
        tails: list[bytes] = []
        starts: list[int] = []
        for call in recording.calls:
            starts.append(len(tails))
            if call.wire is not None:
                seen = watched.get(call.number)
                events = seen.found if seen is not None and seen.stands_for(call) else derived_events(call)
                tails += _tails(call.number, events)
    except Exception:  # whatever it is, judging the recording tells it
        return None
    return recording if aside.fits(starts) and _are_written(aside.lines, tails) else None


class _Aside:
    """The lines of events, unparsed, and how many of them stand before each line that is neither event nor frame."""

    def __init__(self) -> None:
        self.lines: list[bytes] = []
        self._marks: list[tuple[bytes, int]] = []

    def choose(self, block: bytes) -> list[bytes]:
        """Set the events of a block aside; the other lines."""
        lines = self.lines
        rest: list[bytes] = []
        for line in block.split(b"\n"):
            if line.startswith(_EVENT_LINE):
                lines.append(line)
                continue
            rest.append(line)
            if not line.startswith(_FRAME_LINE):
                self._marks.append((line[: len(_REQUEST_LINE)], len(lines)))
        return rest

    def fits(self, starts: list[int]) -> bool:
        """Whether the events of each call, which begin with those numbers, stand behind its request, and all before the
        end of the recording."""
        requests = [at for line, at in self._marks if line == _REQUEST_LINE]
        last, at = self._marks[-1]
        return (
            len(requests) == len(starts)
            and all(request <= start for request, start in zip(requests, starts, strict=True))
            and last.startswith(_END_LINE)
            and at == len(self.lines)
        )


class Watched(ResponseReader):
    """Keeps the events of a response, and hands them on with pieces of text that follow one another joined."""

    def __init__(self, wire: str, *, status: int, call: int, options: DecodeOptions, **more: Any) -> None:
        super().__init__(wire, status=status, call=call, options=options, **more)
        self.found: Numbered = []
        self._given = (wire, status, call, options)
        self._end: End | None = None
        self._texts: list[str] = []

    def feed(self, chunk: bytes) -> Numbered:
        events = super().feed(chunk)
        self.found += events
        texts = [event.text for _, event in events if type(event) is Text and event.opaque is None]
        if len(texts) == len(events):
            self._texts += texts
            return []
        return [*self._joined(), *events]

    def finish(self, end: End = EOF) -> Numbered:
        events = super().finish(end)
        self.found += events
        self._end = end
        return [*self._joined(), *events]

    def _joined(self) -> Numbered:
        """What was held back."""
        text = "".join(self._texts)
        self._texts.clear()
        return [(None, Text(text))] if text else []

    def stands_for(self, call: Call) -> bool:
        """Whether decoding the call again would give the same, as it is given the same."""
        response = call.response
        if response is None or not 200 <= response.status < 300 or coding_of(response.headers) or call.bodies:
            return False
        given = (call.wire, response.status, call.number, DecodeOptions.from_dict(call.decode))
        return given == self._given and self.frames == len(call.frames) > 0 and self._end == call.end


async def _rerun(recording: Recording, watched: dict[int, Watched]) -> str | None:
    from harness.replaying.rerun import rerun

    def watch(wire: str, *, call: int, **more: Any) -> Watched:
        watched[call] = Watched(wire, call=call, **more)
        return watched[call]

    return await rerun(recording, reader=watch)


def _is_plain(recording: Recording) -> bool:
    """Whether each call is whole and came to its end by itself, and each turn too."""
    calls, turns = recording.calls, recording.turns
    return (
        len({call.number for call in calls}) == len(calls)
        and all(not call.event_records and call.end_record is not None and gap(call) is None for call in calls)
        and all(call.end.kind != "closed" and (call.wire is None or call.wire in WIRES) for call in calls)
        and all(record["event"] != "cancelled" for turn in turns for record in turn.loop)
    )


def _tails(call: int, events: Numbered) -> list[bytes]:
    """What the lines of events end with, behind the key of the call."""
    found = []
    for frame, event in events:
        if type(event) is Text and event.opaque is None:
            shown = b'{"type":"text","text":%b}' % dumps(event.text)
        else:
            shown = dumps(to_dict(event))
        found.append(b'%d,"frame":%b,"event":%b}' % (call, b"null" if frame is None else b"%d" % frame, shown))
    return found


def _are_written(lines: list[bytes], tails: list[bytes]) -> bool:
    """Whether each line is what the writer makes of an event."""
    if len(lines) != len(tails):
        return False
    heads = []
    for line, tail in zip(lines, tails, strict=True):
        if not line.endswith(tail):
            return False
        heads.append(line[: -len(tail)])
    heads.append(b"")
    return _HEADS.fullmatch(b"\n".join(heads)) is not None
