"""The end of a recording that is to be appended to: repaired, and where its counters stand."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from agent.jsonio import NotJSON, loads
from harness.errors import RecordingError, UnreadableRecording
from harness.recording.lines import GZIP, salvage
from harness.recording.reader import RecordReader
from harness.recording.records import Record

_BLANK = b" \t\r\n\0"
_STEP = 1 << 16
_BEGINNING = b'{"kind":"header"'
"""A file with nothing but the torn first line of a recording can be appended to: it begins anew."""


@dataclass(slots=True)
class Tail:
    """Where a recording goes on: the next `seq`, `call` and `turn`, and the time of its last record in seconds."""

    seq: int = 0
    t: float = 0.0
    call: int = 0
    turn: int = 0

    def add(self, record: Record) -> None:
        """Count a record; what is no number in it is passed by."""
        self.seq = max(self.seq, _integer(record.get("seq")) + 1)
        self.call = max(self.call, _integer(record.get("call")) + 1)
        self.turn = max(self.turn, _integer(record.get("turn")) + 1)
        t = record.get("t")
        if isinstance(t, int | float):
            self.t = max(self.t, t)


def check_appendable(path: Path) -> None:
    """Raises `RecordingError` for a file that is no recording, so that nothing of it is taken for a torn line."""
    with path.open("rb") as file:
        start = file.read(_STEP)
    if start.startswith(GZIP):
        raise RecordingError("cannot append to a compressed recording", path, todo="unpack it first")
    text = start.strip(_BLANK)
    try:
        if text:
            next(iter(RecordReader(path)))
    except UnreadableRecording:
        if b"\n" in text or not _BEGINNING.startswith(text.replace(b" ", b"")[: len(_BEGINNING)]):
            raise


def repair(descriptor: int) -> None:
    """Make a file end with a whole line.

    Blank lines and NUL bytes at the end go. A last line from which something can be read gets its LF; any other is
    cut off.
    """
    size = os.fstat(descriptor).st_size
    end = _end_of_text(descriptor, size)
    if end + 1 == size and _read(descriptor, end, size) == b"\n" and _is_object(_last_line(descriptor, end)):
        return
    line = _last_line(descriptor, end)
    readable = _is_object(line) or bool(salvage(line)[0])
    keep = end if readable else end - len(line)
    os.ftruncate(descriptor, keep)
    if readable:
        os.write(descriptor, b"\n")


def scan(path: Path) -> Tail:
    """The counters of a repaired recording; of an empty file they are zero. Raises `RecordingError`."""
    tail = Tail()
    if path.stat().st_size == 0:
        return tail
    for _, record in RecordReader(path):
        tail.add(record)
    return tail


def _integer(value: object) -> int:
    return value if type(value) is int else -1


def _read(descriptor: int, start: int, end: int) -> bytes:
    os.lseek(descriptor, start, os.SEEK_SET)
    parts = []
    while start < end:
        part = os.read(descriptor, end - start)
        if not part:
            break
        parts.append(part)
        start += len(part)
    return b"".join(parts)


def _end_of_text(descriptor: int, size: int) -> int:
    """The offset after the last byte that is neither blank nor NUL."""
    while size:
        start = max(0, size - _STEP)
        text = _read(descriptor, start, size).rstrip(_BLANK)
        if text:
            return start + len(text)
        size = start
    return 0


def _last_line(descriptor: int, end: int) -> bytes:
    """The line that ends at `end`, without its LF."""
    start, parts = end, [b""]
    while start:
        step = max(0, start - _STEP)
        part = _read(descriptor, step, start)
        at = part.rfind(b"\n") + 1
        parts.append(part[at:])
        if at:
            break
        start = step
    return b"".join(reversed(parts))


def _is_object(line: bytes) -> bool:
    try:
        return type(loads(line)) is dict
    except NotJSON:
        return False
