"""One call as it happens, turned into records: a state machine that the recording transport drives."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from agent.events import DecodeOptions, End, Event, to_dict
from agent.response import Framer, ResponseDecoder, no_response
from agent.sse import Frame, SSEDecoder
from harness.encodings import ContentDecoder, Undecodable, content_decoder
from harness.headers import header_value, recorded_headers
from harness.records import Record, body_record, call_end_record, event_record, frame_record
from harness.redaction import Redactor


class CallRecorder:
    """Response head, chunks and end in; records out, all that one chunk made in one `write`.

    Events derive from the redacted frames, by the same decoder that live calls and replays use. `write` takes records,
    `count` every event, `clock` gives seconds since the recording began. `url` is the redacted one.
    """

    def __init__(
        self,
        call: int,
        wire: str | None,
        options: DecodeOptions,
        *,
        url: str,
        write: Callable[[list[Record]], None],
        count: Callable[[Event], None],
        redactor: Redactor,
        clock: Callable[[], float],
    ) -> None:
        self._call = call
        self._wire = wire
        self._options = options
        self._url = url
        self._write = write
        self._count = count
        self._redactor = redactor
        self._clock = clock
        self._framer: Framer | None = None
        self._decoder: ResponseDecoder | None = None
        self._content: ContentDecoder | None = None
        self._opaque = False  # the body is kept as it came: its content coding cannot be undone
        self._bytes = 0
        self._frames = 0
        self._bodies = 0
        self._frame_start = 0
        self._position = 0
        self._cuts: list[int] = []
        self._cut_times: list[float] = []
        self._overflowed = False
        self._ended = False

    def response(self, status: int, headers: Sequence[tuple[str, str]]) -> None:
        """The head of the response."""
        record: Record = {"kind": "response", "t": self._clock(), "call": self._call, "status": status}
        kept = recorded_headers(headers, self._redactor)
        encoding = header_value(headers, "content-encoding") or "identity"
        if encoding.lower() != "identity":
            self._content = content_decoder(encoding)
            self._opaque = self._content is None
        if self._content is None:
            record["headers"] = kept
        else:
            record["headers"] = [pair for pair in kept if pair[0].lower() != "content-encoding"]
            record["encoding"] = encoding
        self._framer = Framer(header_value(headers, "content-type"))
        if self._wire is not None and not self._opaque:
            self._decoder = ResponseDecoder(
                self._wire,
                status=status,
                headers=[(name, value) for name, value in kept],
                call=self._call,
                options=self._options,
            )
        self._write([record])

    def chunk(self, data: bytes) -> None:
        """Bytes as one network read gave them."""
        now = self._clock()
        self._bytes += len(data)
        if self._content is not None:
            try:
                data = self._content.feed(data)
            except Undecodable:
                self._content = None
                self._opaque = True
        if data:
            self._write(self._records_of(data, now))

    def end(self, end: End) -> None:
        """The end of the response, or of the try where none came. A second end says nothing."""
        if self._ended:
            return
        self._ended = True
        now = self._clock()
        end = End(end.kind, end.error_class, self._redactor.text(end.message))
        records: list[Record] = []
        if self._framer is None:
            if self._wire is not None:
                records += self._event_records(no_response(end, self._url), None, now)
        else:
            rest = self._content.flush() if self._content is not None else b""
            if rest:
                records += self._records_of(rest, now)
            for frame in self._framer.flush():
                records += self._frame_records(frame, now, self._position)
            if self._decoder is not None:
                records += self._event_records(self._decoder.finish(end), None, now)
        decoder = self._decoder
        record = call_end_record(
            self._call,
            end.kind,
            self._bytes,
            error=(end.error_class or "", end.message) if end.kind == "error" else None,
            malformed=0 if decoder is None else decoder.malformed,
            unknown=None if decoder is None else decoder.unknown,
        )
        self._write([*records, {"t": now, **record}])

    def _records_of(self, data: bytes, now: float) -> list[Record]:
        framer = self._framer
        assert framer is not None
        if self._opaque:
            return [self._body_record(data, now)]
        records: list[Record] = []
        chunk_end = self._position + len(data)
        for frame in framer.feed(data):
            records += self._frame_records(frame, now, chunk_end)
        self._position = chunk_end
        if self._frame_start < chunk_end:
            self._cuts.append(chunk_end - self._frame_start)
            self._cut_times.append(now)
        rest = framer.body(data)
        if framer.overflowed and not self._overflowed:
            self._overflowed = True
            if self._decoder is not None:
                records += self._event_records(self._decoder.overflow(), None, now)
        if rest:
            records.append(self._body_record(rest, now))
        return records

    def _frame_records(self, frame: Frame, now: float, chunk_end: int) -> list[Record]:
        """The record of a frame and those of its events; `chunk_end` counts from the start of the stream."""
        length = len(frame.raw)
        self._frame_start += length
        cuts: list[int] | None = None
        times: list[float] = []
        ends_chunk = self._frame_start == chunk_end
        if self._cuts or not ends_chunk:
            cuts, self._cuts = self._cuts, []
            times, self._cut_times = self._cut_times, []
            if ends_chunk and cuts[-1] != length:
                cuts.append(length)
            elif ends_chunk:
                times.pop()
                cuts = None if len(cuts) == 1 else cuts
        raw = self._redactor.bytes(frame.raw)
        if raw is not frame.raw:
            frame = _reread(raw, frame)
            cuts = None if cuts is None else [min(cut, len(raw)) for cut in cuts]
        record = frame_record(self._call, self._frames, raw, cuts, times, frame.unterminated)
        records = [{"t": now, **record}]
        if self._decoder is not None:
            records += self._event_records(self._decoder.frame(frame), self._frames, now)
        self._frames += 1
        return records

    def _body_record(self, data: bytes, now: float) -> Record:
        data = self._redactor.bytes(data)
        if self._decoder is not None and not self._overflowed and not self._opaque:
            self._decoder.body(data)
        record = {"t": now, **body_record(self._call, self._bodies, data)}
        self._bodies += 1
        return record

    def _event_records(self, events: list[Event], frame: int | None, now: float) -> list[Record]:
        for event in events:
            self._count(event)
        return [{"t": now, **event_record(self._call, frame, to_dict(event))} for event in events]


def _reread(raw: bytes, frame: Frame) -> Frame:
    """The frame of redacted bytes. Its last event id may come from an earlier frame, so it is taken over."""
    decoder = SSEDecoder()
    frames = [*decoder.feed(raw), *decoder.flush()]
    if len(frames) != 1:
        return Frame(raw, None, None, frame.id, frame.unterminated)
    again = frames[0]
    again.id, again.unterminated = frame.id, frame.unterminated
    return again
