"""Checks that recordings suggest: what `harness suite init` writes where they pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from decimal import ROUND_CEILING, Decimal
from typing import Any, TypeAlias

from harness.checks.base import Subject
from harness.checks.selecting import tool_calls
from harness.checks.text import final_text
from harness.costs.calls import call_costs, total
from harness.report.facts import RecordingFacts
from harness.suites.toml import can_say

Table: TypeAlias = dict[str, Any]

HEADROOM = Decimal("1.5")
_WORDS = 60
"""Characters of the final text that a check asks for."""


def candidates(subjects: Sequence[Subject]) -> Iterator[Table]:
    """Checks as tables, from what the first of several runs of a task shows; budgets hold for all of them."""
    first = subjects[0].facts
    yield {"type": "no_error"}
    yield {"type": "complete"}
    reason = first.turns[-1].stop_reason if first.turns else first.calls[-1].stop_reason if first.calls else None
    if reason is not None:
        yield {"type": "stop_reason", "equals": reason}
    calls = [_call(made.name, made.input) for made in tool_calls(first.calls)]
    if any(turn.tools for turn in first.turns) or calls:
        yield {"type": "tools", "calls": calls}
    words = _words(first)
    if words:
        yield {"type": "text", "contains": [words]}
    if first.turns:
        yield {"type": "requests"}
    budget = _budget(subjects)
    if budget:
        yield {"type": "budget", **budget}


def _call(name: str, arguments: Mapping[str, Any]) -> Table:
    """An expected call; an argument that TOML cannot hold may be anything."""
    held = {key: value for key, value in arguments.items() if can_say({key: value})}
    call: Table = {"name": name, "input": held}
    if len(held) < len(arguments):
        call["arguments"] = {key: "ignore" for key in arguments if key not in held and can_say(key)}
    return call


def _words(facts: RecordingFacts) -> str:
    """The beginning of the final text, whole words of its first line."""
    of_turn = facts.turns[-1].calls if facts.turns else None
    calls = [call for call in facts.calls if of_turn is None or call.call in of_turn]
    lines = final_text(calls).strip().splitlines()
    line = lines[0] if lines else ""
    if len(line) > _WORDS:
        line = line[:_WORDS].rpartition(" ")[0] or line[:_WORDS]
    return line if can_say(line) else ""


def _budget(subjects: Sequence[Subject]) -> Table:
    """The most that was used, and half as much again; what is not known of one recording is left out."""
    used: list[dict[str, Any]] = []
    for subject in subjects:
        facts = subject.facts
        usd, unpriced = total(call_costs(facts, subject.price))
        iterations = [turn.iterations for turn in facts.turns]
        used.append({
            "cost_usd": None if unpriced or not usd else usd,
            "input_tokens": _tokens(facts, "input_tokens"),
            "output_tokens": _tokens(facts, "output_tokens"),
            "calls": len(facts.calls) or None,
            "iterations": _whole(iterations),
            "seconds": None if facts.is_import else facts.duration,
        })  # fmt: skip
    budget: Table = {}
    for name in used[0]:
        values = [one[name] for one in used]
        if None not in values:
            limit = _rounded_up(Decimal(str(max(values))) * HEADROOM)
            budget[name] = limit if name == "cost_usd" else int(limit.to_integral_value(ROUND_CEILING))
    return budget


def _tokens(facts: RecordingFacts, name: str) -> int | None:
    return _whole([None if call.usage is None else call.usage[name] for call in facts.calls])


def _whole(values: Sequence[int | None]) -> int | None:
    """The sum, where all are known and something was used."""
    known = [value for value in values if value is not None]
    return sum(known) or None if len(known) == len(values) else None


def _rounded_up(value: Decimal) -> Decimal:
    """Two digits that count, and zeros."""
    if not value:
        return value
    return value.quantize(Decimal(1).scaleb(value.adjusted() - 1), ROUND_CEILING) + 0
