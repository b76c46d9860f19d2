from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path

import pytest

import harness
from agent.jsonio import dumps
from harness.report.call_facts import CallFacts
from harness.report.facts import RecordingFacts, Totals, TurnFacts, recording_facts, sum_costs
from harness.report.scan import Row
from tests.harness.report.session import session, write


def facts_of(tmp_path, records):
    return recording_facts(harness.open(write(tmp_path / "x.jsonl", records)))


def test_header_and_turn(tmp_path):
    facts = facts_of(tmp_path, session())
    assert (facts.by, facts.source, facts.task, facts.tags) == (
        "trajectory-harness 0.1.0",
        "scripted",
        "t-1",
        ["a", "b"],
    )
    assert (facts.status, facts.ending, facts.warnings) == ("ok", "stop", [])
    turn = facts.turns[0]
    assert (turn.input, turn.history, turn.tools, turn.calls) == ("what is it?", 1, ["read"], [0, 1, 2])
    assert (turn.stop_reason, turn.iterations, turn.cost_usd) == ("stop", 2, "0.000123")
    assert [notice["what"] for notice in turn.notices] == ["retry"]


def test_totals(tmp_path):
    totals = facts_of(tmp_path, session()).totals
    assert (totals.turns, totals.calls, totals.retries) == (1, 4, 1)
    assert (totals.tool_calls, totals.failed_tools, totals.errors) == ({"read": 2}, 1, 1)
    assert (totals.cost_usd, totals.unpriced_turns) == ("0.000123", 0)
    assert (totals.usage["input_tokens"], totals.usage["cache_write_tokens"]) == (20, None)


def test_without_an_end_the_calls_are_summed(tmp_path):
    facts = facts_of(tmp_path, session()[:-1])
    whole = facts_of(tmp_path, session())
    assert facts.totals == whole.totals
    assert (facts.status, facts.ending) == (None, "not closed")
    assert facts.duration == session()[-2]["t"]
    assert any("not closed" in warning for warning in facts.warnings)


def test_an_end_that_counts_other_calls_is_not_believed(tmp_path):
    records = session()
    records[-1] |= {"calls": 9, "errors": 9, "tool_calls": {"x": 9}}
    assert facts_of(tmp_path, records).totals.errors == 1


def test_a_cancelled_turn(tmp_path):
    records = [record for record in session() if record.get("event") not in ("finish", "done")]
    cut = records.index(next(record for record in records if record["kind"] == "tool_result"))
    left = {
        "kind": "loop",
        "seq": 99,
        "t": 9.0,
        "turn": 0,
        "event": "cancelled",
        "data": {"events": 3, "pulling": True},
    }
    turn = facts_of(tmp_path, [*records[:cut], left]).turns[0]
    assert (turn.cancelled, turn.stop_reason, turn.usage, turn.cost_usd) == (True, "cancelled", None, None)


@pytest.mark.parametrize(
    ("costs", "total"),
    [([], (None, 0)), ([None, "x"], (None, 2)), (["0.1", None, "0.2"], ("0.3", 1))],
)
def test_costs(costs, total):
    amount, unpriced = sum_costs(costs)
    assert (None if amount is None else str(amount), unpriced) == total


def test_json_form(tmp_path):
    records = session()
    deep = value = {}
    for _ in range(900):
        value["a"] = value = {}
    next(record for record in records if record["kind"] == "turn")["params"] = deep
    data = facts_of(tmp_path, records).to_dict()
    assert dumps(data)
    assert [call["call"] for call in data["calls"]] == [0, 1, 2, 3]
    assert data["totals"]["tool_calls"] == {"read": 2}


def test_every_field_is_documented():
    page = (Path(__file__).resolve().parents[3] / "docs" / "show.md").read_text("utf-8")
    for kind in (RecordingFacts, TurnFacts, CallFacts, Totals, Row):
        for field in fields(kind):
            name = "cost_usd" if (kind, field.name) == (Row, "cost") else field.name
            assert re.search(rf"`{name}`", page), f"{kind.__name__}.{name}"
