"""The data of a frame in its raw bytes: read, and put there anew. Pure.

Unlike the decoder of `agent.sse` this also reads a frame that was never terminated.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from agent.sse import Frame, SSEDecoder

_LINES = re.compile(rb"([^\r\n]*)(\r\n|\r|\n|\Z)")
_DATA = re.compile(rb"(\xef\xbb\xbf)?data(:?)( ?)(.*)", re.DOTALL)


def data_of(raw: bytes) -> bytes | None:
    """The data of a frame, its lines joined with LF, also where the frame is not terminated; None without any."""
    found = [match[4] for line in _LINES.finditer(raw) if (match := _DATA.fullmatch(line[1])) and _is_data(match)]
    return b"\n".join(found) if found else None


def with_data(raw: bytes, data: bytes) -> bytes:
    """The frame with other data, in place of its first data line; all other lines stay."""
    parts = []
    put = False
    for line in _LINES.finditer(raw):
        match = _DATA.fullmatch(line[1])
        if match is None or not _is_data(match):
            parts.append(line[0])
        elif not put:
            put = True
            lead = (match[1] or b"") + b"data:" + match[3]
            ending = line[2] or b"\n"
            parts.append(ending.join(lead + one for one in data.split(b"\n")) + line[2])
    return b"".join(parts)


def _is_data(match: re.Match[bytes]) -> bool:
    """A field is named `data` when a colon follows, or nothing (WHATWG, interpreting an event stream)."""
    return bool(match[2]) or not (match[3] or match[4])


def change_other_lines(raw: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Each line that is no data line, changed."""

    def changed(line: re.Match[bytes]) -> bytes:
        match = _DATA.fullmatch(line[1])
        return line[0] if match is not None and _is_data(match) else change(line[1]) + line[2]

    return _LINES.sub(changed, raw)


def reread(raw: bytes, frame: Frame) -> Frame:
    """The frame of redacted bytes. Its last event id may come from an earlier frame, so it is taken over."""
    decoder = SSEDecoder()
    frames = [*decoder.feed(raw), *decoder.flush()]
    if len(frames) != 1:
        return Frame(raw, None, None, frame.id, frame.unterminated)
    again = frames[0]
    again.id, again.unterminated = frame.id, frame.unterminated
    return again
