"""Work that a cancelled task still waits for, so that nothing goes on after it has returned."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

T = TypeVar("T")

GRACE = 10.0
"""Seconds that a cancelled task waits for work that does not end; a dead network disk must not hold it for ever."""


async def in_thread(work: Callable[..., T], *arguments: Any) -> T:
    """Do blocking file work in a thread. A cancelled caller leaves only when the work is done (or after `GRACE`)."""
    future = asyncio.ensure_future(asyncio.to_thread(work, *arguments))
    future.add_done_callback(_look)
    try:
        return await asyncio.shield(future)
    except asyncio.CancelledError:
        await see_through(future, GRACE)
        raise


async def see_through(future: asyncio.Future[Any], seconds: float) -> bool:
    """Wait for a future, however often the waiting task is cancelled. False where the time ran out."""
    clock = asyncio.get_running_loop().time
    end = clock() + seconds
    while not future.done() and clock() < end:
        try:
            await asyncio.wait({future}, timeout=end - clock())
        except asyncio.CancelledError:
            continue
    return future.done()


def _look(future: asyncio.Future[Any]) -> None:
    """Fetch an exception that nobody waits for any more, so that asyncio does not report it as lost."""
    if not future.cancelled():
        future.exception()
