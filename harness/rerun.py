"""Runs the agent loop again over a recording, offline, and compares what it does with what was recorded."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import AsyncGenerator, AsyncIterator, Mapping, Sequence
from typing import Any

from agent.client import Client
from agent.events import DecodeOptions, Event, ToolCall
from agent.jsonio import canonical
from agent.loop import run_turn
from agent.loop_types import Limits, LoopEvent, ToolResult
from agent.messages import Message, ToolSpec, message_from_dict, user
from agent.providers.table import resolve
from agent.tools.registry import modes_of_tools
from harness.errors import ReplayMismatch
from harness.matching import shorten
from harness.recorded import Turn
from harness.recorder import Recorder
from harness.recording import Recording
from harness.replay_transport import ReplayTransport

_COMPARED = frozenset({"tool_result", "finish", "error", "notice", "done"})


async def rerun(recording: Recording, recorder: Recorder | None = None) -> str | None:
    """Run every turn again; the first difference in one line, None where all is as recorded.

    Tool results come from the recording, nothing is priced, no backoff is waited for. `recorder` records the replay.
    """
    cancel = asyncio.Event()
    transport = ReplayTransport([call for turn in recording.turns for call in turn.calls], on_closed=cancel.set)
    for turn in recording.turns:
        cancel.clear()
        difference = await _TurnRerun(turn, transport, cancel, recorder).run()
        if difference is not None:
            return f"turn {turn.number}: {difference}"
    if transport.unused:
        return f"recorded calls that the loop did not make: {', '.join(str(call.number) for call in transport.unused)}"
    return None


class _TurnRerun:
    """One turn being run again. `left` is where its recorded reader left early; `died` that its end is missing."""

    def __init__(
        self, turn: Turn, transport: ReplayTransport, cancel: asyncio.Event, recorder: Recorder | None
    ) -> None:
        self._turn = turn
        self._calls = {call.number: call for call in turn.calls}
        self._transport = transport
        self._cancel = cancel
        self._recorder = recorder
        self._results = {(result["call"], result["position"]): result for result in turn.tool_results}
        loop = {record["event"]: record["data"] for record in turn.loop}
        self._left: Mapping[str, Any] | None = loop.get("cancelled")
        self._died = self._left is None and "done" not in loop
        self._seen: list[LoopEvent] = []

    async def run(self) -> str | None:
        """The first difference of this turn."""
        turn = self._turn
        target, model = resolve(f"{turn.provider}/{turn.model}", base_url=turn.base_url, environ={})
        history = [*map(message_from_dict, turn.history), user(turn.input)]
        numbers = itertools.chain(self._calls, itertools.count(max(self._calls, default=-1) + 1))
        shared: dict[str, Any] = {
            "mode": turn.mode,
            "provider": turn.provider,
            "model": model,
            "system": turn.system,
            "tools": [ToolSpec.from_dict(tool) for tool in turn.tools],
            "params": turn.params,
            "limits": Limits.from_dict(turn.limits),
        }
        transport: Any = self._transport
        execute: Any = self._execute
        tap = None
        if self._recorder is not None:
            transport = self._recorder.transport(transport)
            tap = self._recorder.turn(history, base_url=turn.base_url, **shared)
            execute = tap.tools(execute)
        async with Client(target, transport=transport) as client:
            events: Any = run_turn(
                history,
                create_stream=self._streams(client),
                execute_tool=execute,
                sleep=self._sleep,
                ids=numbers.__next__,
                wire=target.wire,
                tool_modes=modes_of_tools(),
                **shared,
            )
            if tap is not None:
                events = tap.events(events)
            try:
                await self._read(events)
            except ReplayMismatch as mismatch:
                return str(mismatch)
            finally:
                await events.aclose()
        return self._difference()

    async def _read(self, events: AsyncIterator[LoopEvent]) -> None:
        """Read to the end, or as far as the recorded reader got."""
        if self._left is None and not self._died:
            async for seen in events:
                self._seen.append(seen)
            return
        while self._left is None or len(self._seen) < self._left["events"]:
            event = await self._pull(events)
            if event is None:
                return
            self._seen.append(event)
        if self._left["pulling"]:
            await self._pull(events)

    async def _pull(self, events: AsyncIterator[LoopEvent]) -> LoopEvent | None:
        """The next loop event; None at the end, or where the recorded turn was left."""
        pull = asyncio.ensure_future(anext(events, None))
        cancel = asyncio.ensure_future(self._cancel.wait())
        try:
            await asyncio.wait((pull, cancel), return_when=asyncio.FIRST_COMPLETED)
            return pull.result() if pull.done() else None
        finally:
            for task in (pull, cancel):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, Exception):
                    await task

    def _streams(self, client: Client) -> Any:
        """`create_stream` over the replay, decoding as the recorded calls were decoded."""

        async def create_stream(
            messages: Sequence[Message],
            tools: Sequence[ToolSpec] = (),
            *,
            model: str,
            system: str | None,
            params: Mapping[str, Any],
            call: int,
            retry_of: int | None,
        ) -> AsyncGenerator[Event, None]:
            recorded = self._calls.get(call)
            if recorded is None:
                await self._stop_if_left()
            decode = {} if recorded is None else recorded.decode
            stream = client.stream(
                messages,
                tools,
                model=model,
                system=system,
                params=params,
                call=call,
                retry_of=retry_of,
                options=DecodeOptions.from_dict(decode),
            )
            async with contextlib.aclosing(stream):
                async for event in stream:
                    yield event

        return create_stream

    async def _execute(self, tool_call: ToolCall, *, call: int, position: int) -> ToolResult:
        recorded = self._results.get((call, position))
        if recorded is not None:
            return ToolResult(recorded["ok"], recorded["output"])
        await self._stop_if_left()
        return ToolResult(
            False, f"the recording holds no result of {tool_call.name} (call {call}, position {position})"
        )

    async def _sleep(self, seconds: float) -> None:
        """Backoff is not waited for; where the recorded reader left during one, so does this."""
        if not self._transport.unused:
            await self._stop_if_left()

    async def _stop_if_left(self) -> None:
        """Where the recorded turn got no further, wait to be closed."""
        if self._left is not None or self._died:
            self._cancel.set()
            await asyncio.Event().wait()

    def _difference(self) -> str | None:
        recorded = [
            _comparable(step["event"], step["data"]) for step in self._turn.course if step["event"] in _COMPARED
        ]
        seen = [_comparable(event.event, event.data) for event in self._seen if event.event in _COMPARED]
        if self._died:
            seen = seen[: len(recorded)]
        for index in range(max(len(recorded), len(seen))):
            one = recorded[index] if index < len(recorded) else None
            other = seen[index] if index < len(seen) else None
            if one is None or other is None or canonical(list(one)) != canonical(list(other)):
                return f"loop event {index}: recorded {_show(one)}, now {_show(other)}"
        return None


def _comparable(event: str, data: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """A loop event without what a replay takes over (outputs, which the next request shows) or does not do (prices)."""
    return event, {name: value for name, value in data.items() if name not in ("cost_usd", "output")}


def _show(event: tuple[str, dict[str, Any]] | None) -> str:
    return "nothing" if event is None else f"{event[0]} {shorten(event[1], 160)}"
