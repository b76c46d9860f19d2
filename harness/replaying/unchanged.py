"""Tells quickly that a recording replays as it was recorded. Of what differs it says nothing.

Four things make it quick. Event lines are not parsed: they are compared with what the writer makes of the events that
are derived now. Frames that follow one another are read, and replayed, as one of many: how bytes are cut changes
nothing. A call of a turn is decoded once, where the loop runs again: those are the events that `derive` gives too, as
the decoder is given the same. And the loop gets pieces of text joined, which it joins itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from agent.events import EOF, DecodeOptions, End, Event, Reasoning, Text, to_dict
from agent.jsonio import dumps
from agent.providers import WIRES
from agent.response_reader import Numbered, ResponseReader
from harness.recorder.encodings import coding_of
from harness.recording.contents import Call
from harness.recording.opening import Recording, assemble
from harness.recording.reader import RecordReader
from harness.replaying.aside import Aside, Events, count_from
from harness.replaying.derive import derived_events, gap

_BLOCK = 1 << 18
"""Bytes of a recording that are read at once."""
_TEXT, _TEXT_END = b'{"type":"text","text":"', b'"}}'
_TEXTS = _TEXT_END + b"\n" + _TEXT
"""What stands around the texts of events in JSON, with the brace of their lines, and between two of them."""


def unchanged(path: str | PathLike[str]) -> Recording | None:
    """The recording, without the records of its events, where nothing is wrong with it and every verdict is a pass.

    None says nothing: the recording has to be read whole and judged. Never raises.
    """
    aside = Aside()
    path = Path(path)
    if not path.is_file():  # a pipe is read only once
        return None
    try:
        reader = RecordReader(path, choose=aside.choose, block=_BLOCK)
        recording = assemble(reader, reader.path)
        frames = [aside.whole(call) for call in recording.calls]
        if reader.warnings or recording.warnings or None in frames or not _is_plain(recording):
            return None
        watched: dict[int, Watched] = {}
        if recording.turns and asyncio.run(_rerun(recording, watched)) is not None:
            return None
        written = Events()
        starts: list[int] = []
        for call, count in zip(recording.calls, frames, strict=True):
            starts.append(len(written.calls))
            if call.wire is not None:
                seen = watched.get(call.number)
                events = (
                    seen.found if seen is not None and seen.stands_for(call, count) else derived_events(call, RunReader)
                )
                _write(call.number, events, written)
    except Exception:  # whatever it is, judging the recording tells it
        return None
    return recording if aside.fits(starts) and aside.are_written(written) else None


class Run(Text):
    """The texts of frames that follow one another, which came together: joined, and each as `pieces`."""

    __slots__ = ("pieces",)

    def __init__(self, pieces: list[str]) -> None:
        super().__init__("".join(pieces))
        self.pieces = pieces


class RunReader(ResponseReader):
    """Gives texts that come together as one event, with the number of the first of their frames."""

    def _pieces(self, kind: type[Text | Reasoning], texts: list[str]) -> Iterable[tuple[int, Event]]:
        return [(self.frames, Run(texts))] if kind is Text else super()._pieces(kind, texts)


class Watched(RunReader):
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
        texts = [event.text for _, event in events if isinstance(event, Text) and event.opaque is None]
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

    def stands_for(self, call: Call, frames: int | None) -> bool:
        """Whether decoding the call, which has so many frames, would give the same, as it is given the same."""
        response = call.response
        if response is None or not 200 <= response.status < 300 or coding_of(response.headers) or call.bodies:
            return False
        given = (call.wire, response.status, call.number, DecodeOptions.from_dict(call.decode))
        return given == self._given and self.frames == frames != 0 and self._end == call.end


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


def _write(call: int, events: Numbered, written: Events) -> None:
    """Add the events of a call."""
    for frame, event in events:
        if type(event) is Run and frame is not None:
            written.frames += count_from(frame, len(event.pieces))
            shown = dumps(event.pieces)[2:-2].replace(b'","', _TEXTS)  # as a quote inside is escaped
            written.shown += (_TEXT + shown + _TEXT_END).split(b"\n")
        else:
            written.frames.append(b"null" if frame is None else b"%d" % frame)
            written.shown.append(dumps(to_dict(event)) + b"}")
    written.calls += [b"%d" % call] * (len(written.frames) - len(written.calls))
