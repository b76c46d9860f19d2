"""Which cases a stream is put to: all of them where they are few, else a sample. The same seed gives the same cases."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from harness.sweep.cases import ENDINGS, Case, Chunks, Corrupt, Double, Drop, Fail, Slow, Status, Swap, Whole
from harness.sweep.marks import STATUSES, is_end_mark
from harness.sweep.streams import Stream

EVERY_BYTE = 20_000
"""Bytes of all responses of a file up to which it is cut at every byte, where nothing else is asked for."""

SAMPLE = 2_000
"""Cuts of a larger file."""

DAMAGE = frozenset({"drop", "double", "swap", "corrupt", "fail"})

_EACH_KIND = 30
_SIZES = (1, 2, 3, 7)
_BUDGET = 10_000_000
"""Bytes that one kind of case may decode: with huge responses there are fewer cases, never less than two."""

_MARKED = (b"\n\n", b"\r\r", b"\r\n\r", b"\n\r", b"\r\n\r\n")


@dataclass(frozen=True)
class Plan:
    """`sample`: cuts of a file; 0 cuts it at every byte, None as its size says."""

    seed: int = 0
    sample: int | None = None

    def source(self, *place: object) -> random.Random:
        """The random numbers of one place in a file. The path does not count: a copy gets the same cases."""
        return random.Random(":".join(map(str, (self.seed, *place))))

    def cuts_of(self, size: int) -> int | None:
        """How many cuts a file gets whose responses have `size` bytes together; None is one at every byte."""
        if self.sample is None:
            return None if size <= EVERY_BYTE else SAMPLE
        return self.sample or None


def cut_offsets(stream: Stream, count: int | None, source: random.Random) -> list[Sequence[int]]:
    """For each piece the offsets at which it is cut: its start always, and all others or `count` in the whole stream.

    Up to a quarter of a sample lies inside UTF-8 sequences. The last entry, after the last piece, is the end.
    """
    sizes = [len(piece) for piece in stream.pieces]
    if count is None or count >= sum(sizes):
        return [*(range(size) for size in sizes), (0,)]
    body = stream.body
    inside = [at for at in range(len(body)) if body[at] & 0xC0 == 0x80]
    chosen = {*source.sample(inside, min(len(inside), count // 4))}
    while len(chosen) < count:
        chosen.add(source.randrange(len(body)))
    found: list[Sequence[int]] = []
    start = 0
    for size in sizes:
        found.append([0, *sorted(at - start for at in chosen if start < at < start + size)])
        start += size
    return [*found, (0,)]


def mutations(stream: Stream, source: random.Random) -> Iterator[Case]:
    """All cases but cuts."""
    yield Whole()
    most = _bounded(_EACH_KIND, stream)
    body = stream.body
    yield from chunkings(stream, source)
    yield from (Status(status) for status in STATUSES)
    frames = [*range(len(stream.pieces))]
    endings = [*ENDINGS]
    if not stream.framed:
        frames = []
    for place, frame in enumerate(_some(frames, most, source)):
        yield Drop(frame, endings[place % len(endings)])
    for frame in _some([frame for frame in frames if stream.pieces[frame].endswith(_MARKED)], most, source):
        yield Double(frame)
    for place, frame in enumerate(_some(frames[:-1], most, source)):
        other = frame + 1 if place % 2 else source.choice(frames)
        yield Swap(frame, other, endings[place % len(endings)])
    for place in range(most if body else 0):
        piece = source.choices(range(len(stream.pieces)), [len(piece) for piece in stream.pieces])[0]
        offset = source.randrange(len(stream.pieces[piece]))
        yield Corrupt(piece, offset, source.randrange(256), endings[place % len(endings)])
    yield from (Fail(frame) for frame in _some(_before_the_end(stream), most, source))


def chunkings(stream: Stream, source: random.Random) -> Iterator[Case]:
    """The same bytes in other chunks, of one size and at random."""
    most = _bounded(_EACH_KIND, stream)
    yield from (Chunks(size) for size in _SIZES if size == 1 or most > 2)
    for _ in range(min(3, most)):
        yield Chunks(at=_borders(len(stream.body), source))


def turn_cases(stream: Stream, source: random.Random, read_timeout: float) -> Iterator[Case]:
    """The cases that the agent loop is put to, but for cuts: some of each kind of damage, and what only a turn meets.

    `read_timeout`: seconds of silence after which the loop's client leaves.
    """
    yield from (Chunks(1), Chunks(at=_borders(len(stream.body), source)))
    for frame in _some([*range(len(stream.pieces) + 1)], 4, source):
        yield from (Slow(frame, read_timeout * part) for part in (0.99, 1.01))
    yield from (Status(status, stays) for status in STATUSES for stays in (False, True))
    seen: Counter[str] = Counter()
    for case in mutations(stream, source):
        seen[case.kind] += 1
        if case.kind in DAMAGE and seen[case.kind] <= 4:
            yield case


def turn_cuts(stream: Stream, source: random.Random) -> list[tuple[int, int]]:
    """Frame and offset of the cuts that the loop is put to: at each border, inside, and just before its last byte.

    The other bytes of a frame give the loop the same events as one of these (the adapters' sweep cuts at all).
    """
    places = [
        (frame, offset)
        for frame, piece in enumerate(stream.pieces)
        for offset in sorted({0, len(piece) // 2, max(len(piece) - 1, 0)})
    ]
    return [*sorted(_some(places, _bounded(200, stream), source)), (len(stream.pieces), 0)]


def _bounded(most: int, stream: Stream) -> int:
    return max(2, min(most, _BUDGET // (len(stream.body) + 1)))


def _some(items: list, most: int, source: random.Random) -> list:  # type: ignore[type-arg]
    return items if len(items) <= most else sorted(source.sample(items, most))


def _borders(size: int, source: random.Random) -> tuple[int, ...]:
    """Chunk borders as a network makes them: mostly small chunks, some large."""
    borders = []
    at = 0
    while (at := at + source.choice((source.randint(1, 9), source.randint(10, 200)))) < size:
        borders.append(at)
    return tuple(borders)


def _before_the_end(stream: Stream) -> list[int]:
    """The frames before which the provider may still report an error: up to the one with the end mark."""
    if not stream.framed:
        return []
    from agent.sse import SSEDecoder

    decoder = SSEDecoder()
    found = []
    for index, piece in enumerate(stream.pieces):
        found.append(index)
        if any(is_end_mark(stream.wire, frame) for frame in decoder.feed(piece)):
            break
    return found
