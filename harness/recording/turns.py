"""A recorded turn that runs again: what it is given, its recorded tool results, and where it stops."""

from __future__ import annotations

import asyncio
import itertools
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any, TypeVar

from agent.events import ToolCall
from agent.loop_types import Limits, LoopEvent, ToolResult
from agent.messages import Message, ToolSpec, message_from_dict, user
from agent.trim import cap
from harness.errors import RecordingError
from harness.recording.contents import Turn
from harness.recording.records import is_cut_notice

T = TypeVar("T")


class RecordedTurn:
    """What running `turn` again takes, wherever its answers come from. `seen`: the loop events that it gave.

    `left`: after how many loop events the recorded reader left, and whether it waited for the next. `died`: the
    recording stops in this turn. Raises `RecordingError`.
    """

    def __init__(self, turn: Turn) -> None:
        self.turn = turn
        self.calls = {call.number: call for call in turn.calls}
        self.left = _left_at(turn)
        self.died = self.left is None and all(record["event"] != "done" for record in turn.loop)
        self.seen: list[LoopEvent] = []
        self._stopped = asyncio.Event()
        self._results = {(result["call"], result["position"]): result for result in turn.tool_results}
        self._cap: int | None = None

    @property
    def uncut(self) -> bool:
        """Whether the loop must not cut results, as they were given with their secrets cut."""
        return self._cap is not None

    def history(self) -> list[Message]:
        """The messages that it was given, the last being its input."""
        turn = self.turn
        return [*_read(turn, "history", lambda given: [message_from_dict(each) for each in given]), user(turn.input)]

    def arguments(self, model: str) -> dict[str, Any]:
        """The further arguments of `run_turn` that a recorder takes too."""
        turn = self.turn
        limits = _read(turn, "limits", lambda given: Limits.from_dict({k: int(v) for k, v in given.items()}))
        return {
            "mode": turn.mode,
            "provider": turn.provider,
            "model": model,
            "system": turn.system,
            "tools": _read(turn, "tools", lambda given: [ToolSpec.from_dict(tool) for tool in given]),
            "params": turn.params,
            "limits": self._uncut(limits),
            "tool_modes": _read(turn, "tool_modes", lambda given: {k: [*v] for k, v in (given or {}).items()}),
        }

    def ids(self) -> Callable[[], int]:
        """The numbers of its calls, and then those that no recorded call has."""
        return itertools.chain(self.calls, itertools.count(max(self.calls, default=-1) + 1)).__next__

    def stop(self) -> bool:
        """The recorded turn got no further than this; whether the replay stops here too."""
        stops = self.left is not None or self.died
        if stops:
            self._stopped.set()
        return stops

    async def read(self, events: AsyncIterator[LoopEvent]) -> None:
        """Read to the end, or as far as the recorded reader got, or the recording goes."""
        if self.left is None and not self.died:  # nothing will stop it
            await self._pull(events)
            return
        reading = asyncio.ensure_future(self._pull(events))
        stopped = asyncio.ensure_future(self._stopped.wait())
        try:
            await asyncio.wait((reading, stopped), return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                reading.result()
        finally:
            for task in (reading, stopped):
                task.cancel()
            await asyncio.wait((reading, stopped))
            if not reading.cancelled():
                reading.exception()  # it counts as seen

    async def _pull(self, events: AsyncIterator[LoopEvent]) -> None:
        count, pulling = self.left or (-1, False)
        while len(self.seen) != count:
            event = await anext(events, None)
            if event is None:
                return
            self.seen.append(event)
        if pulling:
            await anext(events, None)

    def _uncut(self, limits: Limits) -> Limits:
        """The limits to run with: where a result with secrets in it was cut, results are taken as they were given.

        Their length is another without the secrets, so the loop would cut them elsewhere.
        """
        if all("given" not in result for result in self.turn.tool_results):
            return limits
        self._cap = limits.max_result_chars
        if self.left is not None:
            count, pulling = self.left
            notices = sum(is_cut_notice(step["event"], step["data"]) for step in self.turn.course)
            self.left = count - notices, pulling
        return replace(limits, max_result_chars=sys.maxsize)

    async def execute(self, tool_call: ToolCall, *, call: int, position: int) -> ToolResult:
        recorded = self._results.get((call, position))
        if recorded is not None:
            output = recorded["output"]
            if self._cap is not None:
                output = recorded.get("given", cap(output, self._cap))
            return ToolResult(recorded["ok"], output)
        await self.stop_if_left()
        return ToolResult(
            False, f"the recording holds no result of {tool_call.name} (call {call}, position {position})"
        )

    async def stop_if_left(self) -> None:
        """Where the recorded turn got no further, wait to be closed."""
        if self.stop():
            await asyncio.Event().wait()


async def no_wait(seconds: float) -> None:
    """In place of backoff."""


def _read(turn: Turn, name: str, convert: Callable[[Any], T]) -> T:
    """A field of the turn's record. Raises `RecordingError` where it cannot be used."""
    try:
        return convert(turn.record.get(name))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise RecordingError(
            f"turn {turn.number}: its {name} cannot be used: {type(error).__name__}: {error}"
        ) from None


def _left_at(turn: Turn) -> tuple[int, bool] | None:
    """After how many loop events the recorded reader left, and whether it waited for the next; None: it did not."""
    data = next((record["data"] for record in turn.loop if record["event"] == "cancelled"), None)
    if data is None:
        return None
    try:
        return int(data["events"]), bool(data["pulling"])
    except (KeyError, TypeError, ValueError) as error:
        raise RecordingError(f"turn {turn.number}: it does not say where its reader left: {error}") from None
