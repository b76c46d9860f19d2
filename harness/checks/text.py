"""`text`: the final text of a run."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import model_validator

from harness.checks.base import Subject
from harness.checks.fields import Number
from harness.checks.selecting import require_ended, require_known, the_turn
from harness.checks.texts import Texts, share
from harness.errors import CheckError
from harness.report.call_facts import CallFacts
from harness.report.endings import CALL_ENDINGS
from harness.report.facts import RecordingFacts
from harness.verdicts import Verdict


class Text(Texts):
    """The text of the last call of the last turn, or of `turn`; in a recording without turns, of the last call.

    Where an answer was paused and resumed, all its parts count. A run without any text fails, but for `equals = ""`.
    """

    of: ClassVar[Literal["outcome", "way"]] = "outcome"

    type: Literal["text"]
    turn: Number | None = None

    @model_validator(mode="after")
    def _can_fail(self) -> Text:
        if not self.expects():
            raise ValueError(f"needs one of {', '.join(self.KEYS)}")
        return self

    def judge(self, subject: Subject) -> Verdict:
        calls = _last_calls(subject.facts, self.turn)
        text = final_text(calls)
        if not text and self.equals != "":
            return self.failed(f"there is no final text: {_why(calls)}", 0.0)
        problems = self.problems(text, subject.folder)
        told = [problem for problem in problems if problem is not None]
        return self.failed("; ".join(told), share(problems)) if told else self.passed(share(problems))


def _last_calls(facts: RecordingFacts, number: int | None) -> list[CallFacts]:
    """The calls that the final text can be in. Raises `CheckError` where they are not known."""
    calls = facts.calls
    if number is not None or facts.turns:
        turn = facts.turns[-1] if number is None else the_turn(facts, number)
        require_ended(turn)
        of_turn = {*turn.calls}
        calls = [call for call in calls if call.call in of_turn]
    elif not calls:
        raise CheckError("the recording has no call")
    if calls:
        require_known(calls[-1])
    return calls


def final_text(calls: list[CallFacts]) -> str:
    """The text of the last of these calls, after that of the ones before it that ended in a pause."""
    parts: list[str] = []
    for call in reversed(calls):
        if parts and call.stop_reason != "pause":
            break
        parts.append("".join(part["text"] for part in call.content if part["type"] == "text"))
    return "".join(reversed(parts))


def _why(calls: list[CallFacts]) -> str:
    if not calls:
        return "the turn made no call"
    last = calls[-1]
    if last.errors:
        return f"call {last.call} ended with {last.errors[0].get('kind')}: {last.errors[0].get('message')}"
    if not last.complete:
        return f"call {last.call}: {CALL_ENDINGS[last.ending]}"
    tools = [part["name"] for part in last.content if part["type"] == "tool_call"]
    return f"call {last.call} " + (f"only called {', '.join(tools)}" if tools else "said nothing")
