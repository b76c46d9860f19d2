"""Runs the agent loop again over a recording, offline, and compares what it does with what was recorded."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agent.client import Client
from agent.events import DecodeOptions, Event
from agent.loop import run_turn
from agent.loop_types import ExecuteTool
from agent.messages import Message, ToolSpec
from agent.providers import WIRES
from agent.providers.base import Target
from agent.providers.table import PROVIDERS, resolve
from agent.response_reader import ResponseReader
from harness.errors import ReplayMismatch
from harness.recording.contents import Turn
from harness.recording.opening import Recording
from harness.recording.turns import RecordedTurn, no_wait
from harness.replaying.loop_difference import loop_difference
from harness.replaying.replay_transport import ReplayTransport

if TYPE_CHECKING:
    from harness.recorder.recorder import Recorder


async def rerun(
    recording: Recording,
    recorder: Recorder | None = None,
    reader: Callable[..., ResponseReader] = ResponseReader,
    runs: list[RecordedTurn] | None = None,
) -> str | None:
    """Run every turn again; the first difference in one line, None where all is as recorded.

    Tool results come from the recording, nothing is priced, no backoff is waited for. `recorder` records the replay;
    `reader` as in `Client`. `runs` is given the turns as they ran, the last one being that with the difference.
    Raises `TargetError` for a turn whose model or base URL cannot be used, `RecordingError` for what else it was given.
    """
    reruns: list[RecordedTurn] = [] if runs is None else runs
    transport = ReplayTransport(
        [call for turn in recording.turns for call in turn.calls], on_closed=lambda call: reruns[-1].stop()
    )
    for turn in recording.turns:
        run = _TurnRerun(turn, transport, recorder, reader)
        reruns.append(run)
        difference = await run.run()
        if difference is not None:
            return f"turn {turn.number}: {difference}"
    if transport.unused:
        return f"recorded calls that the loop did not make: {', '.join(str(call.number) for call in transport.unused)}"
    return None


class _TurnRerun(RecordedTurn):
    """One turn being run again over a replay transport."""

    def __init__(
        self,
        turn: Turn,
        transport: ReplayTransport,
        recorder: Recorder | None,
        reader: Callable[..., ResponseReader],
    ) -> None:
        super().__init__(turn)
        self._reader = reader
        self._transport = transport
        self._recorder = recorder

    async def run(self) -> str | None:
        """The first difference of this turn."""
        target, model = _target(self.turn)
        history, shared, ids = self.history(), self.arguments(model), self.ids()
        transport: Any = self._transport
        execute: ExecuteTool = self.execute
        tap = None
        if self._recorder is not None:
            transport = self._recorder.transport(transport)
            tap = self._recorder.turn(history, base_url=self.turn.base_url, **shared)
            execute, ids = tap.tools(execute), tap.ids(ids)
        async with Client(target, transport=transport, reader=self._reader) as client:
            events: Any = run_turn(
                history,
                create_stream=self._streams(client),
                execute_tool=execute,
                sleep=no_wait,
                ids=ids,
                wire=target.wire,
                **shared,
            )
            if tap is not None:
                events = tap.events(events)
            try:
                await self.read(events)
            except ReplayMismatch as mismatch:
                return str(mismatch)
            finally:
                await events.aclose()
        return self._difference()

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
            recorded = self.calls.get(call)
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
        await self.stop_if_left()
        async with contextlib.aclosing(stream):
            async for event in stream:
                yield event

    def _difference(self) -> str | None:
        """The first difference between the loop events of both, one line."""
        seen = [(event.event, event.data) for event in self.seen]
        difference = loop_difference(self.turn, seen, died=self.died, cuts=not self.uncut)
        if difference is None and self.left is not None and len(self.seen) < self.left[0]:
            return f"the reader left after {self.left[0]} loop events, now there are only {len(self.seen)}"
        return difference


def _target(turn: Turn) -> tuple[Target, str]:
    """Where the turn's calls went: no key is needed, and where no base URL was recorded the provider's is meant.

    What a configured provider says of itself is not recorded: its wire format and the name of its output limit are
    taken from its first call.
    """
    name = f"{turn.provider}/{turn.model}"
    row = PROVIDERS.get(turn.provider.lower())
    target, model = resolve(name, base_url=turn.base_url or (row.base_url if row is not None else None), environ={})
    target = replace(target, key_variable=None)  # the options of the recorded calls name it
    call = next((call for call in turn.calls if call.wire in WIRES), None)
    if call is None or call.wire is None:
        return target, model
    body = call.request.body if isinstance(call.request.body, dict) else {}
    limit = turn.params.get("max_tokens")
    if limit is None or target.max_tokens_param in body:
        return replace(target, wire=call.wire), model
    names = [name for name, value in body.items() if value == limit and name not in turn.params]
    return replace(target, wire=call.wire, max_tokens_param=names[0] if names else target.max_tokens_param), model
