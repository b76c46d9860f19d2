r"""Secrets that stand in base64 (RFC 4648, 4 and 5), perhaps in the middle of a longer run of it. Pure.

Three bytes become four characters, so a secret looks different at each of three places, and its first and last
characters may also hold bits of its neighbours. Its core at a place is what is its own. Cores are what is looked for,
and what is replaced: all else of a run stays, wherever a stream has cut it, and what is left of the secret's first and
last byte is at most four bits.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from binascii import a2b_base64
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import TypeAlias
from urllib.parse import quote

from harness.redaction.key_shapes import char_pattern, may_hold_key, secret_pattern
from harness.redaction.open_shapes import heads

SHORTEST = 20
"""Characters that a key of a known shape has at least."""

_ALPHABET = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
BASE64 = _ALPHABET + b"-_"

_BREAKS = rb"(?:\\{1,64}[nr]|[\r\n]){0,4}"
"""Programs break base64 into lines (RFC 2045, 6.8: of 76 characters), which JSON writes as `\n`."""
_SHORT_RUN = 256
"""Characters of a run up to which it is quicker to look for how keys begin in it than to decode it."""
LINE = 64
"""Characters of the shortest usual line (RFC 7468)."""

_PLAIN = re.compile(rb"[A-Za-z0-9_-]+")
_URL_SAFE = bytes.maketrans(b"+/", b"-_")
_STANDARD = bytes.maketrans(b"-_", b"+/")
_IN_RUN, _BETWEEN = b"x", b" "
_KINDS = bytes(ord(_IN_RUN if byte in BASE64 + b"\\" else _BETWEEN) for byte in range(256))
_KINDS_OVER_LINES = bytes(ord(_IN_RUN if byte in BASE64 + b"\\\r\n" else _BETWEEN) for byte in range(256))
_ZEROS = b"AAA"
_PADDING = (b"", b"", b"==", b"=")
_OTHER_ESCAPE = re.compile(rb"\\[^nr/\\]")
_CHARS = re.compile(rb"\\+[nr]|\\+|[\r\n]+|([A-Za-z0-9+/_-]+)")


Reading: TypeAlias = tuple[int, bytes]
"""How many characters are missing before a run, and what it holds then."""


def cores(secret: bytes) -> Iterator[bytes]:
    """The core of a secret at each of three places, in the plain and the URL-safe alphabet, each once."""
    yield from sorted({core for before in range(3) for core in cores_of(secret, before)})


def cores_of(secret: bytes, before: int) -> set[bytes]:
    """The core of a secret with so many bytes before it."""
    core = b64encode(bytes(before) + secret)[core_start(before) : core_end(before + len(secret))]
    return {core, core.translate(_URL_SAFE)}


def chars_before(secret: bytes, before: int) -> list[bytes]:
    """The characters that can stand before a core: they hold the first bits of the secret, and others."""
    own = 6 - before * 8 % 6
    return [_ALPHABET[at : at + 1] for at in range(64) if at % (1 << own) == secret[0] >> (8 - own)]


def core_pattern(core: str) -> re.Pattern[bytes]:
    """Finds a core, perhaps broken into lines. Letters are as they are: nothing that writes base64 escapes them."""
    chars = [char_pattern(char) if char in "+/" else char.encode() for char in core]
    return secret_pattern(b"(?P<lead>)" + _BREAKS.join(chars))


def written_forms(secret: str) -> list[str]:
    """What of a secret is encoded: itself, and as it stands in a JSON string or a URL that was encoded as a whole."""
    in_json = (json.dumps(secret, ensure_ascii=ascii_only)[1:-1] for ascii_only in (False, True))
    return [*dict.fromkeys([secret, *in_json, quote(secret, safe="", errors="surrogatepass")])]


def windows(core: bytes) -> list[bytes]:
    """Parts of a core that no escaping touches, one of which is whole also where a line ends inside the core."""
    longest = max(_PLAIN.findall(core), key=len, default=b"")
    half = min(len(longest) // 2, LINE // 2)
    return [longest] if half < 6 else [longest[:half], longest[half : 2 * half]]


@dataclass(slots=True, frozen=True)
class Run:
    """A run of base64, bytes `start` to `end` of a text; lines, and escaped slashes, are joined."""

    text: bytes
    start: int
    end: int

    def readings(self) -> Iterator[Reading]:
        run = self.text[self.start : self.end]
        if 92 in run or 10 in run or 13 in run:
            run = run.replace(rb"\n", b"").replace(rb"\r", b"").translate(None, b"\\\r\n")
        return readings(run)

    def span(self, missing: int, start: int, end: int) -> tuple[int, int]:
        """The bytes of the text that hold nothing but bytes `start` to `end` of a reading."""
        return self._place(core_start(start) - missing), self._place(core_end(end) - missing - 1) + 1

    def _place(self, char: int) -> int:
        """Where a character of the run stands."""
        for match in _CHARS.finditer(self.text, self.start, self.end):
            if match[1] is not None:
                char -= len(match[1])
                if char < 0:
                    return match.end() + char
        raise IndexError(char)


def readings(run: bytes) -> Iterator[Reading]:
    """What base64 holds if that many of its first characters, none to three, are missing; they are read as zeros."""
    run = run.translate(_STANDARD)
    for missing in range(4):
        rest = _ZEROS[:missing] + run
        more = len(rest) % 4
        if more == 1:  # a quantum of one character holds no byte (RFC 4648, 4)
            yield missing, a2b_base64(rest[:-1])
        else:
            yield missing, a2b_base64(rest + _PADDING[more])


def has_run(text: bytes, length: int = SHORTEST) -> bool:
    """Whether so many characters of base64 stand in a row; backslashes count too. Quick."""
    return len(text) >= length and _IN_RUN * length in text.translate(_KINDS)


def runs(text: bytes, length: int = SHORTEST) -> Iterator[Run]:
    """Every run of so many characters, enough to hold a key, where a line of base64 is so long at least."""
    if not has_run(text, length):
        return
    long_run = _IN_RUN * length
    kinds = text.translate(_KINDS_OVER_LINES)
    start = kinds.find(long_run)
    while start >= 0:
        end = kinds.find(_BETWEEN, start)
        end = len(text) if end < 0 else end
        for escape in _OTHER_ESCAPE.finditer(text, start, end):
            yield Run(text, start, escape.start())
            start = escape.end()
        yield Run(text, start, end)
        start = kinds.find(long_run, end)


def base64_may_hold_key(text: bytes) -> bool:
    """Whether base64 in a text may hold a key of a known shape. Quick where there is none."""
    for run in runs(text):
        if run.end - run.start <= _SHORT_RUN and _core_hint().search(text, run.start, run.end) is None:
            continue
        if may_hold_key(b"\n".join(data for _, data in run.readings())):
            return True
    return False


@cache
def _core_hint() -> re.Pattern[bytes]:
    """Finds something in every short run that holds a key; lines may end and slashes be escaped between."""
    starts = {core[:3] for head in heads() for before in range(3) for core in cores_of(head, before)}
    return re.compile(b"|".join(sorted({re.escape(start) for start in starts})) + rb"|\\|[\r\n]")


def core_start(at: int) -> int:
    """The first character that holds no bit of a byte before byte `at` of what was encoded."""
    return (at * 8 + 5) // 6


def core_end(at: int) -> int:
    """Behind the last character that holds no bit of a byte from byte `at` on."""
    return at * 8 // 6
