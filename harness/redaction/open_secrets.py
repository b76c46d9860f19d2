r"""Where a text ends that may go on to be a secret: the question that decides whether a frame is held back. Pure.

The texts are those of JSON strings, unescaped. Where they hold JSON again (tool arguments), escapes in them are read as
such, also half of one. The question is asked of every text that streams by, so `closed` has a quick answer for nearly
all of them: their last two bytes begin no secret, and nothing in them looks like one.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import product

from harness.redaction.key_shapes import (
    BEARER_CHAR,
    HINTS,
    PEM_END,
    PEM_LENGTH,
    PEM_NAME,
    SHAPES,
    SPACE,
    START,
    char_pattern,
    is_number,
    nested,
    units,
)

LONGEST = 1 << 13
"""Bytes of a token beyond which its end is not waited for. Keys are shorter; encrypted reasoning is longer."""

_WORD = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-"
_BEARER = b"[Bb]earer"
_BEGIN = b"-----BEGIN"
_HALF_ESCAPE = re.compile(rb"\\+(?:u[0-9A-Fa-f]{0,3})?\Z")
_HALF_PERCENT = re.compile(rb"%[0-9A-Fa-f]?\Z")
_ASCII_ESCAPE = re.compile(rb"\\u00[2-7]")
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
_dash, _underscore, _upper_a, _space, _ = (hint.search for hint in HINTS)


class OpenSecrets:
    """`values`: secrets known by their value; `runs`: the parts of them by which they are found, `always` where a text
    cannot be told by these; `width`: characters that a match of the user's rules can have.
    """

    def __init__(
        self, values: tuple[str, ...] = (), *, runs: tuple[bytes, ...] = (), always: bool = False, width: int = 0
    ) -> None:
        self._values = [_Opening(value) for value in values]
        self._runs = runs
        self._always = always
        self._width = width
        self._odd = any(not value.isalnum() for value in values)
        self._escapable = any(char in value for value in values for char in '"\\/\n\r\t\b\f')
        self._shape_ends = _shape_ends()
        self._value_ends = _value_ends(self._values)

    def closed(self, text: bytes) -> bool:
        """Whether a text neither ends inside a secret nor holds one. No may be said of any text that looks like it."""
        if not text:
            return True
        ends = self._shape_ends.get(text[-2:])
        if ends is not None and text.endswith(ends) and self.start(text) < len(text):
            return False
        ends = self._value_ends[text[-1]]
        if ends and text.endswith(ends):
            return False
        if ((92 in text and self._escaped(text)) or (37 in text and self._odd)) and self.start(text) < len(text):  # \ %
            return False
        return self.plain(text)

    def plain(self, text: bytes) -> bool:
        """Whether a text holds nothing like a secret. Quick; its end may begin one."""
        if 45 in text and _dash(text) is not None:  # -
            return False
        if 95 in text and _underscore(text) is not None:  # _
            return False
        if 65 in text and _upper_a(text) is not None:  # A
            return False
        if (98 in text or 66 in text) and (_space(text) is not None or b"earer%" in text):  # b B
            return False
        for run in self._runs:
            if run in text:
                return False
        if 92 in text and self._runs and _ASCII_ESCAPE.search(text) is not None:  # \
            return False
        return not self._always

    def start(self, text: bytes, *, user_rules: bool = True) -> int:
        """From where on a text may go on to be a secret, or a longer one; its length where it cannot."""
        size = len(text)
        if not size:
            return 0
        found = size
        escaped = 92 in text
        if escaped:
            half = _HALF_ESCAPE.search(text, max(0, size - 72))
            if half is not None:
                found = half.start()
        run = max(len(text.rstrip(_WORD)), size - LONGEST)
        if run < size:
            word = _word_opening.search(text, run)
            if word is not None and word.start() < found:
                found = word.start()
        if b"earer " in text or b"earer%" in text:
            found = min(found, _bearer_start(text))
        if _BEGIN in text:
            found = min(found, _pem_start(text))
        if (escaped and self._escaped(text)) or (self._odd and 37 in text):
            for value in self._values:
                found = min(found, value.start(text))
        else:
            for end in self._value_ends[text[-1]]:
                if text.endswith(end):
                    found = min(found, size - len(end))
                    break
        if user_rules and self._width > 1:
            chars = text.decode("utf-8", "surrogateescape")[1 - self._width :]
            found = min(found, size - len(chars.encode("utf-8", "surrogateescape")))
        return found

    def _escaped(self, text: bytes) -> bool:
        """Whether an escape in a text may stand for a character of a value, or before a key."""
        return self._escapable or text[-1] == 92 or b"\\u" in text


class _Opening:
    """A beginning of a known value that reaches the end of a text."""

    def __init__(self, value: str) -> None:
        self.raw = value.encode("utf-8", "surrogatepass")
        self.is_number = is_number(value)
        self._chars = re.findall(r"(?s)\\+|.", value)
        self._first = re.compile(b"[%b\\\\%%]" % re.escape(self.raw[:1]))

    def start(self, text: bytes) -> int:
        """In a text with escapes, of which each may be long."""
        size = len(text)
        for match in self._first.finditer(text, max(0, size - 12 * len(self.raw) - 64)):
            if self._reaches_end(text, match.start()):
                return match.start()
        return size

    def _reaches_end(self, text: bytes, at: int) -> bool:
        size = len(text)
        for char in self._chars:
            if at == size:
                return True
            at = _after(char, text, at)
            if at < 0:
                return False
        return self.is_number and at == size


def _after(char: str, text: bytes, at: int) -> int:
    """Where a character of a secret that stands at a place ends; -1 where it does not stand there.

    A part of it that reaches the end of the text counts as the whole.
    """
    raw = char.encode("utf-8", "surrogatepass")
    if raw[0] != 92 and text.startswith(raw, at):
        return at + len(raw)
    if text[at] == 92:
        match = _form(char).match(text, at) or _HALF_ESCAPE.match(text, at)
    elif text[at] == 37 and not char.isalnum():
        match = _form(char).match(text, at) or _HALF_PERCENT.match(text, at)
    else:
        return len(text) if len(text) - at < len(raw) and raw.startswith(text[at:]) else -1
    return -1 if match is None else match.end()


@cache
def _form(char: str) -> re.Pattern[bytes]:
    return re.compile(rb"\\{%d,128}" % len(char) if char[0] == "\\" else char_pattern(char))


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


_Ends = dict[bytes, tuple[bytes, ...]]


@cache
def _shape_ends() -> _Ends:
    """The last two bytes of a text that may end inside the head of a known shape -> how it ends then.

    A head that has come whole is found by the hints.
    """
    ends: _Ends = {}
    heads = [(head, 0) for shape in SHAPES for head in shape.heads] + [(_BEARER, 1), (_BEGIN, 1)]
    for head, more in heads:
        parts = [_members(unit) for unit in units(head)]
        for first in parts[0]:
            _add_first(ends, first)
        for length in range(2, len(parts) + more):
            for chars in product(*parts[:length]):
                _add(ends, b"".join(chars))
    return ends


def _add_first(ends: _Ends, first: bytes) -> None:
    """The first byte of a head, where a word begins."""
    for byte in range(256):
        before = bytes([byte])
        if not (before.isalnum() and before.isascii()):
            ends[before + first] = (b"",)
    for escape in b"nrtbf":
        _add(ends, b"\\" + bytes([escape]) + first)
    ends[first] = (b"",)


def _value_ends(values: list[_Opening]) -> list[tuple[bytes, ...]]:
    """The last byte of a text that may end inside a value -> how it ends then, the longest first."""
    ends: list[set[bytes]] = [set() for _ in range(256)]
    for value in values:
        for length in range(1, len(value.raw) + value.is_number):
            ends[value.raw[length - 1]].add(value.raw[:length])
    return [tuple(sorted(some, key=len, reverse=True)) for some in ends]


def _add(ends: _Ends, end: bytes) -> None:
    known = ends.get(end[-2:], ())
    if end not in known and b"" not in known:
        ends[end[-2:]] = (*known, end)


def _members(unit: bytes) -> list[bytes]:
    match = _CLASS.fullmatch(unit)
    return [bytes([byte]) for byte in (match[1] if match else unit)]
