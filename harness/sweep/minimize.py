"""The smallest counter-example: frames are taken out and the cut is moved forward while the same law breaks. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from harness.sweep.cases import Case, Cut
from harness.sweep.streams import Stream
from harness.sweep.tally import Example

_TRIES = 500
"""Cases that are tried; huge streams are left larger than they need be."""


def minimize(stream: Stream, case: Case, breaks: Callable[[Stream, Case], str | None]) -> Example:
    """The smallest stream and case found for which `breaks` gives a reason, as it does for those given.

    Runs of frames are taken out, from half of the stream down to single ones (delta debugging: Zeller, 1999).
    """
    stream = replace(stream, expected=None)
    best = Example(stream, case, breaks(stream, case) or "it breaks no more when it is looked at by itself")
    left = _TRIES
    size = (len(stream.pieces) + 1) // 2 if stream.framed else 0
    while size and left > 0:
        smaller = False
        at = len(best.stream.pieces) - size
        while at > -size and left > 0:
            count = len(best.stream.pieces)
            found = _without(best.stream, best.case, range(max(at, 0), min(max(at, 0) + size, count)))
            left -= 1
            reason = found and breaks(*found)
            if found is not None and reason:
                best = Example(*found, reason)
                smaller = True
            at -= size
        size = size if smaller and size == 1 else size // 2
    if isinstance(best.case, Cut):
        for offset in _earlier(best.case.offset):
            cut = replace(best.case, offset=offset)
            reason = breaks(best.stream, cut)
            if reason:
                return Example(best.stream, cut, reason)
    return best


def _without(stream: Stream, case: Case, frames: Iterable[int]) -> tuple[Stream, Case] | None:
    """Stream and case without some frames; None where the case needs one of them."""
    gone = {*frames}
    moved: Case | None = case
    for frame in sorted(gone, reverse=True):
        moved = moved and moved.without(frame)
    if moved is None or not gone:
        return None
    return replace(stream, pieces=tuple(piece for at, piece in enumerate(stream.pieces) if at not in gone)), moved


def _earlier(offset: int) -> Iterable[int]:
    """Offsets before this one: the border, then ever nearer."""
    distance = offset
    while distance > 0:
        yield offset - distance
        distance //= 2
