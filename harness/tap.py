"""Records a turn of the loop while it passes through: loop events out of it, tool times into the record."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any, Protocol

from agent.events import ToolCall
from agent.loop_types import ExecuteTool, LoopEvent, ToolResult
from harness.records import Record
from harness.redaction import Redactor

_RECORDED = frozenset({"finish", "error", "notice", "done"})


class Run(Protocol):
    """What `agent.loop.run_turn` gives: an async iterator of loop events that is closed with `aclose`."""

    def __aiter__(self) -> AsyncIterator[LoopEvent]: ...

    async def __anext__(self) -> LoopEvent: ...

    async def aclose(self) -> None: ...


class Tap:
    """One turn being recorded. `tools` wraps the tool executor, `events` the turn itself."""

    def __init__(
        self,
        turn: int,
        write: Callable[[list[Record]], None],
        redactor: Redactor,
        last_call: Callable[[], int],
        clock: Callable[[], float],
        leave: Callable[[], None],
    ) -> None:
        self._turn = turn
        self._write = write
        self._redactor = redactor
        self._last_call = last_call
        self._clock = clock
        self._leave = leave
        self._ran: dict[tuple[int, int], tuple[float, str | None]] = {}
        self._call = -1
        self._position = 0
        self._seen = 0
        self._over = False

    def tools(self, execute: ExecuteTool) -> ExecuteTool:
        """`execute`, timed. Its whole output is recorded; what the loop gives to the model may be cut."""

        async def timed(tool_call: ToolCall, *, call: int, position: int) -> ToolResult:
            started = self._clock()
            output = None
            try:
                result = await execute(tool_call, call=call, position=position)
                output = result.output
            finally:
                self._ran[call, position] = round(self._clock() - started, 6), output
            return result

        return timed

    def events(self, run: Run) -> TappedRun:
        """`run`, recorded as it is read. Close what this returns; it closes `run`."""
        return TappedRun(run, self)

    def see(self, event: LoopEvent) -> None:
        """Record one loop event that the reader is about to get."""
        self._seen += 1
        if event.event == "tool_result":
            self._write([self._redactor.json(self._result(event.data))])
        elif event.event in _RECORDED:
            record = {"kind": "loop", "turn": self._turn, "event": event.event, "data": event.data}
            self._write([self._redactor.json(record)])
            if event.event == "done":
                self._finish()

    def closed(self, *, pulling: bool) -> None:
        """The turn was left before it was done: note where, so that a replay stops there too.

        `events`: loop events that the reader got. `pulling`: whether it was waiting for the next one.
        """
        if not self._over:
            data = {"events": self._seen, "pulling": pulling}
            self._write([{"kind": "loop", "turn": self._turn, "event": "cancelled", "data": data}])
            self._finish()

    def _finish(self) -> None:
        self._over = True
        self._leave()

    def _result(self, data: dict[str, Any]) -> Record:
        call = self._last_call()
        if call != self._call:
            self._call, self._position = call, 0
        position = self._position
        self._position += 1
        duration, output = self._ran.pop((call, position), (0.0, None))
        return {
            "kind": "tool_result",
            "turn": self._turn,
            "call": call,
            "position": position,
            "id": data["id"],
            "name": data["name"],
            "ok": data["ok"],
            "output": data["output"] if output is None else output,
            "duration": duration,
        }


class TappedRun:
    """A turn of the loop with a tap on it; reads and closes like the turn itself."""

    def __init__(self, run: Run, tap: Tap) -> None:
        self._run = run
        self._tap = tap
        self._pulling = False

    def __aiter__(self) -> TappedRun:
        return self

    async def __anext__(self) -> LoopEvent:
        self._pulling = True
        event = await self._run.__anext__()
        self._pulling = False
        self._tap.see(event)
        return event

    async def aclose(self) -> None:
        await self._run.aclose()
        self._tap.closed(pulling=self._pulling)

    async def __aenter__(self) -> TappedRun:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()
