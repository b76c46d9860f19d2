r"""A text read in its other forms: JSON escapes undone (`\u002d`), percent-encoding undone, base64 decoded.

A `View` says which bytes of the text each part of it came from, so that what is found in a view can be cut out of the
text. Pure.
"""

from __future__ import annotations

import binascii
import re
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

PERCENT = "percent-encoded"
ESCAPED = "JSON-escaped"
BASE64 = "base64"

_PERCENT = re.compile(rb"%([0-9A-Fa-f]{2})")
_ESCAPE = re.compile(rb'\\(?:u([0-9A-Fa-f]{4})|(["\\/bfnrt]))')
_HIDING_ESCAPE = re.compile(rb"\\u00[2-7]|[A-Za-z0-9+/]\\+/")
"""Escapes that a key or base64 can hide behind; in all others only what surrounds it is written differently."""
_SHORT = {b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t"}
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
_CONTROL = bytes({*range(32)} - {9, 10, 13})

Part: TypeAlias = tuple[int, int, int, int]
"""Bytes `[0]` to `[1]` of a view were decoded from bytes `[2]` to `[3]` of the text."""


@dataclass(slots=True, frozen=True)
class View:
    """`data`, and its decoded parts in order; between them the text is as it was."""

    form: str
    data: bytes
    parts: tuple[Part, ...]

    @property
    def readable(self) -> bool:
        """Whether it is text itself, so that it can have other forms too."""
        return self.data.isascii() and len(self.data.translate(None, _CONTROL)) == len(self.data)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The bytes of the text that the bytes `start` to `end` (at least one) of the view were read from."""
        return self._source(start)[0], self._source(end - 1)[1]

    def _source(self, at: int) -> tuple[int, int]:
        index = bisect_right(self.parts, at, key=_start_of_part) - 1
        if index < 0:
            return at, at + 1
        _, end, source, source_end = self.parts[index]
        if at < end:
            return source, source_end
        return source_end + at - end, source_end + at - end + 1


def views(data: bytes, shortest: int) -> Iterator[View]:
    """The other forms of `data`, where there is something to decode. Base64 counts from `shortest` characters on."""
    if b"%" in data:
        yield from _undo(PERCENT, data, _PERCENT, lambda match: bytes([int(match[1], 16)]))
    if b"\\" in data and _HIDING_ESCAPE.search(data):
        yield from _undo(ESCAPED, data, _ESCAPE, _unescaped)
    yield from _base64(data, shortest)


def _undo(
    form: str, data: bytes, pattern: re.Pattern[bytes], decode: Callable[[re.Match[bytes]], bytes]
) -> Iterator[View]:
    pieces: list[bytes] = []
    parts: list[Part] = []
    length = end = 0
    for match in pattern.finditer(data):
        plain, decoded = data[end : match.start()], decode(match)
        pieces += (plain, decoded)
        start = length + len(plain)
        length = start + len(decoded)
        end = match.end()
        parts.append((start, length, match.start(), end))
    if parts:
        yield View(form, b"".join([*pieces, data[end:]]), tuple(parts))


def _unescaped(match: re.Match[bytes]) -> bytes:
    if match[1]:
        return chr(int(match[1], 16)).encode("utf-8", "surrogatepass")
    return _SHORT.get(match[2], match[2])


def _base64(data: bytes, shortest: int) -> Iterator[View]:
    """Every run of base64 characters, plain or URL-safe, read from each of its first four characters on."""
    for match in re.finditer(rb"[A-Za-z0-9+/_-]{%d,}" % shortest, data):
        token = match[0].translate(_URL_SAFE)
        for skipped in range(4):
            rest = token[skipped:]
            # A quantum of one character holds no byte (RFC 4648, 4).
            rest = rest[:-1] if len(rest) % 4 == 1 else rest
            decoded = binascii.a2b_base64(rest + b"=" * (-len(rest) % 4))
            yield View(BASE64, decoded, ((0, len(decoded), match.start(), _with_padding(data, match.end())),))


def _with_padding(data: bytes, end: int) -> int:
    while data[end : end + 1] == b"=":
        end += 1
    return end


def _start_of_part(part: Part) -> int:
    return part[0]
