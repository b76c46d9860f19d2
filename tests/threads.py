"""Runs an async context manager on an event loop in a thread of its own, for tests that block."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import TypeVar

T = TypeVar("T")


@contextmanager
def in_thread(opened: AbstractAsyncContextManager[T]) -> Iterator[T]:
    """What `opened` gives, entered and left on the other loop; the thread has ended when this returns."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    try:
        value = asyncio.run_coroutine_threadsafe(opened.__aenter__(), loop).result(10)
        try:
            yield value
        finally:
            asyncio.run_coroutine_threadsafe(opened.__aexit__(None, None, None), loop).result(10)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()
