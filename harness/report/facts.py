"""One recording as plain facts: what `harness show --json` prints, and what its text is made from.

Every field is always there; null is unknown or does not apply. `docs/show.md` describes them. Pure.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, fields
from decimal import Decimal
from typing import Any

from harness.recording.contents import Turn
from harness.recording.opening import Recording
from harness.recording.records import Record
from harness.report.call_facts import CallFacts, call_facts
from harness.report.endings import recording_ending
from harness.report.figures import Usage, add_usage, usage_of
from harness.report.values import any_text, count, dollars, items, mapping, number, text


@dataclass(slots=True)
class TurnFacts:
    """One turn. `history` counts the messages before the input; `usage`, `cost_usd` and `iterations` are the loop's."""

    turn: int
    input: str
    history: int
    mode: str
    provider: str
    model: str
    base_url: str | None
    system: str | None
    tools: list[str]
    params: dict[str, Any]
    calls: list[int]
    notices: list[dict[str, Any]]
    errors: list[dict[str, Any]]
    cancelled: bool
    stop_reason: str | None
    iterations: int | None
    usage: Usage | None
    cost_usd: str | None


@dataclass(slots=True)
class Totals:
    """`cost_usd` sums the turns that have a price; `unpriced_turns` are the others."""

    turns: int
    calls: int
    retries: int
    tool_calls: dict[str, int]
    failed_tools: int
    errors: int
    usage: Usage
    cost_usd: str | None
    unpriced_turns: int


@dataclass(slots=True)
class RecordingFacts:
    """`resumes`: `{t, started_at}` of each time that it was appended to; `t` of calls goes on over the pause."""

    path: str
    version: int | None
    id: str | None
    started_at: str | None
    by: str | None
    source: str | None
    task: str | None
    tags: list[str]
    resumed: int
    status: str | None
    ending: str
    duration: float | None
    turns: list[TurnFacts]
    calls: list[CallFacts]
    totals: Totals
    warnings: list[str]
    resumes: list[dict[str, Any]] = field(default_factory=list)

    @property
    def is_import(self) -> bool:
        """Whether it was made from another tool's file (`harness import`), which tells no times."""
        return self.source is not None and self.source.startswith("import:")

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        data = plain(self)
        data["turns"] = [plain(turn) for turn in self.turns]
        data["calls"] = [plain(call) for call in self.calls]
        data["totals"] = plain(self.totals)
        return data


def plain(value: Any) -> dict[str, Any]:
    """The fields of a dataclass. Its values are not copied: `dataclasses.asdict` fails on deeply nested ones."""
    return {one.name: getattr(value, one.name) for one in fields(value)}


def recording_facts(recording: Recording) -> RecordingFacts:
    header, end = recording.header or {}, recording.end
    by = mapping(header.get("by"))
    turns = [_turn(turn) for turn in recording.turns]
    results: dict[int | None, list[Record]] = {}
    for record in (record for turn in recording.turns for record in turn.tool_results):
        results.setdefault(count(record.get("call")), []).append(record)
    calls = [call_facts(call, results.get(call.number, [])) for call in recording.calls]
    return RecordingFacts(
        path=str(recording.path),
        version=count(header.get("version")),
        id=text(header.get("id")),
        started_at=text(header.get("started_at")),
        by=" ".join(filter(None, (text(by.get("name")), text(by.get("version"))))) or None,
        source=text(header.get("source")),
        task=text(header.get("task")),
        tags=[any_text(tag) for tag in items(header.get("tags"))],
        resumed=len(recording.resumes),
        status=None if end is None else text(end.get("status")),
        ending=recording_ending(end, turns[-1].stop_reason if turns else None),
        duration=_duration(recording),
        turns=turns,
        calls=calls,
        totals=_totals(turns, calls, end),
        warnings=[str(warning) for warning in recording.warnings],
        resumes=[{"t": number(one.get("t")), "started_at": text(one.get("started_at"))} for one in recording.resumes],
    )


def _turn(turn: Turn) -> TurnFacts:
    data: dict[str, list[dict[str, Any]]] = {}
    for record in turn.loop:
        data.setdefault(any_text(record.get("event")), []).append(mapping(record.get("data")))
    finish = data.get("finish", [{}])[-1]
    amount = dollars(finish.get("cost_usd"))
    return TurnFacts(
        turn=turn.number,
        input=any_text(turn.input),
        history=len(items(turn.history)),
        mode=any_text(turn.mode),
        provider=any_text(turn.provider),
        model=any_text(turn.model),
        base_url=text(turn.base_url),
        system=text(turn.system),
        tools=[any_text(mapping(tool).get("name")) for tool in items(turn.tools)],
        params=mapping(turn.params),
        calls=[call.number for call in turn.calls],
        notices=data.get("notice", []),
        errors=data.get("error", []),
        cancelled="cancelled" in data,
        stop_reason=text(finish.get("stop_reason")) or ("cancelled" if "cancelled" in data else None),
        iterations=count(finish.get("iterations")),
        usage=usage_of(finish.get("usage")),
        cost_usd=None if amount is None else f"{amount:f}",
    )


def _totals(turns: list[TurnFacts], calls: list[CallFacts], end: Record | None) -> Totals:
    """Tokens, tool calls and errors from the `end` record where it counts the calls that are here."""
    usage = add_usage(call.usage for call in calls)
    tools = dict(Counter(part["name"] for call in calls for part in call.content if part["type"] == "tool_call"))
    errors = sum(len(call.errors) for call in calls)
    if end is not None and end.get("calls") == len(calls):
        usage, tools, errors = end_totals(end)
    amount, unpriced = sum_costs(turn.cost_usd for turn in turns)
    return Totals(
        turns=len(turns),
        calls=len(calls),
        retries=sum(call.retry_of is not None for call in calls),
        tool_calls=tools,
        failed_tools=sum(not result["ok"] for call in calls for result in call.tool_results),
        errors=errors,
        usage=usage,
        cost_usd=None if amount is None else f"{amount:f}",
        unpriced_turns=unpriced,
    )


def end_totals(end: Record) -> tuple[Usage, dict[str, int], int]:
    """Tokens of all models, tool calls by name, and errors, as the `end` record sums them up."""
    tools = {name: count(value) or 0 for name, value in mapping(end.get("tool_calls")).items()}
    usage = add_usage(usage_of(value) for value in mapping(end.get("usage")).values())
    return usage, tools, count(end.get("errors")) or 0


def sum_costs(costs: Iterable[Any]) -> tuple[Decimal | None, int]:
    """The sum of the recorded `cost_usd` that are known, None where none is, and the number of the others."""
    found = [dollars(value) for value in costs]
    priced = [amount for amount in found if amount is not None]
    return sum(priced, Decimal(0)) if priced else None, len(found) - len(priced)


def _duration(recording: Recording) -> float | None:
    """Seconds to the last record; of a recording that was not closed, to the last that has a place in it."""
    records: list[Record] = [*recording.resumes, *([recording.end] if recording.end else [])]
    for turn in recording.turns:
        records += [turn.record, *turn.tool_results, *turn.loop]
    for call in recording.calls:
        records += [call.request.record, *call.event_records, *([call.end_record] if call.end_record else [])]
    times = [number(record.get("t")) for record in records]
    times += [number(part.t) for call in recording.calls for part in (*call.frames[-1:], *call.bodies[-1:])]
    return max((time for time in times if time is not None), default=None)
