"""The texts that a stream delivers in pieces, frame by frame: what a secret can be split over.

A channel is what the strings at one place of the frames' JSON give when they are joined (`delta.text` of block 0). The
wire format need not be known. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from agent.jsonio import NotJSON, loads_exact
from harness.redaction.finder import Finder, Hit

Place: TypeAlias = tuple[str | int, ...]
"""Names and indexes that lead to a string inside a JSON value."""

_LABELS = ("type", "index", "output_index", "content_index", "summary_index", "item_id")
"""What tells the texts of one frame's kind apart: parallel tool calls, blocks, items."""


@dataclass(slots=True, frozen=True)
class Piece:
    """A string in the data of a frame. `place` is empty where the data is no JSON: it is one string then."""

    frame: int
    place: Place
    text: bytes


@dataclass(slots=True, frozen=True)
class Split:
    """A secret over several pieces: `parts` are `(index of the piece, start, end)`."""

    hit: Hit
    parts: tuple[tuple[int, int, int], ...]


def channels(frames: Iterable[tuple[int, bytes]], *, wide: bool = False) -> list[list[Piece]]:
    """The channels of `(number, data)` of frames, each of at least two pieces.

    A channel is what stands at exactly one place, or, if `wide`, at places that differ in list indexes only (Gemini's
    texts are parts of one list). A wide one mixes what belongs apart, so what is split over an exact one comes first.
    """
    found: dict[Any, list[Piece]] = {}
    for frame, data in frames:
        for place, labels, text in _labelled(data):
            names = tuple(part for part in place if isinstance(part, str))
            piece = Piece(frame, place, text.encode("utf-8", "surrogatepass"))
            found.setdefault(names if wide else (place, labels), []).append(piece)
    return [pieces for pieces in found.values() if len({piece.text for piece in pieces}) > 1]


def splits(pieces: list[bytes], finder: Finder) -> list[Split]:
    """The secrets that stand in several of the pieces when these are joined."""
    starts = []
    length = 0
    for piece in pieces:
        starts.append(length)
        length += len(piece)
    found = []
    index = 0
    for hit in finder.find(b"".join(pieces)):
        while starts[index] + len(pieces[index]) <= hit.start:
            index += 1
        parts = []
        other = index
        while other < len(pieces) and starts[other] < hit.end:
            start, end = max(hit.start - starts[other], 0), min(hit.end - starts[other], len(pieces[other]))
            if start < end:
                parts.append((other, start, end))
            other += 1
        if len(parts) > 1:
            found.append(Split(hit, tuple(parts)))
    return found


def _labelled(data: bytes) -> Iterator[tuple[Place, tuple[Any, ...], str]]:
    try:
        value = loads_exact(data)
    except NotJSON:
        yield (), (), data.decode("utf-8", "surrogateescape")
        return
    if isinstance(value, dict | list):
        yield from _walk(value, (), ())


def _walk(value: Any, place: Place, labels: tuple[Any, ...]) -> Iterator[tuple[Place, tuple[Any, ...], str]]:
    if isinstance(value, str):
        yield place, labels, value
    elif isinstance(value, dict):
        own = tuple(value[name] for name in _LABELS if isinstance(value.get(name), str | int))
        for name, item in value.items():
            yield from _walk(item, (*place, name), labels + own)
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from _walk(item, (*place, index), labels)
