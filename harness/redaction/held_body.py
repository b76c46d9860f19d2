"""Holds back the chunks of one plain body that may end inside a secret, until what follows decides. Pure."""

from __future__ import annotations

from agent.jsonio import NotJSON, loads_exact
from harness.redaction.frame_texts import Text, texts_of, written
from harness.redaction.joined_text import JoinedText, Piece
from harness.redaction.placeholders import PLACEHOLDER
from harness.redaction.redactor import Redactor

MOST_BYTES = 4 << 20
"""What is held at most."""

Chunk = tuple[float, bytes]


class HeldBody:
    """Chunks in, each with its time; decided and redacted chunks out, in order. Those that are empty then are left out.

    Nothing is decided before the end where the rules need the whole text (`Redactor.needs_whole_texts`), and in a list,
    whose items may be the frames of a stream (Gemini without `alt=sse`), over which texts may be split.
    """

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._joined: JoinedText[float] = JoinedText(redactor, in_json=True)
        self._version = -1
        self._is_list: bool | None = None
        self._whole: list[Chunk] = []
        self._size = 0

    def feed(self, t: float, data: bytes) -> list[Chunk]:
        """The chunks that are decided by this one."""
        if self._version != self._redactor.version:
            self._version = self._redactor.version
            self._secrets = self._redactor.open_secrets()
        if self._is_list is None and data.strip():
            self._is_list = data.lstrip()[:1] == b"["
        if self._is_list or self._redactor.needs_whole_texts:
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
            chunks += self._redacted(whole)
        return chunks

    def drop(self) -> int:
        """Forget all that is held; how many bytes that were."""
        size = self._size + self._joined.size
        self._joined = JoinedText(self._redactor, in_json=True)
        self._whole, self._size = [], 0
        return size

    def _redacted(self, whole: list[Chunk]) -> list[Chunk]:
        """Redacted as one text. Where something was found, no chunk ends inside a placeholder."""
        body = b"".join([data for _, data in whole])
        redacted = self._redactor.bytes(_without_split_secrets(body, self._redactor))
        if redacted == body:
            return whole
        chunks = []
        start = border = 0
        placeholders = [match.span() for match in PLACEHOLDER.finditer(redacted)]
        for t, data in whole[:-1]:
            border += len(data)
            end = max(start, min(border, len(redacted)))
            end = next((after for before, after in placeholders if before < end < after), end)
            chunks.append((t, redacted[start:end]))
            start = end
        chunks.append((whole[-1][0], redacted[start:]))
        return [chunk for chunk in chunks if chunk[1]]


def _chunks(pieces: list[Piece[float]]) -> list[Chunk]:
    return [(piece.of, piece.data) for piece in pieces if piece.data]


def _without_split_secrets(body: bytes, redactor: Redactor) -> bytes:
    """A JSON list whose items' texts were joined as those of frames are."""
    try:
        items = loads_exact(body)
    except NotJSON:
        return body
    if type(items) is not list:
        return body
    places: dict[str, JoinedText[Text]] = {}
    for item in items:
        for text in texts_of([item]):
            if text.streamed:
                joined = places.setdefault(text.place, JoinedText(redactor))
                joined.pieces.append(Piece(text, text.data))
    changed = [piece for joined in places.values() for piece in joined.close() if piece.changed]
    for piece in changed:
        piece.of.set(piece.data)
    return written(items) if changed else body
