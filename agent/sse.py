"""Server-sent events: bytes in, frames out, without I/O.

Rules: WHATWG HTML, section 9.2 (https://html.spec.whatwg.org/multipage/server-sent-events.html). Two things go beyond
it. Every frame keeps its exact bytes, so the frames of a response, joined, are its body. And at the end of the stream
the provider mode (the default) still dispatches a pending block whose data is whole, as providers forget the last
blank line; the strict mode drops it, as the standard says.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from agent.jsonio import NotJSON, loads

_BOM = b"\xef\xbb\xbf"
_LF, _CR, _COLON = 10, 13, 58
_LINE_END = re.compile(rb"[\r\n]")
_MESSAGE = "message"

DEFAULT_LIMIT = 32 * 2**20
"""Bytes that one frame may have."""


@dataclass(slots=True)
class Frame:
    """One block of a stream with its terminator.

    `raw`: its exact bytes; blank lines before a block, and an LF whose CR ended the block before, belong to it.
    `data`: its data lines joined with LF; None when nothing dispatches.
    `event`: the type that is dispatched (`message` where the block names none); None when nothing dispatches.
    `id`: the last event id so far; None before the first.
    `unterminated`: the stream ended inside it.
    """

    raw: bytes
    data: bytes | None
    event: str | None = _MESSAGE
    id: str | None = None
    unterminated: bool = False


class SSEDecoder:
    """Splits a stream into frames; any chunking gives the same frames, in time linear in the bytes.

    After a frame of more than `limit` bytes nothing more is decoded: `overflowed` is set, and `take_rest` hands over
    the bytes from the start of that frame on.
    """

    __slots__ = (
        "_after_cr", "_block", "_first", "_id", "_limit", "_line_open", "_names", "_pending", "_rest", "_size",
        "_started", "_strict", "overflowed",
    )  # fmt: skip

    def __init__(self, *, strict: bool = False, limit: int = DEFAULT_LIMIT) -> None:
        self.overflowed = False
        self._strict = strict
        self._limit = limit
        self._rest: list[bytes] = []
        self._pending: list[bytes] = []
        self._size = 0
        self._started = False  # the first bytes were looked at for a byte order mark
        self._first = True  # no frame was made yet
        self._block = False  # the pending frame has begun: it holds more than blank lines
        self._line_open = False  # the last pending byte was no line end
        self._after_cr = False  # the last byte was a CR: an LF now belongs to the same line end
        self._id: str | None = None
        self._names: dict[bytes, str] = {}

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that `chunk` completes."""
        if not self._started:
            chunk = self._start(chunk)
        if not chunk:
            return []
        if self.overflowed:
            self._rest.append(chunk)
            return []
        if self._size + len(chunk) > self._limit:
            return self._feed_near_limit(chunk)
        if _CR in chunk or self._after_cr:
            return self._feed_lines(chunk)
        if self._pending:
            return self._feed_pending(chunk)
        if chunk[-2:] == b"\n\n" and chunk[:7] == b"event: ":
            frame = self._parse_pair(chunk[:-2], chunk)
            if frame is not None:
                return [frame]
        at = chunk.find(_LF)
        if at == len(chunk) - 2 and chunk[-1] == _LF and at > 0 and chunk[:6] == b"data: ":
            self._first = False
            return [Frame(chunk, chunk[6:at], _MESSAGE, self._id)]
        return self._feed_blocks(b"", chunk)

    def flush(self) -> list[Frame]:
        """The pending block, at the end of the stream."""
        raw = b"".join(self._pending)
        self._pending = []
        if not raw:
            return []
        if not self._block:
            return [Frame(raw, None, None, self._id)]
        frame = self._parse(raw)
        frame.unterminated = True
        if frame.data is not None and (self._strict or not _is_whole(frame.data)):
            frame.data = frame.event = None
        return [frame]

    def take_rest(self) -> bytes:
        """The bytes that came since the limit was passed and were not yet taken."""
        rest = b"".join(self._rest)
        self._rest = []
        return rest

    def _start(self, chunk: bytes) -> bytes:
        """Look for a byte order mark, which may be split over chunks, and return the bytes after it."""
        seen = b"".join(self._pending) + chunk
        self._pending = []
        if len(seen) < len(_BOM) and _BOM.startswith(seen):
            self._block = self._line_open = bool(seen)
            if seen:
                self._pending = [seen]
            return b""
        self._started = True
        self._block = self._line_open = False
        if not seen.startswith(_BOM):
            return seen
        self._pending, self._size = [_BOM], len(_BOM)
        return seen[len(_BOM) :]

    def _feed_pending(self, chunk: bytes) -> list[Frame]:
        """A chunk without CR that begins inside a frame."""
        pending = self._pending
        if not self._block:
            self._pending = []
            return self._feed_blocks(b"".join(pending), chunk)
        if _LF not in chunk:
            pending.append(chunk)
            self._size += len(chunk)
            self._line_open = True
            return []
        if chunk[0] == _LF and not self._line_open:
            end = 1
        else:
            end = chunk.find(b"\n\n") + 2
            if end == 1:
                pending.append(chunk)
                self._size += len(chunk)
                self._line_open = chunk[-1] != _LF
                return []
        pending.append(chunk[:end])
        self._pending = []
        frame = self._parse(b"".join(pending))
        if end == len(chunk):
            self._size = 0
            self._block = self._line_open = False
            return [frame]
        return [frame, *self._feed_blocks(b"", chunk[end:])]

    def _feed_blocks(self, blank: bytes, chunk: bytes) -> list[Frame]:
        """A chunk without CR that begins a frame, after blank lines (or a byte order mark) in `blank`."""
        frames = []
        blocks = chunk.split(b"\n\n")
        tail = blocks.pop()
        for block in blocks:
            if not blank and block[:6] == b"data: " and _LF not in block:
                self._first = False
                frames.append(Frame(block + b"\n\n", block[6:], _MESSAGE, self._id))
            elif block and block != b"\n":
                raw = blank + block + b"\n\n"
                frames.append((self._parse_pair(block, raw) if block[:7] == b"event: " else None) or self._parse(raw))
                blank = b""
            else:
                blank += block + b"\n\n"
        self._block = tail not in (b"", b"\n")
        self._line_open = self._block and tail[-1] != _LF
        tail = blank + tail
        if tail:
            self._pending.append(tail)
        self._size = len(tail)
        return frames

    def _feed_lines(self, chunk: bytes) -> list[Frame]:
        """Any chunk, line by line: the way for line ends with CR."""
        frames = []
        frame_start = line_start = 0
        after_cr = self._after_cr
        line_open = self._line_open
        block = self._block
        for match in _LINE_END.finditer(chunk):
            at = match.start()
            if chunk[at] == _LF and (chunk[at - 1] == _CR if at else after_cr):
                line_start = at + 1
                continue
            if line_open or at > line_start:
                block = True
            elif block:
                self._pending.append(chunk[frame_start : at + 1])
                frames.append(self._parse(b"".join(self._pending)))
                self._pending = []
                self._size = 0
                frame_start = at + 1
                block = False
            line_open = False
            line_start = at + 1
        self._line_open = line_open or line_start < len(chunk)
        self._block = block or self._line_open
        self._after_cr = chunk[-1] == _CR
        if frame_start < len(chunk):
            self._pending.append(chunk[frame_start:])
            self._size += len(chunk) - frame_start
        return frames

    def _feed_near_limit(self, chunk: bytes) -> list[Frame]:
        """A chunk with which a frame may pass the limit."""
        frames = self._feed_lines(chunk)
        for index, frame in enumerate(frames):
            if len(frame.raw) > self._limit:
                self.overflowed = True
                self._rest = [late.raw for late in frames[index:]]
                frames = frames[:index]
                break
        if self.overflowed or self._size > self._limit:
            self.overflowed = True
            self._rest += self._pending
            self._pending = []
        return frames

    def _parse_pair(self, block: bytes, raw: bytes) -> Frame | None:
        """The short way for a block that begins `event: `: None unless one `data: ` line is all that follows."""
        head, _, data = block.partition(b"\ndata: ")
        if not data or _LF in data or _LF in head:
            return None
        self._first = False
        event = head[7:]
        return Frame(raw, data, self._names.get(event) or self._name(event), self._id)

    def _parse(self, raw: bytes) -> Frame:
        """The fields of one block."""
        block = raw
        if self._first:
            self._first = False
            block = raw.removeprefix(_BOM)
        if _CR in block:
            block = block.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        data: list[bytes] = []
        event = b""
        error = None
        for line in block.split(b"\n"):
            if line[:6] == b"data: ":
                data.append(line[6:])
                continue
            if not line or line[0] == _COLON:
                continue
            name, _, value = line.partition(b":")
            value = value.removeprefix(b" ")
            if name == b"data":
                data.append(value)
            elif name == b"event":
                event = value
            elif name == b"id":
                if b"\0" not in value:
                    self._id = value.decode("utf-8", "replace")
            elif name == b"error" and not self._strict and _is_whole(value):
                error = value
        if error is not None and not data:
            return Frame(raw, b'{"error":' + error + b"}", "error", self._id)
        if not data:
            return Frame(raw, None, None, self._id)
        return Frame(raw, data[0] if len(data) == 1 else b"\n".join(data), self._name(event), self._id)

    def _name(self, event: bytes) -> str:
        if not event:
            return _MESSAGE
        name = self._names.get(event)
        if name is None:
            name = event.decode("utf-8", "replace")
            if len(self._names) < 64:
                self._names[event] = name
        return name


def _is_whole(data: bytes) -> bool:
    """Whether data that may have been cut is whole: JSON, or the end mark of chat streams."""
    if data.strip() == b"[DONE]":
        return True
    try:
        loads(data)
    except NotJSON:
        return False
    return True
