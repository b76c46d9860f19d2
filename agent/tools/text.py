"""Bytes to text for a model, with bounds that are seen."""

from __future__ import annotations

import codecs
from collections import deque

SNIFFED = 8192
"""Bytes looked at to tell a binary file: git's rule, a NUL byte near the beginning."""


def is_binary(data: bytes) -> bool:
    return 0 in data[:SNIFFED]


def decode(data: bytes) -> str:
    """Lossy UTF-8: what is no text becomes U+FFFD."""
    return data.decode("utf-8", "replace")


class Capture:
    """Keeps the first `head` and the last `tail` bytes of a stream, whatever its length."""

    __slots__ = ("_first", "_head", "_last", "_last_size", "_tail", "total")

    def __init__(self, head: int, tail: int) -> None:
        self.total = 0
        self._head, self._tail = head, tail
        self._first = bytearray()
        self._last: deque[bytes] = deque()
        self._last_size = 0

    def add(self, chunk: bytes) -> None:
        self.total += len(chunk)
        room = self._head - len(self._first)
        if room > 0:
            self._first += chunk[:room]
            chunk = chunk[room:]
        if not chunk:
            return
        self._last.append(chunk[-self._tail :])
        self._last_size += len(self._last[-1])
        while self._last_size - len(self._last[0]) >= self._tail:
            self._last_size -= len(self._last.popleft())
        if len(self._last) > 512:
            self._last = deque([b"".join(self._last)])

    def data(self) -> bytes:
        """All bytes, where nothing was left out (see `left_out`)."""
        return bytes(self._first) + b"".join(self._last)[-self._tail :]

    @property
    def left_out(self) -> int:
        return max(0, self.total - len(self._first) - min(self._last_size, self._tail))

    def text(self) -> str:
        """The stream as text; where the middle was left out, a line says how many bytes, and no character is cut."""
        if not self.left_out:
            return decode(self.data())
        head = codecs.getincrementaldecoder("utf-8")("replace").decode(bytes(self._first), False)
        tail = b"".join(self._last)[-self._tail :]
        start = next((n for n in range(min(4, len(tail))) if tail[n] & 0xC0 != 0x80), min(3, len(tail)))
        return f"{head}\n[... {self.left_out:,} bytes left out ...]\n{decode(tail[start:])}"
