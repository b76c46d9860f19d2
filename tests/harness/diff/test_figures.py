"""What a run took."""

from __future__ import annotations

from decimal import Decimal

import pytest

from harness.diff.figures import figures_of
from harness.report.reading import read_facts
from tests.harness.diff.runs import FREE, run, text, tool
from tests.harness.report.session import session, write
from tests.harness.sessions import Turn, chat, failure, record


def figures(path, price=FREE):
    return figures_of(read_facts(path), price)


def test_of_a_run(tmp_path):
    path = run(tmp_path / "a.jsonl", [tool("read", path="a")], [text("end")], cost="0.02", tokens=(100, 8), seconds=0.5)
    found = figures(path).to_dict()
    times = {name: found.pop(name) for name in ("duration", "first_chunk", "tokens_per_second")}
    assert found == {
        "input_tokens": 200, "output_tokens": 16, "cache_read_tokens": None, "cache_write_tokens": None,
        "reasoning_tokens": None, "cost_usd": "0.02", "calls": 2, "retries": 0, "iterations": 2, "tool_calls": 1,
        "failed_tools": 0, "errors": 0, "provider_tools": {},
    }  # fmt: skip
    assert times == {"duration": 9.5, "first_chunk": 1.0, "tokens_per_second": 2.667}


def test_a_call_that_does_not_report_makes_the_sum_unknown(tmp_path):
    found = figures(run(tmp_path / "a.jsonl", [text("end")], tokens=(None, 5)))
    assert (found.input_tokens, found.output_tokens) == (None, 5)


def test_retries_and_errors(tmp_path):
    found = figures(record(tmp_path / "a.jsonl", Turn([failure(429), chat("hi")])))
    assert (found.calls, found.retries, found.errors, found.input_tokens) == (2, 1, 1, 7)


@pytest.mark.parametrize(
    ("price", "expected"),
    [(lambda *_: Decimal("0.5"), Decimal("0.5")), (lambda *_: None, None)],
    ids=["priced", "unpriced"],
)
def test_a_turn_without_a_cost_is_priced_by_its_calls(tmp_path, price, expected):
    assert figures(run(tmp_path / "a.jsonl", [text("end")], cost=None), price).cost_usd == expected


@pytest.mark.parametrize(("method", "cost"), [("GET", Decimal("0.000123")), ("POST", None)])
def test_calls_outside_of_turns_are_priced_too(tmp_path, method, cost):
    """The turn recorded its cost; the call after it reports nothing, and costs nothing only where it asked nothing."""
    records = [{**one, "method": method} if one["kind"] == "request" and one["call"] == 3 else one for one in session()]
    found = figures(write(tmp_path / "a.jsonl", records), lambda *_: None)
    assert (found.cost_usd, found.input_tokens is None) == (cost, cost is None)


def test_a_turn_that_asked_nothing(tmp_path):
    found = figures(run(tmp_path / "a.jsonl", cost="0"))
    assert (found.calls, found.cost_usd, found.input_tokens, found.tokens_per_second) == (0, Decimal(0), None, None)
