"""The front end for programs: one compact JSON object a line."""

from __future__ import annotations

from contextlib import aclosing
from typing import TextIO

from agent.front_ends.summary import Events, Summary
from agent.jsonio import dumps


async def jsonl(events: Events, out: TextIO) -> Summary:
    """Write each loop event as `{"event": ..., "data": ...}`, flushed as it comes.

    The turn is closed when this returns or raises. `BrokenPipeError` where the reader of `out` has gone.
    """
    summary = Summary()
    async with aclosing(events):
        async for event in events:
            summary.see(event)
            out.write(dumps({"event": event.event, "data": event.data}).decode() + "\n")
            out.flush()
    return summary
