"""Content codings (RFC 9110, 8.4), undone a chunk at a time, so that a recording holds what the caller read."""

from __future__ import annotations

import zlib
from importlib import import_module
from typing import Any, Protocol


class Undecodable(ValueError):
    """The bytes do not fit their content coding."""


class ContentDecoder(Protocol):
    def feed(self, chunk: bytes) -> bytes: ...

    def flush(self) -> bytes: ...


class _Zlib:
    """gzip; deflate with a zlib header, and (as some servers send it) without."""

    def __init__(self, *, raw_allowed: bool, wbits: int) -> None:
        self._raw_allowed = raw_allowed
        self._decoder = zlib.decompressobj(wbits)

    def feed(self, chunk: bytes) -> bytes:
        raw_allowed, self._raw_allowed = self._raw_allowed, False
        try:
            return self._decoder.decompress(chunk)
        except zlib.error as error:
            if not raw_allowed:
                raise Undecodable(str(error)) from None
            self._decoder = zlib.decompressobj(-zlib.MAX_WBITS)
            return self.feed(chunk)

    def flush(self) -> bytes:
        try:
            return self._decoder.flush()
        except zlib.error as error:
            raise Undecodable(str(error)) from None


class _Foreign:
    """A decoder of an optional package (`brotli`, `zstandard`)."""

    def __init__(self, decoder: Any, method: str) -> None:
        self._decode = getattr(decoder, method)

    def feed(self, chunk: bytes) -> bytes:
        try:
            decoded: bytes = self._decode(chunk)
        except Exception as error:  # the packages share no exception class
            raise Undecodable(str(error)) from None
        return decoded

    def flush(self) -> bytes:
        return b""


def content_decoder(encoding: str) -> ContentDecoder | None:
    """A decoder for one content coding; None where this installation has none (or several codings are stacked)."""
    name = encoding.strip().lower()
    if name in ("gzip", "x-gzip"):
        return _Zlib(raw_allowed=False, wbits=zlib.MAX_WBITS | 16)
    if name == "deflate":
        return _Zlib(raw_allowed=True, wbits=zlib.MAX_WBITS)
    try:
        if name == "br":
            return _Foreign(import_module("brotli").Decompressor(), "process")
        if name == "zstd":
            return _Foreign(import_module("zstandard").ZstdDecompressor().decompressobj(), "decompress")
    except ImportError:
        return None
    return None
