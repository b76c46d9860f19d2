"""What the sweep does to a response. Each case is data: it makes an answer out of a stream, and says what it did. Pure.

`frame` counts the pieces of the stream from 0; for a plain body the one piece is the body.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias, TypeVar

from agent.events import EOF, End
from harness.sweep.decode import Answer
from harness.sweep.marks import MARKS
from harness.sweep.streams import Stream

ENDINGS: dict[str, End] = {
    "eof": EOF,
    "reset": End("error", "ReadError", "connection reset"),
    "timeout": End("error", "ReadTimeout", "no data in time"),
    "closed": End("closed"),
}
"""How a response ends: cleanly, broken off, silent for too long, or closed by the client."""


@dataclass(frozen=True)
class Whole:
    """The response as it is."""

    kind: ClassVar[str] = "whole"

    def answer(self, stream: Stream) -> Answer:
        return _answer(stream, stream.pieces, stream.end)

    def says(self) -> str:
        return "as it is"

    def without(self, frame: int) -> Case | None:
        """The same case for a stream without one of its frames; None where it needs that frame."""
        return self


@dataclass(frozen=True)
class Cut:
    """Nothing comes after `offset` bytes of a frame."""

    frame: int
    offset: int
    end: str
    kind: ClassVar[str] = "cut"

    def answer(self, stream: Stream) -> Answer:
        part = stream.pieces[self.frame][: self.offset] if self.offset else b""
        return _answer(stream, (*stream.pieces[: self.frame], part), ENDINGS[self.end])

    def says(self) -> str:
        where = f"in frame {self.frame} after {self.offset} bytes" if self.offset else f"before frame {self.frame}"
        return f"cut {where}, {self.end}"

    def without(self, frame: int) -> Case | None:
        return None if frame == self.frame and self.offset else _moved(self, frame, needed=False)


@dataclass(frozen=True)
class Chunks:
    """The same bytes in other chunks: all of `size`, or cut after each of `at`."""

    size: int = 0
    at: tuple[int, ...] = ()
    kind: ClassVar[str] = "chunks"

    def answer(self, stream: Stream) -> Answer:
        body = stream.body
        borders = range(self.size, len(body), self.size) if self.size else self.at
        return _answer(stream, tuple(_split(body, borders)), stream.end)

    def says(self) -> str:
        return f"in chunks of {self.size} bytes" if self.size else f"in {len(self.at) + 1} chunks"

    def without(self, frame: int) -> Case | None:
        return self


@dataclass(frozen=True)
class Drop:
    """A frame is lost."""

    frame: int
    end: str
    kind: ClassVar[str] = "drop"

    def answer(self, stream: Stream) -> Answer:
        pieces = stream.pieces
        return _answer(stream, (*pieces[: self.frame], *pieces[self.frame + 1 :]), ENDINGS[self.end])

    def says(self) -> str:
        return f"without frame {self.frame}, {self.end}"

    def without(self, frame: int) -> Case | None:
        return _moved(self, frame)


@dataclass(frozen=True)
class Double:
    """A frame comes twice."""

    frame: int
    kind: ClassVar[str] = "double"

    def answer(self, stream: Stream) -> Answer:
        pieces = stream.pieces
        return _answer(stream, (*pieces[: self.frame + 1], *pieces[self.frame :]), stream.end)

    def says(self) -> str:
        return f"frame {self.frame} twice"

    def without(self, frame: int) -> Case | None:
        return _moved(self, frame)


@dataclass(frozen=True)
class Swap:
    """Two frames change places."""

    frame: int
    other: int
    end: str
    kind: ClassVar[str] = "swap"

    def answer(self, stream: Stream) -> Answer:
        pieces = [*stream.pieces]
        pieces[self.frame], pieces[self.other] = pieces[self.other], pieces[self.frame]
        return _answer(stream, pieces, ENDINGS[self.end])

    def says(self) -> str:
        return f"frames {self.frame} and {self.other} swapped, {self.end}"

    def without(self, frame: int) -> Case | None:
        if frame == self.other:
            return None
        moved = _moved(self, frame)
        return moved and replace(moved, other=self.other - (frame < self.other))


@dataclass(frozen=True)
class Corrupt:
    """One byte of a frame is another."""

    frame: int
    offset: int
    byte: int
    end: str
    kind: ClassVar[str] = "corrupt"

    def answer(self, stream: Stream) -> Answer:
        pieces = [*stream.pieces]
        piece = bytearray(pieces[self.frame])
        piece[self.offset] = self.byte
        pieces[self.frame] = bytes(piece)
        return _answer(stream, pieces, ENDINGS[self.end])

    def says(self) -> str:
        return f"byte {self.offset} of frame {self.frame} is 0x{self.byte:02x}, {self.end}"

    def without(self, frame: int) -> Case | None:
        return _moved(self, frame)


@dataclass(frozen=True)
class Fail:
    """The provider reports an error before a frame; what follows comes all the same."""

    frame: int
    kind: ClassVar[str] = "fail"

    def answer(self, stream: Stream) -> Answer:
        pieces = stream.pieces
        failure = MARKS[stream.wire].failure
        return _answer(stream, (*pieces[: self.frame], failure, *pieces[self.frame :]), stream.end)

    def says(self) -> str:
        return f"an error of the provider before frame {self.frame}"

    def without(self, frame: int) -> Case | None:
        return _moved(self, frame, needed=False)


@dataclass(frozen=True)
class Status:
    """An HTTP error comes in place of the response; with `stays` in place of each retry too."""

    status: int
    stays: bool = False
    kind: ClassVar[str] = "status"

    def answer(self, stream: Stream) -> Answer:
        body = b'{"error":{"message":"The provider cannot answer now"}}'
        return Answer((body,), self.status, (("content-type", "application/json"),))

    def says(self) -> str:
        return f"HTTP {self.status} in its place" + (" and in that of each retry" if self.stays else "")

    def without(self, frame: int) -> Case | None:
        return self


@dataclass(frozen=True)
class Slow:
    """From a frame on each chunk, and the end, is `seconds` late; a client with a shorter time-out leaves there."""

    frame: int
    seconds: float
    kind: ClassVar[str] = "slow"

    def answer(self, stream: Stream) -> Answer:
        return replace(_answer(stream, stream.pieces, stream.end), late_from=self.frame, silence=self.seconds)

    def says(self) -> str:
        return f"each frame from {self.frame} on {self.seconds:g} s late"

    def without(self, frame: int) -> Case | None:
        return _moved(self, frame, needed=False)


@dataclass(frozen=True)
class Leave:
    """The reader of the turn leaves after so many loop events."""

    events: int
    kind: ClassVar[str] = "leave"

    def answer(self, stream: Stream) -> Answer:
        return Whole().answer(stream)

    def says(self) -> str:
        return f"left after {self.events} loop events"

    def without(self, frame: int) -> Case | None:
        return self


Case: TypeAlias = Whole | Cut | Chunks | Drop | Double | Swap | Corrupt | Fail | Status | Slow | Leave


def _answer(stream: Stream, pieces: Iterable[bytes], end: End) -> Answer:
    return Answer(tuple(pieces), stream.status, stream.headers, end)


def _split(body: bytes, borders: Iterable[int]) -> Iterator[bytes]:
    start = 0
    for border in (*borders, len(body)):
        if border > start:
            yield body[start:border]
            start = border


_OfFrame = TypeVar("_OfFrame", Cut, Drop, Double, Swap, Corrupt, Fail, Slow)


def _moved(case: _OfFrame, frame: int, *, needed: bool = True) -> _OfFrame | None:
    """The case after `frame` was taken out of the stream; None where it was about that one (`needed`)."""
    if needed and frame == case.frame:
        return None
    return replace(case, frame=case.frame - (frame < case.frame))
