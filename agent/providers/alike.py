"""Frames that differ from an earlier one only in one text: read without parsing the rest again.

Most frames of a stream repeat everything but a few characters. Once one has been parsed and found to be nothing but a
piece of text, the bytes before and after that text stand for the same JSON whenever they come again. Two paddings may
differ too: OpenAI's `obfuscation`, random letters that close each payload (API reference, `stream_options`), and the
blanks that Anthropic puts before the last brace.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import orjson

from agent.events import Reasoning, Text

Piece = Text | Reasoning

_PADDED = re.compile(rb'("obfuscation":"|" *\}(?= *\}))([A-Za-z0-9]*| *)("?\}\n*)\Z')
_PROBE = "\x01probe"
_TRIES = 8
_QUOTE, _BACKSLASH = 34, 92


class Alike:
    """Learns from bytes that were read as a piece of text, and splits those that are alike.

    `read` gives the one piece of text that bytes stand for, None where they are anything else; it depends on nothing
    but the bytes. `before` ends with the quote that opens the text, `after` begins with the one that closes it; the
    padding (blanks where `blank` is set, else letters and digits) and `closing` follow.
    """

    __slots__ = (
        "_after_size", "_before_size", "_closing_size", "_read", "_tries", "after", "before", "blank", "closing",
        "kind",
    )  # fmt: skip

    def __init__(self, read: Callable[[bytes], Piece | None]) -> None:
        self._read = read
        self._tries = _TRIES
        self._before_size = self._after_size = self._closing_size = 0
        self.blank = False
        self.before = b"\0"  # nothing that is read begins so
        self.after = self.closing = b""
        self.kind: type[Piece] = Text

    def split(self, data: bytes, at: int = 0) -> tuple[int, int, bytes, int] | None:
        """Of the piece that `data` has from `at` on: where its text starts and ends, the padding, and where the piece
        ends, as more of `data` may follow; None where it is not alike.

        What stands between is not checked: it may be no JSON string.
        """
        if not data.startswith(self.before, at):
            return None
        start = at + self._before_size
        end = data.find(_QUOTE, start)  # far cheaper than looking for all of `after`
        if not data.startswith(self.after, end):
            end = data.find(self.after, start)
            if end < 0:
                return None
        at = end + self._after_size
        if not self._closing_size:
            return start, end, b"", at
        stop = data.find(self.closing, at)
        padding = data[at:stop]
        if stop < 0 or (padding and (padding.strip(b" ") if self.blank else not padding.isalnum())):
            return None
        return start, end, padding, stop + self._closing_size

    def piece(self, data: bytes) -> Piece | None:
        """The piece of text that `data` is; None where that takes parsing."""
        found = self.split(data)
        if found is not None and found[3] == len(data):
            try:
                text = orjson.loads(data[found[0] - 1 : found[1] + 1])
            except orjson.JSONDecodeError:
                return None
            if text and type(text) is str:
                return self.kind(text)
        return None

    def run(self, data: bytes) -> tuple[list[str], int]:
        """The texts of the pieces that `data` begins with, one right behind another, and the bytes that they take.

        They are of `kind`, and none is empty.
        """
        before, after, closing = self.before, self.after, self.closing
        texts: list[bytes] = []
        ends = [0]
        at = 0
        while data.startswith(before, at):
            start = at + self._before_size
            end = data.find(_QUOTE, start)
            if not data.startswith(after, end):
                end = data.find(after, start)
                if end < 0:
                    break
            at = end + self._after_size
            if closing:
                stop = data.find(closing, at)
                padding = data[at:stop]
                if stop < 0 or (padding and (padding.strip(b" ") if self.blank else not padding.isalnum())):
                    break
                at = stop + self._closing_size
            texts.append(data[start:end])
            ends.append(at)
        found = _strings(texts)
        return found, ends[len(found)]

    @property
    def learns(self) -> bool:
        """Whether it takes another pattern. Not for ever: after a few it does not."""
        return self._tries > 0

    def learn(self, data: bytes, piece: Piece) -> bool:
        """Take `data` as the pattern: `read` has made `piece` of it. Whether it could be taken."""
        if not self._tries:
            return False
        self._tries -= 1
        literal = orjson.dumps(piece.text)
        before, _, after = data.partition(literal)
        kind = type(piece)
        if self._read(before + orjson.dumps(_PROBE) + after) != kind(_PROBE):
            return False
        self.before, self.after, self.closing = before + b'"', b'"' + after, b""
        padded = _PADDED.search(self.after)
        if padded is not None:
            self.after, self.closing = self.after[: padded.end(1)], padded[3]
            self.blank = not padded[1].endswith(b'"')
        self._before_size, self._after_size, self._closing_size = map(len, (self.before, self.after, self.closing))
        self.kind = kind
        return True


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
