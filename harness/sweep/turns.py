"""Turns of the agent loop that are swept: those of a recording, and one made around each fixture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from agent.events import DecodeOptions, End
from agent.loop_types import ToolResult
from agent.messages import Message, ToolSpec, user
from agent.providers import WIRES
from agent.providers.base import Target
from harness.recording.contents import Turn
from harness.recording.turns import RecordedTurn
from harness.sweep.run import full_run
from harness.sweep.seen import Full
from harness.sweep.streams import Stream, stream_of_call

Reply: TypeAlias = Stream | End
"""What a request gets: a response, or the way in which none came."""

_NOWHERE = "http://provider.invalid/v1"


@dataclass(frozen=True)
class SweptTurn:
    """What the loop is given (`arguments` of `run_turn`), and the replies in order.

    `repeats`: which replies were those to a retry. `full`: the full run of each reply that is a response.
    `results`: what the tools gave, by number of the reply and position of the call in it.
    """

    number: int
    target: Target
    history: Sequence[Message]
    arguments: dict[str, Any]
    options: DecodeOptions
    replies: tuple[Reply, ...]
    repeats: tuple[bool, ...]
    full: tuple[Full | None, ...]
    results: dict[tuple[int, int], ToolResult]

    def result(self, reply: int, position: int) -> ToolResult:
        return self.results.get((reply, position)) or ToolResult(True, "done")

    def with_reply(self, number: int, reply: Stream) -> SweptTurn:
        """The turn with another response in one place."""
        replies = (*self.replies[:number], reply, *self.replies[number + 1 :])
        return replace(self, replies=replies, full=_full(replies))


def turn_of_recording(turn: Turn) -> SweptTurn | None:
    """A recorded turn; None where one of its calls cannot be played. Raises `RecordingError`."""
    replies: list[Reply] = []
    for call in turn.calls:
        stream = call.end if call.response is None else stream_of_call(call)
        if isinstance(stream, str):
            return None
        replies.append(stream)
    wire = next((call.wire for call in turn.calls if call.wire in WIRES), None)
    if wire is None:
        return None
    recorded = RecordedTurn(turn)
    place = {call.number: number for number, call in enumerate(turn.calls)}
    return SweptTurn(
        turn.number,
        Target(turn.provider, wire, _NOWHERE),
        recorded.history(),
        recorded.arguments(turn.model),
        DecodeOptions.from_dict(turn.calls[0].decode),
        tuple(replies),
        tuple(call.retry_of is not None for call in turn.calls),
        _full(replies),
        {
            (place[one["call"]], one["position"]): ToolResult(one["ok"], one["output"])
            for one in turn.tool_results
            if one["call"] in place
        },
    )


def turn_of_fixture(stream: Stream) -> SweptTurn:
    """A turn whose first call gets this response. The tools that it calls exist."""
    full = _full([stream])
    names = dict.fromkeys(call.name for found in full if found is not None for call in found.calls)
    tools = [ToolSpec(name, "", {"type": "object", "properties": {}}) for name in names]
    return SweptTurn(
        0,
        Target("sweep", stream.wire, _NOWHERE),
        [user("go")],
        {"model": "swept", "provider": "sweep", "tools": tools},
        stream.options,
        (stream,),
        (False,),
        full,
        {},
    )


def _full(replies: Sequence[Reply]) -> tuple[Full | None, ...]:
    return tuple(full_run(reply) if isinstance(reply, Stream) else None for reply in replies)
