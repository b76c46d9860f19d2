"""Frames that differ from an earlier one only in one text: read without parsing the rest again.

Most frames of a stream repeat everything but a few characters. Once one has been parsed and found to be nothing but a
piece of text, the bytes before and after that text stand for the same JSON whenever they come again. Two paddings may
differ too: OpenAI's `obfuscation`, random letters that close each payload (API reference, `stream_options`), and the
blanks that Anthropic puts before the last brace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import orjson

from agent.events import Reasoning, Text

Piece = Text | Reasoning

_PADDED = re.compile(rb'("obfuscation":"|" *\}(?= *\}))([A-Za-z0-9]*| *)("?\}\n*)\Z')
_PROBE = "\x01probe"
_TRIES, _PLACES = 8, 4
_BACKSLASH = 92
_BLANK_LINE = b"\n\n"
_END, _HEAD = 16, 8
"""Bytes of the end of a piece, and of the start of the next, by which one is told from the other: more are not found
faster."""


class Alike:
    """Learns from bytes that were read as a piece of text, and splits those that are alike.

    `read` gives the one piece of text that bytes stand for, None where they are anything else; it depends on nothing
    but the bytes. `before` ends with the quote that opens the text, `after` begins with the one that closes it; the
    padding (blanks where `blank` is set, else letters and digits) and `closing` follow.
    """

    __slots__ = (
        "_before_size", "_border", "_closing_size", "_read", "_tries", "after", "before", "blank", "closing", "kind",
    )  # fmt: skip

    def __init__(self, read: Callable[[bytes], Piece | None]) -> None:
        self._read = read
        self._tries = _TRIES
        self._before_size = self._closing_size = 0
        self._border = b""
        self.blank = False
        self.before = b"\0"  # nothing that is read begins so
        self.after = self.closing = b""
        self.kind: type[Piece] = Text

    def split(self, data: bytes) -> tuple[bytes, bytes] | None:
        """What stands for the text in a piece, and its padding; None where `data` is no piece that is alike.

        The text is not checked: it may be no inside of a JSON string.
        """
        size = self._before_size
        if data[:size] != self.before:
            return None
        text, found, padding = data[size:].partition(self.after)
        if not found:
            return None
        size = self._closing_size
        if not size:
            return None if padding else (text, b"")
        if self.blank:
            if padding.lstrip(b" ") != self.closing:
                return None
            return text, padding[:-size]
        if padding[-size:] != self.closing:
            return None
        padding = padding[:-size]
        return (text, padding) if padding.isalnum() or not padding else None

    def splits(self, data: bytes) -> tuple[list[bytes], list[bytes]]:
        """The texts and the paddings of the pieces that `data` begins with, one right behind another.

        Each is what `split` gives. They are pieces that end in a blank line, else there are none; the last one before
        something else may be left out.
        """
        texts: list[bytes] = []
        paddings: list[bytes] = []
        if not self._border or not data.startswith(self.before):
            return texts, paddings
        parts = data.split(self._border)
        parts[0] = parts[0][_HEAD:]
        end = (self.closing or self.after)[-_END:]
        last, found, _ = parts.pop().partition(end)
        if found:
            parts.append(last)
        before = self.before[_HEAD:]
        middle = self.after if self.closing else self.after[:-_END]
        size, padded, blank = len(before), bool(self.closing), self.blank
        for part in parts:
            if part[:size] != before:
                break
            text, found, padding = part[size:].partition(middle) if middle else (part[size:], end, b"")
            if not found or (padding and (not padded or (padding.strip(b" ") if blank else not padding.isalnum()))):
                break
            texts.append(text)
            paddings.append(padding)
        return texts, paddings

    def size(self, texts: Sequence[bytes], paddings: Sequence[bytes]) -> int:
        """The bytes of pieces, of which these are the texts and paddings."""
        fixed = self._before_size + len(self.after) + self._closing_size
        return fixed * len(texts) + sum(map(len, texts)) + sum(map(len, paddings))

    def piece(self, data: bytes) -> Piece | None:
        """The piece of text that `data` is; None where that takes parsing."""
        found = self.split(data)
        if found is not None:
            try:
                text = orjson.loads(b'"%b"' % found[0])
            except orjson.JSONDecodeError:
                return None
            if text and type(text) is str:
                return self.kind(text)
        return None

    def run(self, data: bytes) -> tuple[list[str], int]:
        """The texts of the pieces that `data` begins with, as in `splits`, and the bytes that they take.

        They are of `kind`, and none is empty.
        """
        texts, paddings = self.splits(data)
        found = _strings(texts)
        many = len(found)
        return found, self.size(texts[:many], paddings[:many])

    @property
    def learns(self) -> bool:
        """Whether it takes another pattern. Not for ever: after a few it does not."""
        return self._tries > 0

    def learn(self, data: bytes, piece: Piece) -> bool:
        """Take `data` as the pattern: `read` has made `piece` of it. Whether it could be taken."""
        if not self._tries:
            return False
        self._tries -= 1
        kind = type(piece)
        for before, after in _around(data, orjson.dumps(piece.text)):
            if self._read(before + orjson.dumps(_PROBE) + after) == kind(_PROBE):
                break
        else:
            return False
        self.before, self.after, self.closing = before + b'"', b'"' + after, b""
        padded = _PADDED.search(self.after)
        if padded is not None:
            self.after, self.closing = self.after[: padded.end(1)], padded[3]
            self.blank = not padded[1].endswith(b'"')
        self._before_size, self._closing_size = len(self.before), len(self.closing)
        end = (self.closing or self.after)[-_END:]
        self._border = end + self.before[:_HEAD] if end.endswith(_BLANK_LINE) else b""
        self.kind = kind
        return True


def _around(data: bytes, literal: bytes) -> Iterator[tuple[bytes, bytes]]:
    """What stands before and after a literal, which may be there by chance too: at each of its last places."""
    at = len(data)
    for _ in range(_PLACES):
        at = data.rfind(literal, 0, at)
        if at < 0:
            return
        yield data[:at], data[at + len(literal) :]


def _strings(texts: Sequence[bytes]) -> list[str]:
    """What the insides of JSON strings say, up to one that is empty or no such inside."""
    joined = b'","'.join(texts)
    if _BACKSLASH not in joined or (b'\\","' not in joined and joined[-1] != _BACKSLASH):  # each ends where it seems to
        try:
            found: list[str] = orjson.loads(b'["%b"]' % joined)
        except orjson.JSONDecodeError:
            found = []
        if texts and len(found) == len(texts) and all(found):  # as many as there are: no text holds a quote either
            return found
    found = []
    for text in texts:
        try:
            value = orjson.loads(b'"%b"' % text)
        except orjson.JSONDecodeError:
            break
        if not value:
            break
        found.append(value)
    return found
