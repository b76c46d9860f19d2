"""`stop_reason`, `complete` and `no_error`: how a run, its turns and its calls ended."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from agent.events import StopReason as Reason
from harness.checks.base import Check, Subject
from harness.checks.fields import Number, as_list
from harness.checks.selecting import require_known, the_turn
from harness.differences import shorten
from harness.errors import CheckError
from harness.report.call_facts import CallFacts
from harness.report.endings import CALL_ENDINGS
from harness.report.facts import RecordingFacts
from harness.report.figures import first_of
from harness.verdicts import Verdict

_BROKEN = frozenset({"http_error", "stream_error", "truncated", "reset", "timeout", "no_response"})
"""Endings that are errors, also where the wire format is unknown and so nothing was decoded."""


class StopReason(Check):
    """Why the last turn, or `turn`, stopped; in a recording without turns, the last call."""

    type: Literal["stop_reason"]
    equals: Annotated[list[Reason], Field(min_length=1), BeforeValidator(as_list)]
    turn: Number | None = None

    def judge(self, subject: Subject) -> Verdict:
        where, found = _stop_reason(subject.facts, self.turn)
        if found is None:
            return self.error(f"the recording does not say why {where} stopped")
        if found in self.equals:
            return self.passed()
        return self.failed(f"{where} stopped with {found}, not {' or '.join(self.equals)}")


def _stop_reason(facts: RecordingFacts, number: int | None) -> tuple[str, str | None]:
    if number is not None or facts.turns:
        turn = facts.turns[-1] if number is None else the_turn(facts, number)
        return f"turn {turn.turn}", turn.stop_reason
    if not facts.calls:
        raise CheckError("the recording has no call")
    return f"call {facts.calls[-1].call}", facts.calls[-1].stop_reason


class Complete(Check):
    """Every call has the provider's own end mark, but for those that were tried again, and no turn was cancelled."""

    type: Literal["complete"]

    def judge(self, subject: Subject) -> Verdict:
        facts = subject.facts
        calls = _final(facts.calls)
        if not calls:
            return self.error("the recording has no call")
        unknown = next((call for call in calls if call.ending == "ended"), None)
        if unknown is not None:
            return self.error(f"call {unknown.call} {CALL_ENDINGS['ended']}")
        problems = [f"call {call.call}: {CALL_ENDINGS[call.ending]}" for call in calls if not call.complete]
        problems += [
            f"turn {turn.turn} {'was cancelled' if turn.cancelled else 'has no end'}"
            for turn in facts.turns
            if turn.cancelled or turn.stop_reason is None
        ]
        return self.failed("; ".join(problems)) if problems else self.passed()


class NoError(Check):
    """No call and no turn ended in an error.

    Errors that a retry made good are let be, but with `retried`. `tools`: nor did any tool fail.
    """

    type: Literal["no_error"]
    retried: bool = False
    tools: bool = False

    def judge(self, subject: Subject) -> Verdict:
        facts = subject.facts
        if not facts.calls and not facts.turns:
            return self.error("the recording has no call")
        calls = facts.calls if self.retried else _final(facts.calls)
        problems = [problem for call in calls if (problem := _call_error(call)) is not None]
        told = {shorten(error) for call in facts.calls for error in call.errors}
        problems += [
            f"turn {turn.turn}: {_say(error)}" for turn in facts.turns for error in turn.errors
            if shorten(error) not in told
        ]  # fmt: skip
        if self.tools:
            problems += [
                f"call {call.call}: the tool {result['name']} failed: {shorten(result['output'])}"
                for call in facts.calls
                for result in call.tool_results
                if not result["ok"]
            ]
        if problems:
            return self.failed("; ".join(first_of(problems)))
        for call in calls:
            require_known(call)
        return self.passed()


def _final(calls: list[CallFacts]) -> list[CallFacts]:
    """The calls that were not tried again."""
    again = {call.retry_of for call in calls}
    return [call for call in calls if call.call not in again]


def _call_error(call: CallFacts) -> str | None:
    if call.errors:
        return f"call {call.call}: {_say(call.errors[0])}"
    if call.ending in _BROKEN:
        detail = f" ({call.ending_detail})" if call.ending_detail else ""
        return f"call {call.call}: {CALL_ENDINGS[call.ending]}{detail}"
    if call.status is not None and call.status >= 400:
        return f"call {call.call}: HTTP {call.status}"
    return None


def _say(error: dict[str, Any]) -> str:
    return f"{error.get('kind')}: {error.get('message')}"
