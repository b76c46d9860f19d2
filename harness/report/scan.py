"""What a table needs of a recording, read fast: frames and pieces of text are passed over without being parsed."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from harness.errors import RecordingError
from harness.recording.reader import RecordReader
from harness.recording.records import Record
from harness.report.endings import recording_ending
from harness.report.facts import end_totals, plain, sum_costs
from harness.report.figures import Usage, add_usage, usage_of
from harness.report.reading import all_but
from harness.report.values import any_text, mapping, text


@dataclass(slots=True)
class Row:
    """One recording in a table. `fault`: why it cannot be read; nothing else is known then. `calls` has the retries."""

    path: str
    started_at: str | None = None
    models: list[str] = field(default_factory=list)
    turns: int | None = None
    calls: int | None = None
    tool_calls: int | None = None
    errors: int | None = None
    usage: Usage = field(default_factory=lambda: add_usage(()))
    cost: Decimal | None = None
    unpriced_turns: int | None = None
    ending: str | None = None
    fault: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        data = plain(self)
        data["cost_usd"] = None if self.cost is None else f"{self.cost:f}"
        del data["cost"]
        return data


def scan(path: Path) -> Row:
    """The row of one recording. Never raises for a file."""
    tally = _Tally()
    try:
        for _, record in RecordReader(path, choose=_pick):
            tally.add(record)
    except RecordingError as error:
        return Row(str(path), fault=str(error))
    return tally.row(path)


_pick = all_but(rb'frame"|body"|response"|call_end"|event"[^{]{0,110}\{"type":"(?:text|reasoning)"')
"""The lines that say something to a table."""


class _Tally:
    """Records in, a row out."""

    def __init__(self) -> None:
        self._started_at: str | None = None
        self._finishes: dict[str, dict[str, Any]] = {}
        """The data of each turn's finish; empty where it did not get there."""
        self._taken: dict[str, None] = {}
        """`provider/model` of the turns."""
        self._asked: dict[str, None] = {}
        """The same of the requests, as far as they say."""
        self._answered: dict[str, None] = {}
        self._calls = 0
        self._tools = 0
        self._errors = 0
        self._usages: list[Usage | None] = []
        self._end: Record | None = None

    def add(self, record: Record) -> None:
        kind, turn = record.get("kind"), any_text(record.get("turn"))
        self._end = record if kind == "end" else None
        if kind == "header":
            self._started_at = self._started_at or text(record.get("started_at"))
        elif kind == "turn":
            self._finishes[turn] = {}
            self._taken[f"{any_text(record.get('provider'))}/{any_text(record.get('model'))}"] = None
        elif kind == "request":
            self._calls += 1
            model = text(record.get("model")) or text(mapping(record.get("body")).get("model"))
            if model is not None:
                provider = text(record.get("provider"))
                self._asked[model if provider is None else f"{provider}/{model}"] = None
        elif kind == "event":
            self._event(mapping(record.get("event")))
        elif kind == "loop" and turn in self._finishes:
            if record.get("event") == "finish":
                self._finishes[turn] = mapping(record.get("data"))
            elif record.get("event") == "cancelled":
                self._finishes[turn] = {"stop_reason": "cancelled"} | self._finishes[turn]

    def _event(self, event: dict[str, Any]) -> None:
        kind = event.get("type")
        self._tools += kind == "tool_call"
        self._errors += kind == "error"
        if kind == "usage":
            self._usages.append(usage_of(event.get("usage")))
            if text(event.get("model")):
                self._answered[event["model"]] = None

    def row(self, path: Path) -> Row:
        usage, tools, errors = add_usage(self._usages), self._tools, self._errors
        if self._end is not None and self._end.get("calls") == self._calls:
            usage, by_name, errors = end_totals(self._end)
            tools = sum(by_name.values())
        finishes = [*self._finishes.values()]
        cost, unpriced = sum_costs(finish.get("cost_usd") for finish in finishes)
        last = text(finishes[-1].get("stop_reason")) if finishes else None
        return Row(
            str(path),
            started_at=self._started_at,
            models=[*(self._taken or self._asked or self._answered)],
            turns=len(finishes),
            calls=self._calls,
            tool_calls=tools,
            errors=errors,
            usage=usage,
            cost=cost,
            unpriced_turns=unpriced,
            ending=recording_ending(self._end, last),
        )
