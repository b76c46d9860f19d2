"""One response, from bytes to events: what live calls, recordings, replays and `harness decode` share.

`Framer` tells an event stream from a plain body and splits the stream; `ResponseDecoder` reads its frames or its body
with the decoder of the wire format, or as an HTTP error. Both are pure.
"""

from __future__ import annotations

from collections.abc import Sequence

from agent.content_coding import UNDONE, coding_of
from agent.events import EOF, DecodeOptions, End, Event, Reasoning, Text, UsageEvent
from agent.failures import coded_error, error, http_error, not_undone, unreachable
from agent.providers import adapter
from agent.providers.base import Decoder
from agent.sse import DEFAULT_LIMIT, Frame, SSEDecoder

_STREAM_START = frozenset(b"deir:")  # data, event, id, retry, a comment: no JSON begins so
_BODY_START = frozenset(b"{[<")  # no field of an event stream begins so
_BLANK = b" \t\r\n\xef\xbb\xbf"
"""What may stand before the first byte that tells: white space, and the bytes of a byte order mark."""

_MOST_BLANK = 4096
_UNTOLD = ("", "text/plain", "application/octet-stream")


class Framer:
    """Bytes of one response in, frames out where it is an event stream.

    The content type decides, unless the first byte that is not blank shows it to be wrong; where the type says nothing,
    that byte decides. `is_stream` is None until then. For a plain body `feed` gives no frames, and `body(chunk)` passes
    its bytes through.
    """

    __slots__ = ("_blank", "_limit", "_sse", "_strict", "_type", "is_stream")

    def __init__(self, content_type: str | None, *, strict: bool = False, limit: int = DEFAULT_LIMIT) -> None:
        self._type = (content_type or "").partition(";")[0].strip().lower()
        self._strict = strict
        self._limit = limit
        self._blank = b""
        self._sse: SSEDecoder | None = None
        self.is_stream: bool | None = None

    @property
    def overflowed(self) -> bool:
        """Whether a frame passed the limit; the rest of the stream comes out of `body`."""
        return self._sse is not None and self._sse.overflowed

    @property
    def between(self) -> bool:
        """Whether it stands between two frames of a stream, with nothing pending."""
        return self._sse is not None and self._sse.between

    def feed(self, chunk: bytes) -> list[Frame]:
        """The frames that `chunk` completes."""
        if self._sse is not None:
            return self._sse.feed(chunk)
        if self.is_stream is None and chunk:
            self._decide(self._blank + chunk)
            if self.is_stream is None:
                self._blank += chunk
            elif self.is_stream:
                self._sse = SSEDecoder(strict=self._strict, limit=self._limit)
                chunk, self._blank = self._blank + chunk, b""
                return self._sse.feed(chunk)
        return []

    def body(self, chunk: bytes) -> bytes:
        """The bytes that belong to a plain body, or come after a frame that passed the limit; call it after `feed`."""
        if self._sse is not None:
            return self._sse.take_rest() if self._sse.overflowed else b""
        if self.is_stream is None:
            return b""
        chunk, self._blank = self._blank + chunk if self._blank else chunk, b""
        return chunk

    def flush(self) -> list[Frame]:
        """The pending frame at the end of the stream."""
        if self._sse is None and self.is_stream is None:
            self.is_stream = bool(self._blank) or self._type == "text/event-stream"
            if self._blank:
                self._sse = SSEDecoder(strict=self._strict, limit=self._limit)
                return [*self._sse.feed(self._blank), *self._sse.flush()]
        return [] if self._sse is None else self._sse.flush()

    def _decide(self, seen: bytes) -> None:
        says_stream, says_json = self._type == "text/event-stream", "json" in self._type
        if not (says_stream or says_json or self._type in _UNTOLD):
            self.is_stream = False
            return
        seen = seen[:_MOST_BLANK]
        rest = seen.lstrip(_BLANK)
        if rest:
            self.is_stream = rest[0] not in _BODY_START if says_stream else rest[0] in _STREAM_START
        elif len(seen) == _MOST_BLANK:  # a long wait is filled with blank lines
            self.is_stream = not says_json


class ResponseDecoder:
    """Frames or body of one response in, events out.

    `status` other than 2xx makes it an HTTP error, whatever the body is. `finish` is called once, and closes with the
    one `usage` event.
    """

    __slots__ = ("_body", "_decoder", "_headers", "_key_variable", "_status")

    def __init__(
        self,
        wire: str,
        *,
        status: int = 200,
        headers: Sequence[tuple[str, str]] = (),
        call: int = 0,
        options: DecodeOptions = DecodeOptions(),
    ) -> None:
        self._status = status
        self._headers = headers
        self._key_variable = options.key_variable
        self._decoder: Decoder | None = None
        if 200 <= status < 300:
            self._decoder = adapter(wire).decoder(call=call, options=options)
        self._body: list[bytes] = []

    @property
    def malformed(self) -> int:
        """Data that was no JSON object."""
        return 0 if self._decoder is None else self._decoder.malformed

    @property
    def unknown(self) -> dict[str, int]:
        """Event types and part kinds that no rule knows, counted."""
        return {} if self._decoder is None else self._decoder.unknown

    @property
    def plain(self) -> bool:
        """Whether a frame that `piece` reads is that event and nothing else, and reading it would change nothing."""
        return self._decoder is not None and self._decoder.plain

    def piece(self, frame: Frame) -> Text | Reasoning | None:
        """The piece of text that a frame is, None where it may say more. It depends on nothing but the frame."""
        return None if self._decoder is None or frame.data is None else self._decoder.piece(frame.data)

    def frame(self, frame: Frame) -> list[Event]:
        """The events of one frame."""
        if self._decoder is None:
            self._body.append(frame.raw)
            return []
        return self._decoder.feed(frame)

    def body(self, chunk: bytes) -> None:
        """Take a piece of a plain body."""
        self._body.append(chunk)

    def overflow(self, limit: int = DEFAULT_LIMIT) -> list[Event]:
        """A frame passed the limit: an error, and nothing after it is read."""
        if self._decoder is None:
            return []
        message = f"One frame of the stream is larger than {limit:,} bytes"
        return self._decoder.abort(error("frame_too_large", message, status=self._status))

    def finish(self, end: End = EOF) -> list[Event]:
        """What is left, and the closing `usage`."""
        coding = coding_of(self._headers)
        unread = coding if coding not in UNDONE else ""
        if self._decoder is None:
            body = b"".join(self._body) or (not_undone(unread).encode() if unread else b"")
            failure = http_error(self._status, self._headers, body, key_variable=self._key_variable)
            return [failure, UsageEvent(None, None, "error", None, False)]
        events: list[Event] = []
        if self._body:
            events = self._decoder.parse_body(b"".join(self._body))
        elif unread and end.kind == "eof" and self._decoder.untouched:
            events = self._decoder.abort(coded_error(unread))
        return [*events, *self._decoder.finish(end)]


def no_response(end: End, url: str = "") -> list[Event]:
    """The events of a call that got no response: `end` is `closed` (given up by the client) or the exception.

    `url`: where the call went; the message names its host and port.
    """
    if end.kind == "closed":
        return [UsageEvent(None, None, "cancelled", None, False)]
    return [
        unreachable(end.error_class or "", end.message, url),
        UsageEvent(None, None, "error", None, False),
    ]
