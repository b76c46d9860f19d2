"""What a run did, step by step, without what differs from run to run whatever the agent does. Pure.

Ids count nowhere: those of tool calls are left out, and where a text or an argument names one it reads `[id]`. Times,
dates, request ids and the borders of chunks and frames are in no step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from agent.jsonio import canonical, loads_exact
from harness.equality import tidy

if TYPE_CHECKING:
    from harness.report.call_facts import CallFacts
    from harness.report.facts import RecordingFacts, TurnFacts

KINDS = ("input", "reasoning", "text", "tool_call", "opaque", "error", "stop")
"""In the order in which they may come: what was asked; what a call brought; how the turn ended.

`opaque`: a block that only the provider can read. `stop`: of a turn, and of a call that belongs to none.
"""

NAMED = "[id]"
_WORD = re.compile(r"[\w-](?:[\w.:-]*[\w-])?")
_SHORTEST = 6
"""Shorter ids (`1`, `c0`) cannot be told from words."""


@dataclass(slots=True, frozen=True)
class Step:
    """One step. `text`: of `input`, `reasoning`, `text`; what an opaque block is; the message of an error; the reason
    of a stop. `name`: of a tool, or the kind of an error. `output` None: the recording has no result of the call.

    `key`: equal for steps that are the same.
    """

    kind: str
    turn: int | None
    call: int | None
    text: str = ""
    name: str = ""
    input: Any = None
    unparsed: bool = False
    ok: bool | None = None
    output: str | None = None
    key: bytes = field(default=b"", repr=False)


def steps_of(facts: RecordingFacts) -> list[Step]:
    """The steps of all turns, in order; calls outside of turns where they were made.

    The error of a call that was tried again is no step: retries are counted.
    """
    names = _ids(facts.calls)
    return [_finished(step, names) for step in _steps(facts)]


def _steps(facts: RecordingFacts) -> Iterator[Step]:
    calls = {call.call: call for call in facts.calls}
    retried = {call.retry_of for call in facts.calls}
    inside = {number for turn in facts.turns for number in turn.calls}
    outside = [call for call in facts.calls if call.call not in inside]
    for turn in facts.turns:
        while outside and turn.calls and outside[0].call < turn.calls[0]:
            yield from _alone(outside.pop(0), retried)
        yield from _turn(turn, [calls[number] for number in turn.calls if number in calls], retried)
    for call in outside:
        yield from _alone(call, retried)


def _turn(turn: TurnFacts, calls: list[CallFacts], retried: set[int | None]) -> Iterator[Step]:
    yield Step("input", turn.turn, None, turn.input)
    told = []
    for call in calls:
        for step in _call(call, turn.turn, retried):
            yield step
            if step.kind == "error":
                told.append((step.name, step.text))
    for error in turn.errors:
        step = _error(error, turn.turn, None)
        if (step.name, step.text) not in told:
            yield step
    yield Step("stop", turn.turn, None, turn.stop_reason or "none: the recording ends inside the turn")


def _alone(call: CallFacts, retried: set[int | None]) -> Iterator[Step]:
    yield from _call(call, None, retried)
    if call.call not in retried:
        yield Step("stop", None, call.call, call.stop_reason or call.ending)


def _call(call: CallFacts, turn: int | None, retried: set[int | None]) -> Iterator[Step]:
    results = {result["position"]: result for result in call.tool_results}
    position = 0
    for part in call.content:
        kind = part["type"]
        if kind == "tool_call":
            result = results.get(position, {})
            yield Step(
                kind, turn, call.call, name=part["name"], input=part["input"], unparsed=part["unparsed"],
                ok=result.get("ok"), output=result.get("output"),
            )  # fmt: skip
            position += 1
        else:
            yield Step(kind, turn, call.call, part["what"] if kind == "opaque" else part["text"])
    if call.call not in retried:
        for error in call.errors:
            yield _error(error, turn, call.call)


def _error(error: Mapping[str, Any], turn: int | None, call: int | None) -> Step:
    return Step("error", turn, call, str(error.get("message") or ""), str(error.get("kind") or ""))


def _ids(calls: list[CallFacts]) -> set[str]:
    parts = (part for call in calls for part in call.content if part["type"] == "tool_call")
    return {part["id"] for part in parts if len(part["id"]) >= _SHORTEST}


def _finished(step: Step, ids: set[str]) -> Step:
    """The step with ids replaced, numbers as they are compared, and its key."""
    text, output, given, form = step.text, step.output, step.input, b""
    if step.kind == "tool_call":
        form = canonical(tidy(given))
        replaced = _without_ids(form.decode(), ids).encode()
        if replaced != form:
            given, form = loads_exact(replaced), replaced
        output = None if output is None else _without_ids(output, ids)
    else:
        text = _without_ids(text, ids)
    parts = (step.kind, step.name, text, str(step.unparsed), str(step.ok), "-" if output is None else f"+{output}")
    digest = blake2b(digest_size=16)
    for part in (*(part.encode("utf-8", "replace") for part in parts), form):
        digest.update(b"%d:%b" % (len(part), part))
    return Step(
        step.kind, step.turn, step.call, text, step.name, given, step.unparsed, step.ok, output, digest.digest()
    )


def _without_ids(text: str, ids: set[str]) -> str:
    if not ids or ids.isdisjoint(_WORD.findall(text)):
        return text
    return _WORD.sub(lambda match: NAMED if match[0] in ids else match[0], text)
