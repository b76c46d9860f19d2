"""Content codings (RFC 9110, 8.4), undone a chunk at a time, so that a recording holds what the caller read.

Undone are gzip and deflate, which every client can. What else a server sends (although it is asked for `identity`) is
kept as it came, so that a replay gives each client the bytes that it would have had to decode itself.
"""

from __future__ import annotations

import zlib

from agent.content_coding import UNDONE, coding_of

__all__ = ["ContentDecoder", "Undecodable", "Unpacker", "coding_of", "content_decoder"]


class Undecodable(ValueError):
    """The bytes do not fit their content coding."""


class ContentDecoder:
    """gzip; deflate with a zlib header, and (as some servers send it) without. Multi-member gzip ends with the first
    member, as in httpx."""

    def __init__(self, *, raw_allowed: bool, wbits: int) -> None:
        self._raw_allowed = raw_allowed
        self._decoder = zlib.decompressobj(wbits)

    def feed(self, chunk: bytes) -> bytes:
        """The bytes that `chunk` decodes to. Raises `Undecodable`."""
        raw_allowed, self._raw_allowed = self._raw_allowed, False
        try:
            return self._decoder.decompress(chunk)
        except zlib.error as error:
            if not raw_allowed:
                raise Undecodable(str(error)) from None
            self._decoder = zlib.decompressobj(-zlib.MAX_WBITS)
            return self.feed(chunk)


def content_decoder(coding: str) -> ContentDecoder | None:
    """A decoder for a coding; None for one that is not undone, and where several are stacked."""
    if coding not in UNDONE:
        return None
    if coding == "gzip":
        return ContentDecoder(raw_allowed=False, wbits=zlib.MAX_WBITS | 16)
    return ContentDecoder(raw_allowed=True, wbits=zlib.MAX_WBITS)


class Unpacker:
    """The body of one response with a content coding: chunks in, decoded chunks out, each with its time.

    Chunks are held back until the first decoded byte shows that the coding can be undone (`decided`). Where it cannot,
    the body is `opaque`: all chunks come out as they went in, and `fault` says why.
    """

    def __init__(self, coding: str) -> None:
        self.coding = coding
        self._decoder = content_decoder(coding)
        self._held: list[tuple[float, bytes]] = []
        self.opaque = self.decided = self._decoder is None
        self.fault: str | None = None

    def feed(self, t: float, chunk: bytes) -> list[tuple[float, bytes]]:
        """What a chunk that came at `t` gives. Raises `Undecodable` where a part has been decoded already."""
        if self.opaque:
            return [(t, chunk)]
        assert self._decoder is not None
        try:
            decoded = self._decoder.feed(chunk)
        except Undecodable as error:
            if self.decided:
                raise
            self._held.append((t, chunk))
            self.fault = str(error)
            return self.end()
        if not self.decided:
            self._held.append((t, chunk))
            if not decoded:
                return []
            self.decided = True
            self._held.clear()
        return [(t, decoded)] if decoded else []

    def end(self) -> list[tuple[float, bytes]]:
        """What is held back; the body was cut before its first decoded byte, or has none."""
        held, self._held = self._held, []
        if not self.decided:
            self.decided = True
            self.opaque = bool(held)
        return held
