"""Frames that differ from an earlier one only in one text: read without parsing the rest again.

Most frames of a chat stream repeat everything but a few characters. Once a payload has been parsed and found to be
nothing but one piece of text, the bytes before and after that text stand for the same JSON whenever they come again:
only a string has changed, and `orjson` checks that it is one. OpenAI's `obfuscation`, random letters that close each
payload (API reference, `stream_options.include_obfuscation`), may differ too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson

from agent.events import Reasoning, Text

_PADDING = b'"obfuscation":"'
_PROBE = "\x01probe"
_TRIES = 8

Piece = Text | Reasoning


class Alike:
    """Learns from payloads that were parsed, and reads those that are alike.

    `read` gives the one piece of text that a parsed payload is, None where it is anything else. It depends on nothing
    but the payload.
    """

    __slots__ = ("_after", "_after_size", "_before", "_before_size", "_closing", "_kind", "_read", "_tries")

    def __init__(self, read: Callable[[Any], Piece | None]) -> None:
        self._read = read
        self._before, self._before_size = b"\0", 1  # no JSON begins so
        self._after, self._after_size = b"", 0
        self._closing = b""
        self._kind: type[Piece] = Text
        self._tries = _TRIES

    def piece(self, data: bytes) -> Piece | None:
        """The piece of text that `data` is; None where that takes parsing."""
        if data.startswith(self._before):
            end = data.find(self._after, self._before_size)
            if end > 0:
                rest = data[end + self._after_size :]
                closing = self._closing
                if rest == closing or (closing and rest[-2:] == closing and rest[:-2].isalnum()):
                    try:
                        text = orjson.loads(data[self._before_size : end])
                    except orjson.JSONDecodeError:
                        return None
                    if text and type(text) is str:
                        return self._kind(text)
        return None

    def learn(self, data: bytes, piece: Piece) -> None:
        """Take a payload as the pattern: `read` has made `piece` of it. After a few times this does nothing more."""
        if not self._tries:
            return
        self._tries -= 1
        literal = orjson.dumps(piece.text)
        before, _, after = data.partition(literal)
        kind = type(piece)
        probe = orjson.dumps(_PROBE)
        try:
            if self._read(orjson.loads(before + probe + after)) != kind(_PROBE):
                return
        except orjson.JSONDecodeError:
            return
        closing = b""
        head, mark, padding = after.rpartition(_PADDING)
        if mark and padding[-2:] == b'"}' and (padding[:-2].isalnum() or len(padding) == 2):
            after, closing = head + mark, b'"}'
        self._before, self._before_size = before, len(before)
        self._after, self._after_size = after, len(after)
        self._closing, self._kind = closing, kind
