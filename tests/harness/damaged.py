"""Recordings that are damaged, so that nobody can vouch for what is lost: no judge may pass them."""

from __future__ import annotations

import gzip
from collections.abc import Callable


def _without(data: bytes, kind: bytes, *, by: Callable[[bytes], bytes]) -> bytes:
    """`data` with the first line of a kind changed."""
    lines = data.splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if line.startswith(b'{"kind":"%b"' % kind))
    return b"".join([*lines[:at], by(lines[at]), *lines[at + 1 :]])


def _cut(line: bytes) -> bytes:
    return line[: len(line) // 2] + b"\n"


DAMAGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "no JSON in the middle": (lambda data: _without(data, b"frame", by=lambda _: b"{broken\n"), "; skipped"),
    "a torn frame in the middle": (lambda data: _without(data, b"frame", by=_cut), "; skipped"),
    "a torn event in the middle": (lambda data: _without(data, b"event", by=_cut), "; skipped"),
    "a torn line and one behind it": (
        lambda data: _without(data, b"frame", by=lambda line: _cut(line)[:-1]), "; the rest skipped",
    ),
    "NUL bytes": (lambda data: _without(data, b"frame", by=lambda line: b"\0\0\0" + line), "NUL bytes around"),
    "no header": (lambda data: data.partition(b"\n")[2], "the header is missing"),
    "joined with itself": (lambda data: data + data, "a second recording begins here: two files in one; split"),
    "torn gzip": (lambda data: gzip.compress(data)[:-300], "the compressed data ends early"),
    "torn gzip, no call left": (lambda data: gzip.compress(data[:2000])[:-9], "the compressed data ends early"),
    "damaged gzip": (lambda data: gzip.compress(data)[:-8] + b"\0" * 8, "the compressed data is damaged"),
}  # fmt: skip
"""By name: what is done to the bytes of a recording, and what the reason of the check `read` holds."""
