from __future__ import annotations

from decimal import Decimal

import pytest

from harness.checks.base import Subject
from harness.costs.priced_by import PricedBy
from harness.report.reading import read_facts
from harness.suites.candidates import candidates
from tests.harness.sessions import Turn, chat, failure, record
from tests.harness.suites.suite_files import RECORDINGS

PRICE = PricedBy(table=lambda usage, provider, model, at: Decimal("0.00123"))


def suggested(*paths):
    found = [*candidates([Subject(read_facts(path), path.parent, PRICE, path) for path in paths])]
    tables = {table.pop("type"): table for table in found}
    assert len(tables) == len(found)
    return tables


def test_of_a_run_with_tools():
    found = suggested(RECORDINGS / "openai-chat-parallel-calls.jsonl")
    assert [*found] == ["no_error", "complete", "stop_reason", "tools", "text", "requests", "budget"]
    assert found["stop_reason"] == {"equals": "stop"}
    assert found["tools"] == {
        "calls": [
            {"name": "list_dir", "input": {"path": "."}}, {"name": "read_file", "input": {"path": "plan.txt"}},
        ]
    }  # fmt: skip
    assert found["text"] == {"contains": ["The folder holds a plan and a list of seeds; tea is at"]}
    budget = found["budget"]
    assert (budget["calls"], budget["iterations"], budget["cost_usd"]) == (3, 3, Decimal("0.0037"))
    assert budget["input_tokens"] > 1000
    assert budget["seconds"] >= 1


def test_tools_that_were_offered_and_not_called(tmp_path):
    assert suggested(record(tmp_path / "a.jsonl", Turn([chat("hi")])))["tools"] == {"calls": []}
    assert "tools" not in suggested(record(tmp_path / "b.jsonl", Turn([chat("hi")], tools={})))


def test_arguments_that_toml_cannot_hold_may_be_anything(tmp_path):
    calls = [("c1", "look", '{"at": null, "in": {"x": [null]}, "depth": 2}')]
    path = record(tmp_path / "a.jsonl", Turn([chat(calls=calls, finish="tool_calls"), chat("seen")]))
    assert suggested(path)["tools"] == {
        "calls": [{"name": "look", "input": {"depth": 2}, "arguments": {"at": "ignore", "in": "ignore"}}]
    }


def test_budgets_hold_for_all_runs(tmp_path):
    one = record(tmp_path / "a.jsonl", Turn([chat("hi")]))
    other = record(tmp_path / "b.jsonl", Turn([chat(calls=[("c1", "look", "{}")]), chat("hi")]))
    assert suggested(one)["budget"]["output_tokens"] == 5
    assert suggested(one, other)["budget"]["output_tokens"] == 9
    assert suggested(one, other)["budget"]["calls"] == 3


def test_what_is_not_known_is_no_budget(tmp_path):
    budget = suggested(record(tmp_path / "a.jsonl", Turn([failure(400)])))["budget"]
    assert {*budget} == {"calls", "iterations", "seconds"}
    imported = suggested(record(tmp_path / "b.jsonl", Turn([chat("hi")]), source="import:vcr"))["budget"]
    assert "seconds" not in imported


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        ("  Yes.\nAnd more", "Yes."),
        ("word " * 30, ("word " * 12).strip()),
        ("x" * 100, "x" * 60),
    ],
)
def test_words(tmp_path, answer, words):
    assert suggested(record(tmp_path / "a.jsonl", Turn([chat(answer)])))["text"] == {"contains": [words]}
