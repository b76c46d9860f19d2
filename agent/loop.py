"""The agent loop: one turn from the user's input to completion, as an iterator of loop events.

A step is taken only when the reader pulls and no event is left: nothing is sent before the first pull, a slow reader
slows the stream, nothing is buffered. The loop never prints, and does not know who reads or records.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Any

from agent.loop_types import CreateStream, ExecuteTool, Limits, LoopEvent, Price, Setup
from agent.messages import Message, ToolSpec
from agent.steps import Steps


def _now() -> datetime:
    return datetime.now(UTC)


def run_turn(
    history: Sequence[Message],
    *,
    model: str,
    mode: str = "PLAN",
    create_stream: CreateStream,
    execute_tool: ExecuteTool,
    system: str | None = None,
    tools: Sequence[ToolSpec] = (),
    params: Mapping[str, Any] | None = None,
    limits: Limits | None = None,
    price: Price | None = None,
    clock: Callable[[], datetime] = _now,
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ids: Callable[[], int] | None = None,
    wire: str | None = None,
    provider: str = "",
    tool_modes: Mapping[str, Sequence[str]] | None = None,
) -> Turn:
    """One turn. `history` ends in the user's input.

    `tools` are those of `mode`; `tool_modes` says in which modes any tool exists, for the answer to a call that this
    mode refuses. `limits` default to those of the mode. `clock` dates each call for `price`; `sleep` waits (seconds)
    before a retry; `ids` gives the next call number. `wire` is the format that opaque data of answers belongs to.
    """
    setup = Setup(
        model=model,
        mode=mode,
        provider=provider,
        wire=wire,
        create_stream=create_stream,
        execute_tool=execute_tool,
        system=system,
        tools=tuple(tools),
        tool_modes=tool_modes or {},
        params=params or {},
        limits=limits or Limits.for_mode(mode),
        price=price,
        clock=clock,
        sleep=sleep,
        ids=ids or itertools.count().__next__,
    )
    return Turn(history, setup)


class Turn:
    """An async iterator of loop events, and an async context manager that closes it.

    Leaving the `async with`, `aclose()` (from any task) and cancelling the reading task close the provider stream and
    end a running tool before they return. No event follows then. One reader at a time.
    """

    def __init__(self, history: Sequence[Message], setup: Setup) -> None:
        self._steps = Steps(history, setup, self._crashed)
        self._reader: asyncio.Task[Any] | None = None
        self._cancels = 0
        self._interrupted = False
        self._idle: asyncio.Event | None = None
        self._closing = asyncio.Lock()

    @property
    def messages(self) -> list[Message]:
        """The messages that the turn has added so far; once it is over or closed, history plus these is valid.

        Each call in them has exactly one result: a call that was not run, or was stopped, says so in an error result.
        """
        return list(self._steps.messages)

    def __aiter__(self) -> Turn:
        return self

    async def __anext__(self) -> LoopEvent:
        steps = self._steps
        if steps.out:
            return steps.out.popleft()
        if steps.step is None:
            raise StopAsyncIteration
        if self._reader is not None:
            raise RuntimeError("the turn is being read already")
        task = self._reader = asyncio.current_task()
        assert task is not None
        self._cancels = task.cancelling()
        try:
            while not steps.out and steps.step is not None:
                await steps.step()
            if task.cancelling() > self._cancels:
                raise asyncio.CancelledError  # a tool or a stream has swallowed it
            return steps.out.popleft()
        except BaseException as error:
            cancelled = isinstance(error, asyncio.CancelledError)
            await self._close("the turn was cancelled" if cancelled else "the turn broke off")
            if cancelled and self._interrupted and task.uncancel() <= self._cancels:
                raise StopAsyncIteration from None
            raise
        finally:
            self._reader = None
            if self._idle is not None:
                self._idle.set()

    async def aclose(self) -> None:
        """Close the turn. A pull that is under way in another task ends as if the turn were over."""
        reader = self._reader
        if reader is not None and reader is not asyncio.current_task():
            if self._idle is None:
                self._idle = asyncio.Event()
            # A second cancellation would break off the clean-up that the first one has begun.
            if reader.cancelling() <= self._cancels and not self._closing.locked():
                self._interrupted = True
                reader.cancel()
            await self._idle.wait()
        await self._close("the turn was cancelled")

    async def __aenter__(self) -> Turn:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def _close(self, reason: str) -> None:
        async with self._closing:
            await self._steps.close(reason)

    def _crashed(self, error: BaseException) -> bool:
        """A tool's exception; a cancellation only where it is the tool's own and not the reader's."""
        if isinstance(error, asyncio.CancelledError):
            return self._reader is not None and self._reader.cancelling() <= self._cancels
        return isinstance(error, Exception)
