"""One response, from bytes to events with the numbers of their frames. Pure.

Most of a stream are frames that differ only in their text. Where such frames follow one another, their texts are taken
right out of the bytes; everything else goes through `Framer` and `ResponseDecoder`, and all the rules are there.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from sys import maxsize

from agent.events import EOF, DecodeOptions, End, Event, Reasoning, Text
from agent.providers.alike import Alike, Piece
from agent.response import Framer, ResponseDecoder
from agent.sse import DEFAULT_LIMIT, Frame, SSEDecoder

Numbered = list[tuple[int | None, Event]]
"""Events, each with the number of its frame from 0; None for those that come of no frame."""

_BLOCK_END = b"\n\n"
_CR = 13
_NEVER = maxsize
_MOST_BEGUN = 2048
"""Bytes of a frame that are kept here until the rest comes: they are joined with every chunk that adds to them."""


class ResponseReader:
    """Chunks of one response in, events out; any chunking gives the same.

    `frames` counts the frames so far. After a frame that was too large (`overflowed`) nothing more is read.
    """

    def __init__(
        self,
        wire: str,
        *,
        status: int = 200,
        headers: Sequence[tuple[str, str]] = (),
        content_type: str | None = None,
        call: int = 0,
        options: DecodeOptions = DecodeOptions(),
    ) -> None:
        self.frames = 0
        self.overflowed = False
        self._framer = Framer(content_type)
        self._decoder = ResponseDecoder(wire, status=status, headers=headers, call=call, options=options)
        self._alike = Alike(self._read)
        self._learning = True
        self._worth = _NEVER  # bytes that a chunk has for which looking for frames alike is worth it
        self._begun = b""  # the start of a frame, which the framer does not know of yet

    def feed(self, chunk: bytes) -> Numbered:
        """The events that `chunk` completes."""
        if self._begun:
            chunk, self._begun = self._begun + chunk, b""
        elif len(chunk) < self._worth:
            return self._feed(chunk)
        events: Numbered = []
        if not self._framer.between:
            border = chunk.find(_BLOCK_END) + len(_BLOCK_END)
            if border < len(_BLOCK_END):
                return self._feed(chunk)
            events, chunk = self._feed(chunk[:border]), chunk[border:]
        if self._decoder.plain and self._framer.between and len(chunk) < DEFAULT_LIMIT:
            texts, size = self._alike.run(chunk)
            if texts:
                events += self._pieces(self._alike.kind, texts)
                self.frames += len(texts)
                chunk = chunk[size:]
            elif len(chunk) >= self._worth:
                self._worth, self._learning = _NEVER, self._alike.learns
            if len(chunk) < _MOST_BEGUN and _BLOCK_END not in chunk and _CR not in chunk:
                self._begun = chunk
                return events
        return events + self._feed(chunk)

    def flush(self) -> Numbered:
        """The events of a frame that the stream ended in."""
        begun, self._begun = self._begun, b""
        events = self._feed(begun) if begun else []
        return events + self._decoded(self._framer.flush())

    def finish(self, end: End = EOF) -> Numbered:
        """What is left, and the closing `usage`."""
        events = self.flush()
        return events + [(None, event) for event in self._decoder.finish(end)]

    def _pieces(self, kind: type[Piece], texts: list[str]) -> Iterable[tuple[int, Event]]:
        """The events of the frames that come next, which are pieces of one kind."""
        return enumerate(map(kind, texts), self.frames)

    def _feed(self, chunk: bytes) -> Numbered:
        framer, decoder = self._framer, self._decoder
        if self.overflowed:
            return []
        frames = framer.feed(chunk)
        events = self._decoded(frames) if frames else []
        if framer.overflowed:
            self.overflowed = True
            events += [(None, event) for event in decoder.overflow()]
        elif framer.is_stream is False:
            decoder.body(framer.body(chunk))
        elif frames and self._learning and decoder.plain:
            self._learn(frames[-1])
        return events

    def _decoded(self, frames: list[Frame]) -> Numbered:
        decode, number = self._decoder.frame, self.frames
        events: Numbered = []
        for frame in frames:
            for event in decode(frame):
                events.append((number, event))
            number += 1
        self.frames = number
        return events

    def _learn(self, frame: Frame) -> None:
        """Take a frame that is nothing but a piece of text as the pattern of those that follow."""
        piece = self._decoder.piece(frame)
        if piece is not None and frame.id is None and self.frames > 1:  # the first may have a byte order mark
            if self._alike.learn(frame.raw, piece):
                self._worth = 2 * len(frame.raw)
            self._learning = self._worth == _NEVER and self._alike.learns

    def _read(self, raw: bytes) -> Text | Reasoning | None:
        frames = SSEDecoder().feed(raw)
        return self._decoder.piece(frames[0]) if len(frames) == 1 else None
