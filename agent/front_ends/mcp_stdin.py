"""Standard input as lines, without a thread that blocks in a read: a server that is told to end can end at once."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator
from typing import Any

_READ_SIZE = 65_536


def stdin_lines() -> Any:
    """The lines of standard input; None where the event loop cannot wait for it (a file, Windows).

    The descriptor stays in blocking mode: it may be shared with standard output and with other processes.
    """
    loop = asyncio.get_running_loop()
    try:
        descriptor = sys.stdin.fileno()
        loop.add_reader(descriptor, lambda: None)
        loop.remove_reader(descriptor)
    except (AttributeError, NotImplementedError, OSError, ValueError):
        return None
    return _lines(descriptor)


async def _lines(descriptor: int) -> AsyncIterator[str]:
    pending: list[bytes] = []
    while chunk := await _read(descriptor):
        *lines, rest = chunk.split(b"\n")
        for line in lines:
            pending.append(line)
            yield b"".join(pending).decode("utf-8", "replace")
            pending = []
        pending.append(rest)
    if any(pending):
        yield b"".join(pending).decode("utf-8", "replace")


async def _read(descriptor: int) -> bytes:
    """The bytes that are there, waiting for the first; none at the end of input."""
    loop = asyncio.get_running_loop()
    readable = asyncio.Event()
    loop.add_reader(descriptor, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(descriptor)
    try:
        return os.read(descriptor, _READ_SIZE)
    except OSError:  # a terminal that has gone
        return b""
