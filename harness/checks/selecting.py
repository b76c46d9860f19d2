"""Which part of a run a check looks at, and whether all of it is known. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from harness.differences import shorten
from harness.errors import CheckError
from harness.report.call_facts import CallFacts
from harness.report.facts import RecordingFacts, TurnFacts
from harness.report.figures import plural


@dataclass(slots=True, frozen=True)
class ToolCall:
    """A tool call that was made, in the answer of `call`; where its arguments were no object they are `_raw`."""

    name: str
    input: dict[str, Any]
    call: int

    def __str__(self) -> str:
        return show(self.name, self.input)


def show(name: str, arguments: Any) -> str:
    """`read_file {"path":"notes.md"}`"""
    return f"{name} {shorten(arguments, 120)}"


def the_turn(facts: RecordingFacts, number: int) -> TurnFacts:
    """Raises `CheckError` where there is none of that number."""
    for turn in facts.turns:
        if turn.turn == number:
            return turn
    raise CheckError(f"there is no turn {number}; the recording has {plural(len(facts.turns), 'turn')}")


def whole_calls(facts: RecordingFacts, turn: int | None = None) -> list[CallFacts]:
    """The calls of a turn, or of the run, in order. Raises `CheckError` where not all they said is known."""
    turns = facts.turns if turn is None else [the_turn(facts, turn)]
    for one in turns:
        require_ended(one)
    numbers = None if turn is None else {*turns[0].calls}
    calls = [call for call in facts.calls if numbers is None or call.call in numbers]
    for call in calls:
        require_known(call)
    return calls


def require_ended(turn: TurnFacts) -> None:
    """Raises `CheckError` for a turn in which the recording stops."""
    if turn.stop_reason is None:
        raise CheckError(f"the recording stops inside turn {turn.turn}")


def require_known(call: CallFacts) -> None:
    """Raises `CheckError` for a call that did not end, and for one whose answer cannot be read."""
    if call.ending == "not_closed":
        raise CheckError(f"the recording stops inside call {call.call}")
    if call.wire is None and call.status is not None and call.status < 400:
        raise CheckError(f"what call {call.call} answered is not known: its wire format is not known")


def tool_calls(calls: Iterable[CallFacts]) -> list[ToolCall]:
    """The tool calls that the model made, run or not, in order."""
    return [
        ToolCall(part["name"], part["input"] if isinstance(part["input"], dict) else {}, call.call)
        for call in calls
        for part in call.content
        if part["type"] == "tool_call"
    ]
