"""One call as it happens, turned into records: a state machine that the recording transport drives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agent.events import DecodeOptions, End, Event, to_dict
from agent.response import Framer, ResponseDecoder, no_response
from agent.sse import Frame
from harness.recorder.body_recorder import BodyRecorder
from harness.recorder.encodings import Undecodable, Unpacker, coding_of
from harness.recorder.outlet import Outlet
from harness.recorder.text_run import TextRun
from harness.recording.headers import cookie_values, header_value, recorded_headers
from harness.recording.records import Record, Records, call_end_record, event_record, frame_record
from harness.redaction.frame_data import reread
from harness.redaction.held_frames import HeldFrame, HeldFrames

_LF, _CR = 10, 13
_BLOCK_END = b"\n\n"
_MOST_BEGUN = 2048
"""Bytes of a frame that are kept here until the rest comes: they are joined with every chunk that adds to them."""


@dataclass(slots=True)
class _Arrival:
    """How a frame came: the time of its last byte and of its events, its cuts and their times."""

    came: float
    now: float
    cuts: list[int] | None
    times: list[float]
    ends_chunk: bool


class CallRecorder:
    """Response head, chunks and end in; records out, all that one chunk made in one write.

    Events derive from the redacted frames, by the same decoder that live calls and replays use. `url` is the redacted
    one. `ended` is called with this object when the call is over.

    A fault costs what it touches and no more: a frame that cannot be redacted, the events of a decoder that failed. The
    call's `bytes` then exceed what its records hold, or its events end early, and a replay says so.
    """

    def __init__(
        self,
        call: int,
        wire: str | None,
        options: DecodeOptions,
        *,
        url: str,
        outlet: Outlet,
        ended: Callable[[CallRecorder], None],
    ) -> None:
        self._call = call
        self._wire = wire
        self._options = options
        self._url = url
        self._outlet = outlet
        self._when_ended = ended
        self._framer: Framer | None = None
        self._decoder: ResponseDecoder | None = None
        self._unpacker: Unpacker | None = None
        self._head: Record | None = None  # held back until it is known whether the content coding can be undone
        self._bytes = self._frames = self._frame_start = self._position = 0
        self._cuts: list[int] = []
        self._cut_times: list[float] = []
        self._held: HeldFrames[_Arrival] = HeldFrames(outlet.redactor)
        self._body = BodyRecorder(call, outlet, self._take)
        self._overflowed = False
        self._run: TextRun | None = None
        self._between = False  # the framer stands between two frames
        self._begun = b""  # the start of a frame, which the framer does not know of yet
        self._alike = False  # the decoder stands where the run has learned
        self._lost = False  # framing has failed: nothing more of this body can be recorded
        self._ended = False

    def response(
        self, status: int, headers: Sequence[tuple[str, str]], recorded: Mapping[str, Any] | None = None
    ) -> None:
        """The head of the response. `recorded`: its headers in the recording that it is replayed from."""
        outlet = self._outlet
        kept: list[list[str]] = []
        try:
            for secret in cookie_values(headers):
                outlet.redactor.learn(secret)
            kept = recorded_headers(headers, outlet.redactor)
        except Exception as error:
            outlet.fault(error)
        record: Record = {"kind": "response", "t": outlet.clock(), "call": self._call, "status": status}
        record |= recorded or {"headers": kept}
        self._framer = Framer(header_value(headers, "content-type"))
        if self._wire is not None:
            pairs = [(name, value) for name, value in kept]
            try:
                self._decoder = ResponseDecoder(
                    self._wire, status=status, headers=pairs, call=self._call, options=self._options
                )
                self._run = TextRun(self._call, self._decoder, outlet.redactor)
            except Exception as error:
                outlet.fault(error)
        coding = coding_of(headers)
        if coding:
            self._unpacker = Unpacker(coding)
            self._head = record
            outlet.write(self._unpacked([]))
        else:
            outlet.write([record])

    def chunk(self, data: bytes) -> None:
        """Bytes as one network read gave them. Never raises."""
        if self._ended:
            return
        try:
            if self._unpacker is not None:
                self._packed(data)
            elif data:
                clock = self._outlet.clock  # a method that is taken off a slot and called in one is slow
                now = clock()
                if not self._wrote_one(data, now):
                    self._outlet.write(self._records_of(data, now))
        except Exception as error:
            self._outlet.fault(error)

    def _packed(self, data: bytes) -> None:
        """The same for a body with a content coding."""
        assert self._unpacker is not None
        now = self._outlet.clock()
        try:
            chunks = self._unpacker.feed(now, data)
        except Undecodable as error:
            # What came before stands decoded in the file; the caller cannot read on from here either.
            self.end(End("error", "DecodingError", str(error)))
            return
        self._outlet.write(self._unpacked(chunks))

    def end(self, end: End) -> None:
        """The end of the response, or of the try where none came. A second end says nothing."""
        if self._ended:
            return
        self._ended = True
        now = self._outlet.clock()
        records: Records = []
        if self._unpacker is not None:
            records += self._unpacked(self._unpacker.end())
            if self._unpacker.fault is not None and end.kind == "closed":
                end = End("error", "DecodingError", self._unpacker.fault)
        end = End(end.kind, end.error_class, self._message(end.message))
        if self._framer is None:
            if self._wire is not None:
                records += self._event_records(None, now, no_response, end, self._url)
        else:
            if not self._lost and not self._opaque:
                begun, self._begun = self._begun, b""
                records += self._framed(begun, now, self._position, [])
                for frame in self._framer.flush():
                    records += self._frame_records(frame, now, self._position)
            records += self._flushed()
            if self._decoder is not None:
                records += self._event_records(None, now, self._decoder.finish, end)
        decoder = self._decoder
        record = call_end_record(
            self._call,
            end.kind,
            self._bytes + self._body.bytes,
            error=(end.error_class or "", end.message) if end.kind == "error" else None,
            malformed=0 if decoder is None else decoder.malformed,
            unknown=None if decoder is None else decoder.unknown,
        )
        self._outlet.write([*records, {"t": now, **record}])
        self._when_ended(self)

    @property
    def _opaque(self) -> bool:
        return self._unpacker is not None and self._unpacker.opaque

    def _message(self, message: str) -> str:
        try:
            return self._outlet.redactor.text(message)
        except Exception as error:
            self._outlet.fault(error)
            return ""

    def _unpacked(self, chunks: list[tuple[float, bytes]]) -> Records:
        """The records of a body with a content coding; the head comes first, once all is known of it."""
        unpacker = self._unpacker
        assert unpacker is not None
        records: Records = []
        if unpacker.decided and self._head is not None:
            head, self._head = self._head, None
            if not unpacker.opaque:
                head["headers"] = [pair for pair in head["headers"] if pair[0].lower() != "content-encoding"]
                head["encoding"] = unpacker.coding
            records.append(head)
        for t, data in chunks:
            records += self._body.feed(t, data) if unpacker.opaque else self._records_of(data, t)
        return records

    def _wrote_one(self, data: bytes, now: float) -> bool:
        """Whether a chunk was one frame that differs in its text only, as most are; its records are written then."""
        if not (self._alike and self._between) or self._begun or self._held.waiting or data[-1] != _LF:
            return False
        assert self._run is not None
        ready = self._run.records(data, self._frames, now, None, [])
        if ready is None:
            return False
        self._held.previous = data
        self._frame_start = self._position = self._position + len(data)
        self._bytes += len(data)
        self._frames += 1
        write_one = self._outlet.write_one  # as with the clock
        write_one(ready)
        return True

    def _records_of(self, data: bytes, now: float) -> Records:
        if self._lost or self._framer is None:
            self._bytes += len(data)
            return []
        chunk_end = self._position + len(data)
        if self._begun:
            data, self._begun = self._begun + data, b""
        records: Records = []
        body: list[bytes] = []
        if self._alike and not self._between:
            at = data.find(_BLOCK_END) + len(_BLOCK_END)
            if at >= len(_BLOCK_END):
                records += self._framed(data[:at], now, chunk_end, body)
                data = data[at:]
        if self._alike and self._between and not self._held.waiting:
            data = self._ran(data, now, records)
            if len(data) < _MOST_BEGUN and _BLOCK_END not in data and _CR not in data:
                self._begun, data = data, b""
        if data:
            records += self._framed(data, now, chunk_end, body)
        if self._lost:
            return records
        self._position = chunk_end
        if self._frame_start < chunk_end:
            self._cuts.append(chunk_end - self._frame_start)
            self._cut_times.append(now)
        if self._framer.overflowed and not self._overflowed:
            records += self._flushed()
            self._overflowed = True
            if self._decoder is not None:
                records += self._event_records(None, now, self._decoder.overflow)
        if any(body):
            records += self._body_records(b"".join(body))
        return records

    def _ran(self, data: bytes, now: float, records: Records) -> bytes:
        """Append the records of the frames at the start of `data` that differ in their text only. What is left."""
        assert self._run is not None
        run = None
        if len(data) >= self._run.least:
            run = self._run.run(data, self._frames, now, self._cuts, self._cut_times)
        if run is None:
            return data
        ready, many, last, size = run
        records.append(ready)
        if self._cuts:
            self._cuts, self._cut_times = [], []
        self._held.previous = data[size - last : size]
        self._frame_start += size
        self._bytes += size
        self._frames += many
        return data[size:]

    def _framed(self, data: bytes, now: float, chunk_end: int, body: list[bytes]) -> Records:
        """The records of the frames that `data` completes; what is no frame goes into `body`."""
        framer = self._framer
        if self._lost or framer is None or not data:
            self._bytes += len(data)
            return []
        try:
            frames = framer.feed(data)
            if framer.overflowed or not framer.is_stream:
                body.append(framer.body(data))
        except Exception as error:
            self._outlet.fault(error)
            self._lost = True
            self._bytes += len(data)
            return []
        self._between = framer.between
        records: Records = []
        for frame in frames:
            records += self._frame_records(frame, now, chunk_end)
        return records

    def _frame_records(self, frame: Frame, now: float, chunk_end: int) -> Records:
        """The record of a frame and those of its events; `chunk_end` counts from the start of the stream."""
        length = len(frame.raw)
        self._frame_start += length
        came = now
        cuts: list[int] | None = None
        times: list[float] = []
        ends_chunk = self._frame_start == chunk_end
        if self._cuts or not ends_chunk:
            cuts, self._cuts = self._cuts, []
            times, self._cut_times = self._cut_times, []
            if ends_chunk and cuts[-1] != length:
                cuts.append(length)
            elif ends_chunk:  # handed out at the end of the stream, after its last chunk
                came = times.pop()
                cuts = None if len(cuts) == 1 else cuts
        if self._alike and not self._held.waiting and self._run is not None:
            ready = self._run.records(frame.raw, self._frames, came, cuts, times)
            if ready is not None:
                self._held.previous = frame.raw
                self._bytes += length
                self._frames += 1
                return [ready]
        arrival = _Arrival(came, now, cuts, times, ends_chunk)
        if self._held.passes(frame):
            return self._written(frame, frame.raw, arrival, clean=True)
        return self._released(self._held.hold, frame, arrival)

    def _released(self, decide: Callable[..., list[HeldFrame[_Arrival]]], *arguments: Any) -> Records:
        """The records of the frames that are no longer held. Where deciding fails, all that are held are lost."""
        try:
            frames = decide(*arguments)
        except Exception as error:
            self._outlet.fault(error)
            self._bytes += self._held.drop()
            return []
        records: Records = []
        for held in frames:
            records += self._written(held.frame, held.raw, held.extra, clean=held.clean)
        return records

    def _written(self, frame: Frame, raw: bytes, arrival: _Arrival, *, clean: bool) -> Records:
        """The records of a frame; `raw` as in `HeldFrame`. `clean`: it holds no secret any more."""
        if clean and self._alike and self._run is not None:
            ready = self._run.records(raw, self._frames, arrival.came, arrival.cuts, arrival.times, clean=True)
            if ready is not None:
                self._bytes += len(raw)
                self._frames += 1
                return [ready]
        if not clean:
            redactor = self._outlet.redactor
            try:
                raw = redactor.known(raw) if redactor.has_user_rules else redactor.bytes(raw)
            except Exception as error:
                self._outlet.fault(error)
                self._bytes += len(raw)
                return []
        cuts = arrival.cuts
        if raw is not frame.raw:
            frame = reread(raw, frame)
            if cuts:
                cuts = [min(cut, len(raw)) for cut in cuts]
                cuts[-1] = len(raw) if arrival.ends_chunk else cuts[-1]
        self._bytes += len(raw)
        records: Records = [
            frame_record(self._call, self._frames, raw, cuts, arrival.times, frame.unterminated, arrival.came)
        ]
        if self._decoder is not None:
            events = self._event_records(self._frames, arrival.now, self._decoder.frame, frame)
            self._alike = self._run is not None and clean and self._run.goes_on(frame, events)
            records += events
        self._frames += 1
        return records

    def _body_records(self, data: bytes) -> Records:
        """The records of bytes that are no frame: one a chunk, also where chunks were held until it was clear."""
        records: Records = []
        start = 0
        for cut, t in zip(self._cuts, self._cut_times, strict=True):
            records += self._body.feed(t, data[start:cut])
            start = cut
        self._cuts.clear()
        self._cut_times.clear()
        self._frame_start = self._position
        return records

    def _take(self, data: bytes) -> None:
        """Bytes that are no frame, as they are recorded."""
        if self._decoder is not None and not self._overflowed and not self._opaque:
            self._decoder.body(data)

    def _flushed(self) -> Records:
        """What was held back."""
        return [*self._released(self._held.flush), *self._body.flush()]

    def _event_records(
        self, frame: int | None, now: float, decode: Callable[..., list[Event]], *arguments: Any
    ) -> Records:
        """The events that `decode` gives. Where it fails, this call gives no more of them."""
        try:
            events = decode(*arguments)
            for event in events:
                self._outlet.count(event)
            return [event_record(self._call, frame, to_dict(event), now) for event in events]
        except Exception as error:
            self._outlet.fault(error)
            self._decoder = None
            return []
