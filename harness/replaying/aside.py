"""Sets most lines of a recording aside: those of events are not parsed, those of frames many at once."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import groupby

import orjson

from harness.recording.contents import Call
from harness.replaying.derive import FIRST

_EVENT_LINE, _FRAME_LINE = b'{"kind":"event","seq":', b'{"kind":"frame","seq":'
_REQUEST_LINE, _END_LINE = b'{"kind":"request"', b'{"kind":"end"'
_LF = 10
_LINE_END = b'\\n"'
"""How the JSON string of a frame ends."""
_JOINED = b'{"kind":"frame","seq":0,"t":0,"call":%b,"i":%b,"raw":"'
_COUNT = rb"(?:0|[1-9]\d{0,17}+)"  # longer ones are not read as integers
_TIME = _COUNT + rb"(?:\.\d++)?+(?:e-\d++)?+"
_PLACE = re.compile(rb'(,"call":(%b),"i":)(%b),"raw":"' % (_COUNT, _COUNT))
_BETWEEN = re.compile(
    rb'\n%b%b,"t":%b,"call":(%b),"frame":(%b),"event":(\{[^\n]*+)\n%b%b,"t":%b,"call":\1,"i":(%b),"raw":"'
    % (re.escape(_EVENT_LINE), _COUNT, _TIME, _COUNT, _COUNT, re.escape(_FRAME_LINE), _COUNT, _TIME, _COUNT)
)
"""From the end of a frame to the bytes of the next: one event, whose call, frame and JSON are groups, and the start of
the line of a frame, whose number is one."""
_EVENT_HEAD, _FRAME_HEAD, _FRAME_TAIL = (
    re.compile(rb"(?:%b\n)*+" % part)  # possessive, as there may be very many
    for part in (
        rb'%b%b,"t":%b' % (re.escape(_EVENT_LINE), _COUNT, _TIME),
        rb'%b%b,"t":%b' % (re.escape(_FRAME_LINE), _COUNT, _TIME),
        rb'(?:,"cuts":\[(?:%b(?:,%b)*+)?\](?:,"cut_t":\[(?:%b(?:,%b)*+)?\])?)?\}' % (_COUNT, _COUNT, _TIME, _TIME),
    )
)


@dataclass(slots=True)
class Events:
    """Events by what stands in their lines behind the time: calls, frames, and the JSON with the brace of the line."""

    calls: list[bytes] = field(default_factory=list)
    frames: list[bytes] = field(default_factory=list)
    shown: list[bytes] = field(default_factory=list)

    def part(self, start: int, stop: int) -> Events:
        return Events(self.calls[start:stop], self.frames[start:stop], self.shown[start:stop])


class Aside:
    """What was set aside of the lines of one file.

    Frames that the writer has made and that follow one another become one frame of many; `whole` gives the bytes back
    to the calls.
    """

    def __init__(self) -> None:
        self._events: list[Events | list[bytes]] = []  # in the order of the file; lists are of lines
        self._count = 0  # how many events that are
        self._joined: dict[tuple[int, int], tuple[int, bytes]] = {}
        self._marks: list[tuple[bytes, int]] = []

    def choose(self, block: bytes) -> list[bytes]:
        """The lines of a block that are to be parsed. Raises `ValueError` where frames are not what they look like."""
        found = _PLACE.search(block)
        if found is None or int(found[3]) >= FIRST:
            return self._by_frame(block)
        start = block.rfind(b"\n", 0, block.find(b'%b%d,"raw":"' % (found[1], FIRST)) + 1)
        if start < 0:
            return self._by_line(block)
        return self._by_line(block[:start]) + self._by_frame(block[start + 1 :])

    def _by_frame(self, block: bytes) -> list[bytes]:
        """The same, where each frame has one event, by what stands between frames; else line by line."""
        parts = _BETWEEN.split(block)
        raws, calls, frames, events, following = (parts[group::5] for group in range(5))
        many = len(calls)
        if many < 3:
            return self._by_line(block)
        numbers = count_from(int(frames[0]), many + 1)
        ends = [raw.rpartition(_LINE_END) for raw in raws[1:-1]]
        inner = [raw for raw, _, _ in ends]
        if (
            calls.count(calls[0]) < many
            or frames != numbers[:-1]
            or following != numbers[1:]
            or not _are_all(_FRAME_TAIL, {tail for _, _, tail in ends})
            or _LF in b"".join(inner)
        ):
            return self._by_line(block)
        rest = self._by_line(raws[0])
        rest += self._whole_line(int(calls[0]), int(following[0]), inner)
        self._events.append(Events(calls, frames, events))
        self._count += many
        return rest + self._by_line(_JOINED % (calls[0], following[-1]) + raws[-1])

    def _by_line(self, block: bytes) -> list[bytes]:
        """The same for any lines."""
        events: list[bytes] = []
        self._events.append(events)
        before = self._count
        rest: list[bytes] = []
        frames: list[bytes] = []
        for line in block.split(b"\n"):
            if line.startswith(_EVENT_LINE):
                events.append(line)
            elif line.startswith(_FRAME_LINE):
                frames.append(line)
            else:
                rest += self._join(frames)
                frames = []
                rest.append(line)
                self._marks.append((line[: len(_REQUEST_LINE)], before + len(events)))
        self._count += len(events)
        return rest + self._join(frames)

    def _whole_line(self, call: int, first: int, raws: list[bytes]) -> list[bytes]:
        """One line that stands for frames, of which the line ends are taken off."""
        groups = groupby(raws, bytes.isascii)  # a letter that is not ASCII makes all that is read with it slower
        texts = [orjson.loads(b'"%b\\n"' % b"\\n".join(group)).encode() for _, group in groups]
        self._joined[call, first] = len(raws), b"".join(texts)
        return [_JOINED % (b"%d" % call, b"%d" % first) + b'"}']

    def _join(self, frames: list[bytes]) -> list[bytes]:
        """The lines of frames; where they follow one another, one line that stands for all, without their bytes.

        Each of those ends in an escaped line end, so that nothing of its JSON can reach over into the next.
        """
        found = _PLACE.search(frames[0]) if len(frames) > 1 else None
        if found is None:
            return frames
        place, call, first = found[1], int(found[2]), int(found[3])
        if first < FIRST:
            return frames[: FIRST - first] + self._join(frames[FIRST - first :])
        places = [b'%b%d,"raw":"' % (place, number) for number in range(first, first + len(frames))]
        halves = [line.partition(at) for line, at in zip(frames, places, strict=True)]
        ends = [raw.rpartition(_LINE_END) for _, _, raw in halves]
        if not _are_all(_FRAME_HEAD, [head for head, _, _ in halves]):
            return frames
        if not _are_all(_FRAME_TAIL, {tail for _, _, tail in ends}):
            return frames
        return self._whole_line(call, first, [raw for raw, _, _ in ends])

    def whole(self, call: Call) -> int | None:
        """Give a call the bytes of its joined frames, which are numbered anew. How many frames it has.

        None where a number does not follow the one before, and where it could matter how the bytes are cut.
        """
        count = 0
        for index, part in enumerate(call.frames):
            if part.i != count:
                return None
            many, part.raw = self._joined.get((call.number, count), (1, part.raw))
            part.i = index
            count += many
            if part.cuts == []:
                part.cuts = None  # a chunk each
        if count > len(call.frames) and (call.response is None or not 200 <= call.response.status < 300):
            return None  # of a failure not all is read
        return count

    def fits(self, starts: list[int]) -> bool:
        """Whether the events of each call, which begin with those numbers, stand behind its request, and all before the
        end of the recording."""
        requests = [at for line, at in self._marks if line == _REQUEST_LINE]
        last, at = self._marks[-1]
        return (
            len(requests) == len(starts)
            and all(request <= start for request, start in zip(requests, starts, strict=True))
            and last.startswith(_END_LINE)
            and at == self._count
        )

    def are_written(self, events: Events) -> bool:
        """Whether these are the events of the file, in lines as the writer makes them."""
        if len(events.calls) != self._count:
            return False
        at = 0
        for found in self._events:
            size = len(found) if isinstance(found, list) else len(found.calls)
            part = events.part(at, at + size)
            if not (_are_lines(found, part) if isinstance(found, list) else found == part):
                return False
            at += size
        return True


def count_from(first: int, many: int) -> list[bytes]:
    """So many numbers, as JSON has them."""
    return orjson.dumps([*range(first, first + many)])[1:-1].split(b",")


def _are_lines(lines: list[bytes], events: Events) -> bool:
    """Whether lines are those of events."""
    written = zip(lines, events.calls, events.frames, events.shown, strict=True)
    heads = [
        line.removesuffix(b',"call":%b,"frame":%b,"event":%b' % (call, frame, shown))
        for line, call, frame, shown in written
    ]
    return _are_all(_EVENT_HEAD, heads)  # a line that is left whole is none


def _are_all(form: re.Pattern[bytes], parts: Iterable[bytes]) -> bool:
    """Whether parts of lines have a form."""
    return form.fullmatch(b"\n".join((*parts, b""))) is not None
