"""Where a text ends that may go on to be a key of a known shape in base64. Pure.

Nearly every letter can be the first of such a key, so a text is open only where it looks like base64: its last run is
of mixed characters, or begins as a key does. Base64 that comes in pieces of few characters need not look so.
"""

from __future__ import annotations

import re
from functools import cache

from harness.redaction.in_base64 import BASE64, chars_before, core_start, cores_of, readings
from harness.redaction.open_shapes import LONGEST, Ends, add_end, add_first, heads, shape_ends, shape_start

MIN_MIXED = 5
"""Characters of a run from which on it is looked at for what it is mixed of."""

_CHARS = frozenset(BASE64[at : at + 1] for at in range(len(BASE64)))
_MIXED = re.compile(rb"[a-z0-9][A-Z]|[A-Z][0-9]")
_ESCAPED = (b"b", b"f", b"n", b"r", b"t")
_WORD = b"a"
"""What begins a key in base64 and is an English word: it is the word."""


def open_in_base64(text: bytes) -> int:
    """From where on a text may go on to be a key; its length where it cannot."""
    size = len(text)
    if text[-1:] not in _CHARS:
        return size
    run = text[max(len(text.rstrip(BASE64)), size - LONGEST) :]
    if run[:1] in _ESCAPED and text[: -len(run)].endswith(b"\\"):
        run = run[1:]
    if run in _first_beginnings():
        return size - len(run)
    if len(run) < MIN_MIXED or _MIXED.search(run) is None:
        return size
    found = len(run)
    beginnings, longest = _beginnings()
    for length in range(min(longest, len(run)), 0, -1):
        if run[-length:] in beginnings:
            found -= length
            break
    for missing, data in readings(run):
        start = shape_start(data)
        if start < len(data):
            found = min(found, max(0, core_start(start) - missing))
    return size - len(run) + found


@cache
def all_ends() -> Ends:
    """How a text ends that may end inside the head of a key, plain or in base64."""
    ends = dict(shape_ends())
    for end in _first_beginnings():
        if len(end) > 1:
            add_end(ends, end)
        else:
            add_first(ends, end)
    return ends


@cache
def _first_beginnings() -> frozenset[bytes]:
    """How runs begin that are keys from their first character on: as far as the head of the key goes."""
    cores = {core for head in heads() for core in cores_of(head, 0)}
    return frozenset(core[:length] for core in cores for length in range(1, len(core) + 1)) - {_WORD}


@cache
def _beginnings() -> tuple[frozenset[bytes], int]:
    """How runs end that may go on to be keys with something before them, and how long that is at most."""
    cores = {core for head in heads() for before in range(3) for core in cores_of(head, before)}
    found = {core[:length] for core in cores for length in range(1, len(core) + 1)}
    found |= {char for head in heads() for before in (1, 2) for char in chars_before(head, before)}
    return frozenset(found), max(map(len, cores))
