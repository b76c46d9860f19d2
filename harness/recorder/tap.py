"""Records a turn of the loop while it passes through: loop events out of it, tool times into the record."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, MutableMapping
from typing import Any, Protocol

from agent.events import ToolCall
from agent.jsonio import scrub
from agent.loop_types import ExecuteTool, LoopEvent, ToolResult
from harness.recorder.outlet import Outlet
from harness.recording.records import Record

_RECORDED = frozenset({"finish", "error", "notice", "done"})


class Run(Protocol):
    """What `agent.loop.run_turn` gives: an async iterator of loop events that is closed with `aclose`."""

    def __aiter__(self) -> AsyncIterator[LoopEvent]: ...

    async def __anext__(self) -> LoopEvent: ...

    async def aclose(self) -> None: ...


class Tap:
    """One turn being recorded: `ids` numbers its calls, `tools` wraps the tool executor, `events` the turn itself."""

    def __init__(
        self, turn: int, outlet: Outlet, next_call: Callable[[], int], turn_of: MutableMapping[int, int]
    ) -> None:
        self._turn = turn
        self._outlet = outlet
        self._next_call = next_call
        self._turn_of = turn_of
        self._ran: dict[tuple[int, int], tuple[float, str | None]] = {}
        self._call = 0
        self._position = 0
        self._seen = 0
        self._over = False

    def ids(self, numbers: Callable[[], int] | None = None) -> Callable[[], int]:
        """The `ids` of `run_turn`, giving the numbers of this turn's calls. `numbers` replaces the recorder's own."""

        def next_id() -> int:
            number = (numbers or self._next_call)()
            self._turn_of[number] = self._turn
            self._call, self._position = number, 0
            return number

        return next_id

    def tools(self, execute: ExecuteTool) -> ExecuteTool:
        """`execute`, timed. Its whole output is recorded; what the loop gives to the model may be cut."""

        async def timed(tool_call: ToolCall, *, call: int, position: int) -> ToolResult:
            started = self._outlet.clock()
            output = None
            try:
                result = await execute(tool_call, call=call, position=position)
                output = result.output
            finally:
                self._ran[call, position] = round(self._outlet.clock() - started, 6), output
            return result

        return timed

    def events(self, run: Run) -> TappedRun:
        """`run`, recorded as it is read. Close what this returns; it closes `run`."""
        return TappedRun(run, self)

    def see(self, event: LoopEvent) -> None:
        """Record one loop event that the reader is about to get."""
        self._seen += 1
        name = event.event
        self._over = self._over or name == "done"
        if name == "tool_result" or name in _RECORDED:
            try:
                record = self._result(event.data) if name == "tool_result" else self._loop(name, event.data)
                record = self._outlet.redactor.json(record)
            except Exception as error:
                self._outlet.fault(error)
            else:
                self._outlet.write([record])

    def closed(self, *, pulling: bool) -> None:
        """The turn was left before it was done: note where, so that a replay stops there too.

        `events`: loop events that the reader got. `pulling`: whether it was waiting for the next one.
        """
        if not self._over:
            self._over = True
            self._outlet.write([self._loop("cancelled", {"events": self._seen, "pulling": pulling})])

    def _loop(self, name: str, data: dict[str, Any]) -> Record:
        return {"kind": "loop", "turn": self._turn, "event": name, "data": data}

    def _result(self, data: dict[str, Any]) -> Record:
        position = self._position
        self._position += 1
        duration, output = self._ran.pop((self._call, position), (0.0, None))
        output, given = (data["output"] if output is None else scrub(output)), data["output"]
        record = {
            "kind": "tool_result",
            "turn": self._turn,
            "call": self._call,
            "position": position,
            "id": data["id"],
            "name": data["name"],
            "ok": data["ok"],
            "output": output,
            "duration": duration,
        }
        if given != output and self._outlet.redactor.text(output) is not output:
            record["given"] = given  # what was cut cannot be cut again at the same place without its secrets
        return record


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
