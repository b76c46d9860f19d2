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
_DATA = b"data: "
_CRLF_BORDER = b"\r\n\r\n"

# Where a decoder stands. `_ODD` is everything that has no short way.
_ODD = 0
_BORDER = 1  # between two frames, nothing pending
_BORDER_LF = 2  # between two frames; the LF of the last CRLF is pending, as it belongs to the next frame
_INSIDE = 3  # inside a frame, not after a CR

DONE = b"[DONE]"
"""The data with which chat streams end (OpenAI API reference, "Streaming"); it is no JSON."""

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

    Providers send runs of frames that begin alike (`data: `, or the same event line) and have one data line. Those
    take short ways; `_feed_lines` is the whole of the rules, and the way of everything else.
    """

    __slots__ = (
        "_after_cr", "_block", "_event", "_first", "_head", "_head_size", "_id", "_limit", "_pending", "_rest",
        "_separator", "_size", "_started", "_state", "_strict", "overflowed",
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
        self._after_cr = False  # the last byte was a CR: an LF now belongs to the same line end
        self._state = _ODD
        self._id: str | None = None
        self._begins(_DATA, _MESSAGE)

    @property
    def between(self) -> bool:
        """Whether it stands between two frames, with nothing pending: whole frames may be left out here."""
        return self._state == _BORDER

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that `chunk` completes."""
        # Searching for one byte by its number is many times faster than searching for `bytes`.
        state = self._state
        if state == _INSIDE:
            if _LF not in chunk and _CR not in chunk:
                size = self._size + len(chunk)
                if size <= self._limit:
                    self._size = size
                    self._pending.append(chunk)
                    return []
        elif state == _BORDER:
            if chunk.startswith(self._head) and chunk[-1] == _LF and chunk[-2] == _LF:
                data = chunk[self._head_size : -2]
                if _LF not in data and _CR not in data and len(chunk) <= self._limit:
                    return [Frame(chunk, data, self._event, self._id)]
        elif state == _BORDER_LF and chunk[:6] == _DATA and chunk[-4:] == _CRLF_BORDER:
            data = chunk[6:-4]
            if _LF not in data and _CR not in data and len(chunk) <= self._limit:
                return [Frame(b"\n" + chunk[:-1], data, _MESSAGE, self._id)]
        return self._feed(chunk)

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

    def _feed(self, chunk: bytes) -> list[Frame]:
        """Any chunk in any state."""
        if not self._started:
            chunk = self._start(chunk)
        if not chunk:
            return []
        if self.overflowed:
            self._rest.append(chunk)
            return []
        if self._size + len(chunk) > self._limit:
            frames = self._feed_near_limit(chunk)
        elif self._after_cr:
            frames = self._feed_lines(chunk)
        elif _CR in chunk:
            frames = self._feed_crlf(chunk)
        elif self._block:
            frames = self._feed_inside(chunk)
        else:
            frames = self._feed_border(chunk)
        if self._after_cr or self.overflowed:
            self._state = _ODD
        elif self._block:
            self._state = _INSIDE
        elif self._first or len(self._pending) > 1:
            self._state = _ODD
        elif not self._pending:
            self._state = _BORDER
        else:
            self._state = _BORDER_LF if self._pending[0] == b"\n" else _ODD
        return frames

    def _start(self, chunk: bytes) -> bytes:
        """Look for a byte order mark, which may be split over chunks, and return the bytes after it."""
        seen = b"".join(self._pending) + chunk
        self._pending = []
        if len(seen) < len(_BOM) and _BOM.startswith(seen):
            self._block = bool(seen)
            if seen:
                self._pending = [seen]
            return b""
        self._started = True
        self._block = False
        if not seen.startswith(_BOM):
            return seen
        self._pending, self._size = [_BOM], len(_BOM)
        return seen[len(_BOM) :]

    def _line_open(self) -> bool:
        """Whether the last byte was inside a line."""
        if self._block:
            for piece in reversed(self._pending):
                if piece:
                    return piece[-1] not in (_LF, _CR)
        return False

    def _keep(self, rest: bytes, *, block: bool) -> None:
        """Let `rest` be all that is pending."""
        self._pending = [rest] if rest else []
        self._size = len(rest)
        self._block = block

    def _feed_inside(self, chunk: bytes) -> list[Frame]:
        """A chunk without CR that begins inside a frame."""
        pending = self._pending
        if chunk[0] == _LF and not self._line_open():
            end = 1
        else:
            end = chunk.find(b"\n\n") + 2
            if end == 1:
                pending.append(chunk)
                self._size += len(chunk)
                return []
        pending.append(chunk[:end])
        frame = self._frame_of(b"".join(pending))
        rest = chunk[end:]
        if _LF not in rest:
            self._keep(rest, block=bool(rest))
            return [frame]
        self._keep(b"", block=False)
        return [frame, *self._feed_border(rest)]

    def _feed_border(self, chunk: bytes) -> list[Frame]:
        """A chunk without CR that begins a frame, after the blank lines (or the byte order mark) that are pending."""
        if self._pending or self._first or not chunk.startswith(self._head):
            return self._feed_blocks(chunk)
        parts = chunk.split(self._separator)
        tail = parts.pop()
        if not parts:
            return self._feed_blocks(chunk)
        head, event = self._head, self._event
        parts[0] = parts[0][len(head) :]
        frames = []
        for part in parts:
            if _LF not in part and not self._pending:
                frames.append(Frame(head + part + b"\n\n", part, event, self._id))
            else:
                frames += self._feed_blocks(head + part + b"\n\n")
        return frames + self._feed_blocks(head + tail)

    def _feed_blocks(self, chunk: bytes) -> list[Frame]:
        """The same for any such chunk."""
        pending, size = self._pending, self._size
        frames = []
        blocks = chunk.split(b"\n\n")
        tail = blocks.pop()
        for block in blocks:
            raw = block + b"\n\n"
            if not block or block == b"\n":
                pending.append(raw)
                size += len(raw)
                continue
            if pending:
                raw = b"".join((*pending, raw))
                pending, size = [], 0
            frames.append(self._frame_of(raw))
        if tail:
            pending.append(tail)
        self._pending, self._size = pending, size + len(tail)
        self._block = tail not in (b"", b"\n")
        return frames

    def _feed_crlf(self, chunk: bytes) -> list[Frame]:
        """A chunk with CR, not after one: frames of one data line with CRLF by slices, else line by line."""
        parts = chunk.split(_CRLF_BORDER)
        tail = parts.pop()
        frames = []
        before = b"".join(self._pending) if parts else b""
        for number, part in enumerate(parts):
            line = before + part
            data = line[7:] if line[:7] == b"\ndata: " else line[6:] if line[:6] == _DATA else None
            if data is None or _LF in data or _CR in data:
                rest = _CRLF_BORDER.join((*parts[number:], tail))
                break
            self._first = False
            frames.append(Frame(line + b"\r\n\r", data, _MESSAGE, self._id))
            before = b"\n"
        else:
            rest = tail
        if frames:
            self._keep(b"\n", block=False)
        return frames + self._feed_lines(rest) if rest else frames

    def _feed_lines(self, chunk: bytes) -> list[Frame]:
        """Any chunk, line by line."""
        frames = []
        frame_start = line_start = 0
        after_cr = self._after_cr
        line_open = self._line_open()
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
        self._block = block or line_open or line_start < len(chunk)
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

    def _frame_of(self, raw: bytes) -> Frame:
        """A block that ends with two LF."""
        if self._first:
            if raw.startswith(_BOM):
                return self._parse(raw)
            self._first = False
        if raw.startswith(self._head):
            data = raw[self._head_size : -2]
            if _LF not in data and _CR not in data:
                return Frame(raw, data, self._event, self._id)
        head, mark, data = raw[:-2].partition(_DATA)
        if mark and _LF not in data and _CR not in data:
            name = head[7:-1]
            if not head:
                self._begins(_DATA, _MESSAGE)
                return Frame(raw, data, self._event, self._id)
            if head[:7] == b"event: " and head[-1] == _LF and name and _LF not in name and _CR not in name:
                self._begins(head + _DATA, name.decode("utf-8", "replace"))
                return Frame(raw, data, self._event, self._id)
        return self._parse(raw)

    def _begins(self, head: bytes, event: str) -> None:
        """Expect the next frames to begin like this."""
        self._head, self._head_size, self._separator = head, len(head), b"\n\n" + head
        self._event = event

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
            if line[:6] == _DATA:
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
        kind = event.decode("utf-8", "replace") if event else _MESSAGE
        return Frame(raw, data[0] if len(data) == 1 else b"\n".join(data), kind, self._id)


def _is_whole(data: bytes) -> bool:
    """Whether data that may have been cut is whole: JSON, or the end mark of chat streams."""
    if data.strip() == DONE:
        return True
    try:
        loads(data)
    except NotJSON:
        return False
    return True
