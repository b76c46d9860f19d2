"""The laws of a turn of the agent loop, as data: what must hold whatever becomes of its calls. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.events import ToolCall, UsageEvent
from agent.jsonio import canonical
from agent.loop_types import LoopEvent
from agent.messages import Message
from harness.differences import shorten
from harness.sweep.seen import Full

NORMAL = frozenset({"stop", "tool_calls", "pause"})
"""Endings of a response whose calls are run."""

CUT_SHORT = frozenset({"cut", "slow", "fail", "status"})
"""Kinds of case in which what comes of a response is no more than the response as it was."""


@dataclass
class Played:
    """What the loop did. `ran`: the calls that were run, with the number of their response's call. `left_open`: HTTP
    streams and tasks that were not ended."""

    events: list[LoopEvent] = field(default_factory=list)
    ran: list[tuple[int, ToolCall]] = field(default_factory=list)
    messages: list[Message] = field(default_factory=list)
    left_open: int = 0
    raised: str | None = None


@dataclass
class SeenTurn:
    """What came of one case. `base`: the turn as it is. `expected`: where the turn must go on like another.

    `sources`: by call the full run of its reply, and whether the case was made of it. `closing`: how the response that
    the case made closes; `marked`: its end mark came.
    """

    kind: str
    played: Played
    base: Played
    sources: dict[int, tuple[Full | None, bool]] = field(default_factory=dict)
    closing: UsageEvent | None = None
    marked: bool = False
    expected: Played | None = None


@dataclass(frozen=True)
class TurnLaw:
    """`check` gives what breaks the law, or None."""

    name: str
    says: str
    check: Callable[[SeenTurn], str | None]


def _ends(seen: SeenTurn) -> str | None:
    names = [event.event for event in seen.played.events]
    if seen.kind == "leave" and "done" not in names:
        return "it finishes after it was left" if "finish" in names[:-1] else None
    if names[-2:] == ["finish", "done"] and names.count("finish") == names.count("done") == 1:
        return None
    return f"it ends {', '.join(names[-3:]) or 'without any event'}"


def _results(seen: SeenTurn) -> str | None:
    problem = unanswered(seen.played.messages)
    if problem is not None or seen.kind == "leave":
        return problem
    calls, results = (
        [[event.data["id"], event.data["name"]] for event in seen.played.events if event.event == name]
        for name in ("tool_call", "tool_result")
    )
    return None if calls == results else f"calls {shorten(calls, 200)} have the results {shorten(results, 200)}"


def _half_built(seen: SeenTurn) -> str | None:
    for number, call in seen.played.ran:
        full, cased = seen.sources.get(number, (None, False))
        what = f"{call.name} {shorten(call.input, 120)} was run"
        if call.unparsed:
            return f"{what}, whose arguments could not be parsed"
        if cased and (seen.closing is None or not seen.closing.complete or seen.closing.stop_reason not in NORMAL):
            return f"{what}, and its response ended {seen.closing.stop_reason if seen.closing else 'without usage'}"
        if cased and seen.kind in CUT_SHORT and not seen.marked:
            return f"{what}, and the end mark of its response had not come"
        if (not cased or seen.kind in CUT_SHORT) and full is not None and not _among(call, full.calls):
            return f"{what}, and is no call of the full response"
    return None


def _goes_on(seen: SeenTurn) -> str | None:
    if seen.expected is None:
        return None
    ours, theirs = ([canonical(form) for form in forms(played)] for played in (seen.played, seen.expected))
    if seen.kind == "leave":
        theirs = theirs[: len(ours)]
    if ours == theirs:
        return None
    place = next((i for i, (a, b) in enumerate(zip(ours, theirs, strict=False)) if a != b), min(len(ours), len(theirs)))
    found, expected = (_at(played, place) for played in (ours, theirs))
    return f"loop event {place} is {found}, expected {expected}"


def _left_open(seen: SeenTurn) -> str | None:
    return f"{seen.played.left_open} left open" if seen.played.left_open else None


TURN_LAWS = (
    TurnLaw("turn-raises", "nothing raises out of the loop", lambda seen: seen.played.raised),
    TurnLaw("turn-end", "every turn ends in one finish, then done", _ends),
    TurnLaw("half-built", "no half-built call is run", _half_built),
    TurnLaw("results", "each call has exactly one result, in order", _results),
    TurnLaw("left-open", "no stream and no task is left open", _left_open),
    TurnLaw("goes-on", "chunks, slowness, a retry and leaving change nothing else", _goes_on),
)


def judge_turn(seen: SeenTurn) -> Iterator[tuple[str, str | None]]:
    """The laws by name, each with what breaks it. After an exception there is but one."""
    for law in TURN_LAWS if seen.played.raised is None else TURN_LAWS[:1]:
        yield law.name, law.check(seen)


def forms(played: Played) -> list[list[Any]]:
    """The loop events without what a retry changes: its notice, ids made from call numbers, and the tokens it took."""
    found = []
    for event in played.events:
        data = {key: value for key, value in event.data.items() if key not in ("id", "usage", "cost_usd")}
        if event.event != "notice" or data.get("what") != "retry":
            found.append([event.event, data])
    return found


def unanswered(messages: Sequence[Message]) -> str | None:
    """What is wrong with the calls and results of a history; None where each call has its result, in order."""
    waiting: list[ToolCall] = []
    for place, message in enumerate(messages):
        if message.role == "tool":
            if not waiting or (message.id, message.name) != (waiting[0].id, waiting[0].name):
                return f"message {place} is a result of {message.name} for no call that waits for it"
            waiting.pop(0)
        elif waiting:
            return f"message {place} comes before the result of {waiting[0].name}"
        else:
            waiting = message.tool_calls
    return f"{waiting[0].name} has no result" if waiting else None


def _among(call: ToolCall, calls: Sequence[ToolCall]) -> bool:
    return any((other.name, other.input, other.unparsed) == (call.name, call.input, False) for other in calls)


def _at(forms: list[bytes], place: int) -> str:
    if place >= len(forms):
        return "nothing"
    text = forms[place].decode()
    return text if len(text) <= 120 else f"{text[:119]}…"
