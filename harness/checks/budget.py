"""`budget`: what a run cost, in dollars, tokens, calls and time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from pydantic import model_validator

from harness.checks.base import Check, Subject
from harness.checks.fields import Amount, Number
from harness.checks.selecting import require_known
from harness.errors import CheckError
from harness.report.call_facts import CallFacts
from harness.report.facts import RecordingFacts
from harness.report.figures import plural
from harness.verdicts import Spent, Verdict

LIMITS = ("cost_usd", "input_tokens", "output_tokens", "calls", "iterations", "seconds", "first_chunk_seconds")


@dataclass(slots=True, frozen=True)
class _Spent:
    """`amount`: what is known of it. `unknown`: why there may be more."""

    amount: Decimal
    unknown: str | None = None


class Budget(Check):
    """The most that a run may take, each limit included. All limits must hold; the score is that of the worst.

    `calls` counts retries too. `seconds`: from the start of the recording to its last record. `first_chunk_seconds`:
    from a request to the first chunk of its answer, of the slowest call.
    """

    type: Literal["budget"]
    cost_usd: Amount | None = None
    input_tokens: Number | None = None
    output_tokens: Number | None = None
    calls: Number | None = None
    iterations: Number | None = None
    seconds: Amount | None = None
    first_chunk_seconds: Amount | None = None

    @model_validator(mode="after")
    def _can_fail(self) -> Budget:
        if all(getattr(self, name) is None for name in LIMITS):
            raise ValueError(f"needs one of {', '.join(LIMITS)}")
        return self

    def judge(self, subject: Subject) -> Verdict:
        over: list[str] = []
        unknown: list[str] = []
        taken: list[Spent] = []
        score = Decimal(1)
        for name in LIMITS:
            limit = getattr(self, name)
            if limit is None:
                continue
            spent = _spent(name, subject)
            taken.append(Spent(name, spent.amount, Decimal(limit), spent.unknown is not None))
            if spent.amount > limit:
                over.append(f"{name} {'over ' if spent.unknown else ''}{spent.amount:f} is more than {limit}")
                score = min(score, limit / spent.amount)
            elif spent.unknown is not None:
                unknown.append(f"{name}: {spent.unknown}")
        if over:
            verdict = self.failed("; ".join([*over, *unknown]), float(score))
        else:
            verdict = self.error("; ".join(unknown)) if unknown else self.passed(1.0)
        return replace(verdict, spent=tuple(taken))


def _spent(name: str, subject: Subject) -> _Spent:
    facts = subject.facts
    if name == "calls":
        return _Spent(Decimal(len(facts.calls)), _stops(facts))
    if name == "iterations":
        return _iterations(facts)
    if name in ("seconds", "first_chunk_seconds"):
        return _time(name, facts)
    unread = _unread(facts.calls)
    return _cost(subject, unread) if name == "cost_usd" else _tokens(name, facts.calls, unread)


def _stops(facts: RecordingFacts) -> str | None:
    """Where a recording stops in the middle, so that there may have been more."""
    for turn in facts.turns:
        if turn.stop_reason is None:
            return f"the recording stops inside turn {turn.turn}"
    unended = next((call.call for call in facts.calls if call.ending == "not_closed"), None)
    return None if unended is None else f"the recording stops inside call {unended}"


def _unread(calls: list[CallFacts]) -> str | None:
    for call in calls:
        try:
            require_known(call)
        except CheckError as error:
            return str(error)
    return None


def _cost(subject: Subject, unread: str | None) -> _Spent:
    from harness.costs.calls import call_costs, tools_of, total
    from harness.costs.figures import tools_text

    costs = call_costs(subject.facts, subject.price)
    usd, unpriced = total(costs)
    if unpriced and unread is None:
        models = sorted({f"{cost.provider or '?'}/{cost.model or '?'}" for cost in costs if cost.usd is None})
        unread = f"{plural(unpriced, 'call')} unpriced: {', '.join(models)}"
    tools = tools_of(costs)
    if tools and unread is None:
        unread = f"not priced: {tools_text(tools)}"
    return _Spent(usd, unread)


def _tokens(name: str, calls: list[CallFacts], unread: str | None) -> _Spent:
    """A call that cannot have cost anything took none, as in costs."""
    from harness.costs.billing import may_be_billed

    counts = [None if call.usage is None else call.usage[name] for call in calls if may_be_billed(call)]
    missing = counts.count(None)
    why = unread or (f"{plural(missing, 'call')} reported no {name.replace('_', ' ')}" if missing else None)
    return _Spent(Decimal(sum(count for count in counts if count is not None)), why)


def _iterations(facts: RecordingFacts) -> _Spent:
    counts = [turn.iterations for turn in facts.turns]
    why = None if counts and None not in counts else "no turn is recorded" if not counts else "a turn has no end"
    return _Spent(Decimal(sum(count for count in counts if count is not None)), why)


def _time(name: str, facts: RecordingFacts) -> _Spent:
    if facts.is_import:
        return _Spent(Decimal(0), f"no time is recorded: the recording is an import ({facts.source})")
    times = [facts.duration] if name == "seconds" else [call.first_chunk for call in facts.calls]
    found = [time for time in times if time is not None]
    why = "no time is recorded" if name == "seconds" else "no call brought a chunk whose time is recorded"
    return _Spent(Decimal(repr(max(found, default=0.0))), None if found else why)
