"""Where a text ends that may go on to be a key of a known shape. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import product

from harness.redaction.key_shapes import (
    BEARER_CHAR,
    PEM_END,
    PEM_LENGTH,
    PEM_NAME,
    SHAPES,
    SPACE,
    START,
    nested,
    units,
)

LONGEST = 1 << 13
"""Bytes of a token beyond which its end is not waited for. Keys are shorter; encrypted reasoning is longer."""

_WORD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_BEARER = b"[Bb]earer"
_BEGIN = b"-----BEGIN"
_CLASS = re.compile(rb"\[([^\]]*)\]")

_openings = [opening for shape in SHAPES for opening in shape.openings]
_openings += [nested(units(head), rb"\Z") for head in (_BEARER, _BEGIN)]
_word_opening = re.compile(START + b"(?:" + b"|".join(_openings) + b")")
_bearer_opening = re.compile(START + _BEARER + b"(?:" + SPACE + b"+" + BEARER_CHAR + rb"*(?:\\|%[0-9A-Fa-f]?)?|%2?)\Z")
_pem = next(shape for shape in SHAPES if shape.name == "private_key")
_pem_end = re.compile(PEM_END)
_pem_opening = re.compile(
    _BEGIN
    + rb"(?:%2?\Z|" + SPACE + rb"(?:(?:[A-Z0-9 ]|%20){0,60}(?:-{0,5}|%2?)\Z|"
    + PEM_NAME + rb'[^"]{0,%d}\Z))' % PEM_LENGTH
)  # fmt: skip

Ends = dict[bytes, tuple[bytes, ...]]
"""The last two bytes of a text -> how it ends then."""


def shape_start(text: bytes) -> int:
    """From where on a text may go on to be a key, or a longer one; its length where it cannot."""
    found = size = len(text)
    run = max(len(text.rstrip(_WORD)), size - LONGEST)
    if run < size:
        word = _word_opening.search(text, run)
        if word is not None:
            found = word.start()
    if b"earer " in text or b"earer%" in text:
        found = min(found, _bearer_start(text))
    if _BEGIN in text:
        found = min(found, _pem_start(text))
    return found


def heads() -> Iterator[bytes]:
    """How keys begin."""
    for head in [*(head for shape in SHAPES for head in shape.heads), _BEARER, _BEGIN]:
        yield from map(b"".join, product(*map(_members, units(head))))


@cache
def shape_ends() -> Ends:
    """How a text ends that may end inside the head of a key. A head that has come whole is found by the hints."""
    ends: Ends = {}
    for head in heads():
        add_first(ends, head[:1])
        for length in range(2, len(head) + (head.endswith((b"earer", b"BEGIN")))):
            add_end(ends, head[:length])
    return ends


def add_first(ends: Ends, first: bytes) -> None:
    """The first byte of a head, where a word begins."""
    for byte in range(256):
        before = bytes([byte])
        if not (before.isalnum() and before.isascii()):
            ends[before + first] = (b"",)
    for escape in b"nrtbf":
        add_end(ends, b"\\" + bytes([escape]) + first)
    ends[first] = (b"",)


def add_end(ends: Ends, end: bytes) -> None:
    known = ends.get(end[-2:], ())
    if end not in known and b"" not in known:
        ends[end[-2:]] = (*known, end)


def _bearer_start(text: bytes) -> int:
    start = max(0, len(text) - LONGEST)
    at = max(text.rfind(b"earer ", start), text.rfind(b"earer%", start))
    bearer = _bearer_opening.match(text, at - 1) if at > 0 else None
    return len(text) if bearer is None else bearer.start()


def _pem_start(text: bytes) -> int:
    """Where a private key begins whose end has not come."""
    at = text.find(_BEGIN)
    while at >= 0:
        if _pem_opening.match(text, at) is not None:
            key = _pem.pattern.match(text, at)
            if key is None or _pem_end.search(key[0]) is None:
                return at
            at = key.end()
        at = text.find(_BEGIN, at + 1)
    return len(text)


def _members(unit: bytes) -> list[bytes]:
    match = _CLASS.fullmatch(unit)
    return [bytes([byte]) for byte in (match[1] if match else unit)]
