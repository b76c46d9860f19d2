"""A readable account of one recording: its turns, calls, tool results, endings and totals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent.jsonio import dumps
from harness.recording.contents import Call, Turn
from harness.recording.opening import Recording
from harness.recording.records import Record
from harness.report import phrases
from harness.report.call_account import CallAccount, tell_error
from harness.report.facts import RecordingFacts, TurnFacts, recording_facts
from harness.report.figures import cost, plural, seconds, tokens
from harness.report.page import DIM, RED, Page, Style
from harness.report.text import shorten
from harness.report.values import count, dollars, mapping

_INPUT = 2_000
_SYSTEM = 160


def account(
    recording: Recording, style: Style, *, frames: bool = False, events: bool = False, only: int | None = None
) -> Iterator[str]:
    """The lines of the account, made as they are read. `only`: the number of the one call to tell of."""
    facts = recording_facts(recording)
    page = Page(style)
    calls = CallAccount(page, {call.call: call for call in facts.calls}, frames=frames, events=events)
    _header(page, facts)
    for step in steps(recording, only):
        if isinstance(step, Call):
            page.blank()
            calls.tell(step, explained=step.turn is not None and only is None)
        elif isinstance(step, Turn):
            _turn(page, next(turn for turn in facts.turns if turn.turn == step.number))
        else:
            _loop(page, facts, *step)
        yield from page.take()
    if only is None:
        _totals(page, facts)
    for warning in facts.warnings:
        page.field("warning", warning, style=RED)
    yield from page.take()


Step = Call | Turn | tuple[int, Record]
"""What an account tells one by one; a loop record comes with the number of its turn."""


def steps(recording: Recording, only: int | None) -> list[Step]:
    """Turns, calls and what the loop said between them, in the order of the file."""
    if only is not None:
        return [call for call in recording.calls if call.number == only]
    found: list[tuple[int, Step]] = [(_place(call.request.record), call) for call in recording.calls]
    for turn in recording.turns:
        found.append((_place(turn.record), turn))
        found += [(_place(record), (turn.number, record)) for record in turn.loop]
    return [step for _, step in sorted(found, key=lambda pair: pair[0])]


def _place(record: Record) -> int:
    return count(record.get("seq")) or 0


def _header(page: Page, facts: RecordingFacts) -> None:
    page.heading(facts.path)
    page.field("recorded", phrases.recorded(facts))
    page.field("source", facts.source or "?")
    if facts.task is not None:
        page.field("task", facts.task)
    if facts.tags:
        page.field("tags", ", ".join(facts.tags))
    if facts.resumed:
        page.field("resumed", plural(facts.resumed, "time"))


def _turn(page: Page, turn: TurnFacts) -> None:
    full = page.style.full
    page.blank()
    page.heading(f"turn {turn.turn}")
    page.field("input", turn.input if full else shorten(turn.input, _INPUT))
    if turn.history:
        page.field("history", f"{plural(turn.history, 'message')} before it")
    page.field("mode", turn.mode)
    page.field("model", phrases.model_of(turn))
    if turn.system:
        page.field("system", turn.system if full else shorten(turn.system, _SYSTEM), style=DIM)
    if turn.tools:
        page.field("tools", ", ".join(turn.tools), style=DIM)
    if turn.params:
        page.field("params", dumps(turn.params).decode(), style=DIM)


def _loop(page: Page, facts: RecordingFacts, number: int, record: Record) -> None:
    event, data = record.get("event"), mapping(record.get("data"))
    if event == "notice":
        page.field("notice", phrases.notice(data), style=DIM)
    elif event == "error" and not is_told(facts, number, data):
        tell_error(page, data, indent=2)
    elif event == "cancelled":
        page.blank()
        page.field("cancelled", phrases.cancelled(data), style=RED)
    elif event == "finish":
        page.blank()
        turn = next(turn for turn in facts.turns if turn.turn == number)
        page.field("finish", phrases.finish(turn))
        page.field("tokens", tokens(turn.usage))
        page.field("cost", cost(dollars(turn.cost_usd)))


def is_told(facts: RecordingFacts, turn: int, error: dict[str, Any]) -> bool:
    """Whether an `error` loop event of a turn is one of its calls' own, which is told there."""
    return any(error in call.errors for call in facts.calls if call.turn == turn)


def _totals(page: Page, facts: RecordingFacts) -> None:
    totals = facts.totals
    page.blank()
    page.heading("totals")
    page.field("calls", phrases.work(totals))
    if totals.tool_calls:
        page.field("tools", phrases.tools_used(totals))
    page.field("tokens", tokens(totals.usage))
    page.field("cost", cost(dollars(totals.cost_usd), unpriced=totals.unpriced_turns > 0))
    page.field("time", seconds(facts.duration))
    page.field("ending", phrases.ending(facts), style="" if facts.status == "ok" else RED)
