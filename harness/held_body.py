"""Holds back the chunks of one plain body that may end inside a secret, until what follows decides. Pure."""

from __future__ import annotations

import re

from harness.joined_text import JoinedText, Piece
from harness.redaction import PLACEHOLDER, Redactor

MOST_BYTES = 4 << 20
"""What is held at most."""

Chunk = tuple[float, bytes]


class HeldBody:
    """Chunks in, each with its time; decided and redacted chunks out, in order. Those that are empty then are left out.

    Where the rules need the whole text (`Redactor.needs_whole_texts`), nothing is decided before the end.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._joined: JoinedText[float] = JoinedText(redactor, in_json=True)
        self._version = -1
        self._whole: list[Chunk] = []
        self._size = 0

    def feed(self, t: float, data: bytes) -> list[Chunk]:
        """The chunks that are decided by this one."""
        if self._version != self._redactor.version:
            self._version = self._redactor.version
            self._secrets = self._redactor.open_secrets()
        if self._redactor.needs_whole_texts:
            self._whole.append((t, data))
            self._size += len(data)
            return self.flush() if self._size > MOST_BYTES else []
        decided = _chunks(self._joined.add(t, data, self._secrets))
        return decided if self._joined.size <= MOST_BYTES else decided + self.flush()

    def flush(self) -> list[Chunk]:
        """All that is still held."""
        chunks = _chunks(self._joined.close()) if self._joined.pieces else []
        if self._whole:
            whole, self._whole, self._size = self._whole, [], 0
            chunks += self._cut_alike(whole)
        return chunks

    def drop(self) -> int:
        """Forget all that is held; how many bytes that were."""
        size = self._size + self._joined.size
        self._joined = JoinedText(self._redactor, in_json=True)
        self._whole, self._size = [], 0
        return size

    def _cut_alike(self, whole: list[Chunk]) -> list[Chunk]:
        """Redacted as one; where something was found the borders of chunks are moved out of placeholders."""
        body = b"".join([data for _, data in whole])
        redacted = self._redactor.bytes(body)
        if redacted is body:
            return whole
        chunks = []
        start = border = 0
        inside = [match.span() for match in re.finditer(PLACEHOLDER, redacted)]
        for t, data in whole[:-1]:
            border += len(data)
            end = next((after for before, after in inside if before < border < after), min(border, len(redacted)))
            chunks.append((t, redacted[start:end]))
            start = max(start, end)
        chunks.append((whole[-1][0], redacted[start:]))
        return [chunk for chunk in chunks if chunk[1]]


def _chunks(pieces: list[Piece[float]]) -> list[Chunk]:
    return [(piece.of, piece.data) for piece in pieces if piece.data]
