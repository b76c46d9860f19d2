"""Sets most lines of a recording aside: those of events are not parsed, those of frames many at once."""

from __future__ import annotations

import re
from collections.abc import Iterable

import orjson

from harness.recording.contents import Call
from harness.replaying.derive import FIRST

_EVENT_LINE, _FRAME_LINE = b'{"kind":"event","seq":', b'{"kind":"frame","seq":'
_REQUEST_LINE, _END_LINE = b'{"kind":"request"', b'{"kind":"end"'
_LINE_END = b'\\n"'
"""How the JSON string of a frame ends."""
_COUNT = rb"(?!0\d)\d{1,18}+"  # longer ones are not read as integers
_TIME = _COUNT + rb"(?:\.\d++)?+(?:e-\d++)?+"
_PLACE = re.compile(rb'(,"call":(%b),"i":)(%b),"raw":"' % (_COUNT, _COUNT))
_EVENT_HEAD, _FRAME_HEAD, _FRAME_TAIL = (
    re.compile(rb"(?:%b\n)*+" % part)  # possessive, as there may be very many
    for part in (
        rb'%b%b,"t":%b' % (re.escape(_EVENT_LINE), _COUNT, _TIME),
        rb'%b%b,"t":%b' % (re.escape(_FRAME_LINE), _COUNT, _TIME),
        rb'(?:,"cuts":\[(?:%b(?:,%b)*+)?\](?:,"cut_t":\[(?:%b(?:,%b)*+)?\])?)?\}' % (_COUNT, _COUNT, _TIME, _TIME),
    )
)


class Aside:
    """What was set aside of the lines of one file.

    `events`: the lines of events, as they are. Frames that the writer has made and that follow one another become one
    frame of many; `whole` gives the bytes back to the calls.
    """

    def __init__(self) -> None:
        self.events: list[bytes] = []
        self._joined: dict[tuple[int, int], tuple[int, bytes]] = {}
        self._marks: list[tuple[bytes, int]] = []

    def choose(self, block: bytes) -> list[bytes]:
        """The lines of a block that are to be parsed. Raises `ValueError` where frames are not what they look like."""
        events = self.events
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
                self._marks.append((line[: len(_REQUEST_LINE)], len(events)))
        return rest + self._join(frames)

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
        text: str = orjson.loads(b'"%b\\n"' % b"\\n".join([raw for raw, _, _ in ends]))
        self._joined[call, first] = len(frames), text.encode()
        return [b'{"kind":"frame","seq":0,"t":0,"call":%d,"i":%d,"raw":""}' % (call, first)]

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
            and at == len(self.events)
        )

    def are_written(self, tails: list[bytes]) -> bool:
        """Whether the lines of events end with `tails`, and begin as the writer begins them."""
        lines = self.events
        if len(lines) != len(tails):
            return False
        heads = [line.removesuffix(tail) for line, tail in zip(lines, tails, strict=True)]
        return _are_all(_EVENT_HEAD, heads)  # a line that is left whole is none


def _are_all(form: re.Pattern[bytes], parts: Iterable[bytes]) -> bool:
    """Whether parts of lines have a form."""
    return form.fullmatch(b"\n".join((*parts, b""))) is not None
