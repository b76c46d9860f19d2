"""Runs the agent loop again over a recording, offline, and compares what it does with what was recorded."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from agent.client import Client
from agent.events import DecodeOptions, Event, ToolCall
from agent.loop import run_turn
from agent.loop_types import ExecuteTool, Limits, LoopEvent, ToolResult
from agent.messages import Message, ToolSpec, message_from_dict, user
from agent.providers import WIRES
from agent.providers.base import Target
from agent.providers.table import PROVIDERS, resolve
from agent.trim import cap
from harness.errors import RecordingError, ReplayMismatch
from harness.loop_difference import is_cut_notice, loop_difference
from harness.recorded import Turn
from harness.recording import Recording
from harness.replay_transport import ReplayTransport

if TYPE_CHECKING:
    from harness.recorder import Recorder

T = TypeVar("T")


async def rerun(recording: Recording, recorder: Recorder | None = None) -> str | None:
    """Run every turn again; the first difference in one line, None where all is as recorded.

    Tool results come from the recording, nothing is priced, no backoff is waited for. `recorder` records the replay.
    Raises `TargetError` for a turn whose model or base URL cannot be used, `RecordingError` for what else it was given.
    """
    reruns: list[_TurnRerun] = []
    transport = ReplayTransport(
        [call for turn in recording.turns for call in turn.calls], on_closed=lambda call: reruns[-1].stop()
    )
    for turn in recording.turns:
        reruns.append(_TurnRerun(turn, transport, recorder))
        difference = await reruns[-1].run()
        if difference is not None:
            return f"turn {turn.number}: {difference}"
    if transport.unused:
        return f"recorded calls that the loop did not make: {', '.join(str(call.number) for call in transport.unused)}"
    return None


class _TurnRerun:
    """One turn being run again."""

    def __init__(self, turn: Turn, transport: ReplayTransport, recorder: Recorder | None) -> None:
        self._turn = turn
        self._calls = {call.number: call for call in turn.calls}
        self._transport = transport
        self._stopped = asyncio.Event()
        self._recorder = recorder
        self._results = {(result["call"], result["position"]): result for result in turn.tool_results}
        self._left = _left_at(turn)
        self._cap: int | None = None
        self._died = self._left is None and all(record["event"] != "done" for record in turn.loop)
        self._seen: list[LoopEvent] = []

    async def run(self) -> str | None:
        """The first difference of this turn."""
        turn = self._turn
        target, model = _target(turn)
        history = [*_read(turn, "history", lambda given: [message_from_dict(each) for each in given]), user(turn.input)]
        ids: Callable[[], int] = itertools.chain(
            self._calls, itertools.count(max(self._calls, default=-1) + 1)
        ).__next__
        limits = _read(turn, "limits", lambda given: Limits.from_dict({k: int(v) for k, v in given.items()}))
        shared: dict[str, Any] = {
            "mode": turn.mode,
            "provider": turn.provider,
            "model": model,
            "system": turn.system,
            "tools": _read(turn, "tools", lambda given: [ToolSpec.from_dict(tool) for tool in given]),
            "params": turn.params,
            "limits": self._uncut(limits),
            "tool_modes": _read(turn, "tool_modes", lambda given: {k: [*v] for k, v in (given or {}).items()}),
        }
        transport: Any = self._transport
        execute: ExecuteTool = self._execute
        tap = None
        if self._recorder is not None:
            transport = self._recorder.transport(transport)
            tap = self._recorder.turn(history, base_url=turn.base_url, **shared)
            execute, ids = tap.tools(execute), tap.ids(ids)
        async with Client(target, transport=transport) as client:
            events: Any = run_turn(
                history,
                create_stream=self._streams(client),
                execute_tool=execute,
                sleep=_no_wait,
                ids=ids,
                wire=target.wire,
                **shared,
            )
            if tap is not None:
                events = tap.events(events)
            try:
                await self._read_events(events)
            except ReplayMismatch as mismatch:
                return str(mismatch)
            finally:
                await events.aclose()
        return self._difference()

    def stop(self) -> bool:
        """The recorded turn got no further than this; whether the replay stops here too."""
        stops = self._left is not None or self._died
        if stops:
            self._stopped.set()
        return stops

    async def _read_events(self, events: AsyncIterator[LoopEvent]) -> None:
        """Read to the end, or as far as the recorded reader got, or the recording goes."""
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
        count, pulling = self._left or (-1, False)
        while len(self._seen) != count:
            event = await anext(events, None)
            if event is None:
                return
            self._seen.append(event)
        if pulling:
            await anext(events, None)

    def _streams(self, client: Client) -> Any:
        """`create_stream` over the replay, decoding as the recorded calls were decoded."""

        def create_stream(
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
            stream = client.stream(
                messages,
                tools,
                model=model,
                system=system,
                params=params,
                call=call,
                retry_of=retry_of,
                options=DecodeOptions.from_dict({} if recorded is None else recorded.decode),
            )
            return self._beyond(stream) if recorded is None else stream

        return create_stream

    async def _beyond(self, stream: AsyncGenerator[Event, None]) -> AsyncGenerator[Event, None]:
        """A call that is not recorded: the reader left in the backoff before it, or just before it was made."""
        await self._stop_if_left()
        async with contextlib.aclosing(stream):
            async for event in stream:
                yield event

    def _uncut(self, limits: Limits) -> Limits:
        """The limits to run with: where a result with secrets in it was cut, results are taken as they were given.

        Their length is another without the secrets, so the loop would cut them elsewhere.
        """
        if all("given" not in result for result in self._turn.tool_results):
            return limits
        self._cap = limits.max_result_chars
        if self._left is not None:
            count, pulling = self._left
            notices = sum(is_cut_notice(step["event"], step["data"]) for step in self._turn.course)
            self._left = count - notices, pulling
        return replace(limits, max_result_chars=sys.maxsize)

    async def _execute(self, tool_call: ToolCall, *, call: int, position: int) -> ToolResult:
        recorded = self._results.get((call, position))
        if recorded is not None:
            output = recorded["output"]
            if self._cap is not None:
                output = recorded.get("given", cap(output, self._cap))
            return ToolResult(recorded["ok"], output)
        await self._stop_if_left()
        return ToolResult(
            False, f"the recording holds no result of {tool_call.name} (call {call}, position {position})"
        )

    async def _stop_if_left(self) -> None:
        """Where the recorded turn got no further, wait to be closed."""
        if self.stop():
            await asyncio.Event().wait()

    def _difference(self) -> str | None:
        """The first difference between the loop events of both, one line."""
        seen = [(event.event, event.data) for event in self._seen]
        difference = loop_difference(self._turn, seen, died=self._died, cuts=self._cap is None)
        if difference is None and self._left is not None and len(self._seen) < self._left[0]:
            return f"the reader left after {self._left[0]} loop events, now there are only {len(self._seen)}"
        return difference


async def _no_wait(seconds: float) -> None:
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


def _target(turn: Turn) -> tuple[Target, str]:
    """Where the turn's calls went: no key is needed, and where no base URL was recorded the provider's is meant.

    What a configured provider says of itself is not recorded: its wire format and the name of its output limit are
    taken from its first call.
    """
    name = f"{turn.provider}/{turn.model}"
    row = PROVIDERS.get(turn.provider.lower())
    target, model = resolve(name, base_url=turn.base_url or (row.base_url if row is not None else None), environ={})
    call = next((call for call in turn.calls if call.wire in WIRES), None)
    if call is None or call.wire is None:
        return target, model
    body = call.request.body if isinstance(call.request.body, dict) else {}
    limit = turn.params.get("max_tokens")
    if limit is None or target.max_tokens_param in body:
        return replace(target, wire=call.wire), model
    names = [name for name, value in body.items() if value == limit and name not in turn.params]
    return replace(target, wire=call.wire, max_tokens_param=names[0] if names else target.max_tokens_param), model
