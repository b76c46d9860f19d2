"""Every case of one stream, over its adapter.

A stream is decoded once, frame by frame. At each cut a copy of the framer takes the bytes of the broken frame and is
flushed, and a copy of the decoder gets what comes of that. Cuts that give the decoder the same blocks come out the
same, so it is finished once for all of them: the time is linear in the bytes, but for the longest frame.
"""

from __future__ import annotations

import copy
import pickle
import random
from collections.abc import Iterator, Sequence
from typing import Any

from agent.events import End, Event
from agent.response import Framer, ResponseDecoder
from agent.sse import Frame
from harness.errors import raised
from harness.sweep.cases import ENDINGS, Case, Cut, Status, Whole
from harness.sweep.decode import Run, decode, machines
from harness.sweep.laws import judge
from harness.sweep.marks import is_end_mark
from harness.sweep.plan import cut_offsets, mutations
from harness.sweep.seen import Full, Seen, marked
from harness.sweep.streams import Stream
from harness.sweep.tally import Tally

_ALL_ENDINGS = 1000
"""Frames up to which each cut gets every ending; in longer streams they take turns."""


def sweep_stream(stream: Stream, cuts: int | None, source: random.Random) -> Tally:
    """All laws over all cases. `cuts`: how many, besides those at frame borders; None is one at every byte."""
    tally = Tally()
    full = full_run(stream)
    for case in mutations(stream, source):
        tally.add(stream, case, judge(see(stream, case, full)))
    if full.run.raised is None:
        offsets = cut_offsets(stream, cuts, source)
        for times, cut, seen in _cuts(stream, full, offsets) if stream.framed else _body_cuts(stream, full, offsets):
            tally.add(stream, cut, judge(seen), times=times)
    return tally


def full_run(stream: Stream) -> Full:
    return Full(stream, decode(stream, Whole().answer(stream)))


def see(stream: Stream, case: Case, full: Full | None = None) -> Seen:
    """What comes of one case, decoded by itself."""
    full = full or full_run(stream)
    answer = case.answer(stream)
    run = full.run if isinstance(case, Whole) else decode(stream, answer)
    seen = _seen(full, case.kind, run, answer.end)
    seen.frames = len(run.frames)
    if isinstance(case, Cut):
        seen.frames = full.came(case.frame, run.frames[case.frame :])
        seen.marked = marked(stream, run.frames, b"".join(answer.chunks))
    elif isinstance(case, Status):
        seen.status = case.status
    return seen


def breaks(law: str, stream: Stream, case: Case) -> str | None:
    """How one case breaks a law; None where it does not."""
    return dict(judge(see(stream, case))).get(law)


def _seen(full: Full, kind: str, run: Run, end: End) -> Seen:
    return Seen(full, kind, run.fed, run.finished, end, raised=run.raised)


def _body_cuts(stream: Stream, full: Full, offsets: Sequence[Sequence[int]]) -> Iterator[tuple[int, Cut, Seen]]:
    """A plain body is read at its end: each cut is decoded by itself, the endings take turns."""
    places = [(frame, offset) for frame, inside in enumerate(offsets) for offset in inside]
    names = [*ENDINGS]
    for number, (frame, offset) in enumerate(places):
        cut = Cut(frame, offset, names[number % len(names)])
        yield 1, cut, see(stream, cut, full)


def _cuts(stream: Stream, full: Full, offsets: Sequence[Sequence[int]]) -> Iterator[tuple[int, Cut, Seen]]:
    """Each outcome of a cut: how many cuts come out so, the first of them, and what it gave."""
    framer, decoder = machines(stream)
    same = 0
    done = False
    extra: list[Event] = []
    for number, inside in enumerate(offsets):
        piece = stream.pieces[number] if number < len(stream.pieces) else b""
        names = [*ENDINGS] if len(offsets) <= _ALL_ENDINGS else [[*ENDINGS][number % len(ENDINGS)]]
        before = _Copies(decoder)
        for times, offset, frames in _blocks(framer, piece, inside):
            probe = before.one()
            fed, failure = _feed(probe, frames)
            ends = done or any(is_end_mark(stream.wire, frame) for frame in frames)
            probes = _Copies(probe)
            for name in names:
                seen = _finish(probes.one(), full, extra + fed, name, failure)
                seen.same, seen.frames, seen.marked = same, full.came(number, frames), ends
                yield times, Cut(number, offset, name), seen
        for frame in framer.feed(piece):
            done = done or is_end_mark(stream.wire, frame)
            extra += decoder.frame(frame)
        while extra and same < len(full.fed) and extra[0] == full.fed[same]:
            same += 1
            del extra[0]


def _blocks(framer: Framer, piece: bytes, offsets: Sequence[int]) -> Iterator[tuple[int, int, list[Frame]]]:
    """The different blocks that a broken frame may leave: how many of the offsets do, the first of them, the blocks."""
    copies = _Copies(framer)
    found: dict[tuple[object, ...], tuple[int, int, list[Frame]]] = {}
    for offset in offsets:
        twin = copies.one()
        frames = twin.feed(piece[:offset]) + twin.flush()
        key = tuple([(frame.data, frame.event, frame.id) for frame in frames])
        times, first, _ = found.get(key, (0, offset, frames))
        found[key] = (times + 1, first, frames)
    yield from found.values()


class _Copies:
    """Copies of a machine as it stands. By pickle they take a fifth of the time of `copy.deepcopy`."""

    def __init__(self, machine: Framer | ResponseDecoder) -> None:
        self._machine = machine
        try:
            self._saved: bytes | None = pickle.dumps(machine)
        except (pickle.PicklingError, AttributeError, TypeError):  # something in it that only `deepcopy` knows
            self._saved = None

    def one(self) -> Any:
        return copy.deepcopy(self._machine) if self._saved is None else pickle.loads(self._saved)


def _feed(probe: ResponseDecoder, frames: list[Frame]) -> tuple[list[Event], str | None]:
    """The events of further frames, and an exception."""
    fed: list[Event] = []
    try:
        for frame in frames:
            fed += probe.frame(frame)
    except Exception as error:
        return fed, raised(error)
    return fed, None


def _finish(probe: ResponseDecoder, full: Full, fed: list[Event], name: str, failure: str | None) -> Seen:
    finished: list[Event] = []
    if failure is None:
        try:
            finished = probe.finish(ENDINGS[name])
        except Exception as error:
            failure = raised(error)
    return Seen(full, "cut", fed, finished, ENDINGS[name], raised=failure)
