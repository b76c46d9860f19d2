"""The conversation that a recorded turn leaves, for a turn that goes on with it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

from agent.events import Event, from_dict
from agent.loop import run_turn
from agent.messages import Message, ToolSpec
from agent.providers import WIRES
from harness.errors import RecordingError
from harness.recording.contents import Call, Turn
from harness.recording.turns import RecordedTurn, no_wait


async def conversation(turn: Turn) -> list[Message]:
    """What the turn was given and what it added, as messages that any provider takes.

    Each tool call has one result, also where the turn was left, or its process died: then that is an error result. The
    loop runs again over the recorded events for it; nothing is sent. Raises `RecordingError` for a turn whose records
    do not fit.
    """
    return await _Retold(turn).messages()


class _Retold(RecordedTurn):
    """A turn whose answers are the recorded events."""

    async def messages(self) -> list[Message]:
        history = self.history()
        run = run_turn(
            history,
            create_stream=self._recorded,
            execute_tool=self.execute,
            sleep=no_wait,
            ids=self.ids(),
            wire=next((call.wire for call in self.turn.calls if call.wire in WIRES), None),
            **self.arguments(self.turn.model),
        )
        try:
            await self.read(run)
        finally:
            await run.aclose()
        return [*history, *run.messages]

    async def _recorded(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        model: str,
        system: str | None,
        params: Mapping[str, Any],
        call: int,
        retry_of: int | None,
    ) -> AsyncIterator[Event]:
        """`create_stream` of the loop: the events of a recorded call, which stops where it stopped."""
        recorded = self.calls.get(call)
        if recorded is None:
            await self.stop_if_left()
            raise RecordingError(f"turn {self.turn.number}: its call {call} is not in the recording")
        stopped = recorded.end_record is None or recorded.end.kind == "closed"
        for record in recorded.event_records:
            if stopped and record["frame"] is None:  # what was made of the end, which the reader did not see
                break
            yield self._event(recorded, record["event"])
        if stopped:
            await self.stop_if_left()
            for record in recorded.event_records:
                if record["frame"] is None:
                    yield self._event(recorded, record["event"])

    def _event(self, call: Call, event: dict[str, Any]) -> Event:
        try:
            return from_dict(event)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            text = f"{type(error).__name__}: {error}"
            raise RecordingError(
                f"turn {self.turn.number}: an event of call {call.number} cannot be used: {text}"
            ) from None


def continued(turn: Turn) -> list[Message]:
    """`conversation`, for callers without an event loop."""
    return asyncio.run(conversation(turn))
