from __future__ import annotations

import csv
import json
from decimal import Decimal

import pytest

from harness.costs.priced_by import PricedBy
from harness.report.rendering import render
from harness.report.report import Report
from harness.trials.plan import Plan, PlannedModel, PlannedSuite, planned_case, trials_of
from harness.trials.report import Ran, trials_report
from harness.trials.spending import Ledger
from tests.harness.checks.runs import call, facts, turn
from tests.harness.trials.trial_runs import cases

COMPARISON = Report(["the comparison"], {"kind": "tasks"})


def whole(cost="0.25", **more):
    made = facts([call()], [turn(cost_usd=cost)], **more)
    made.totals.cost_usd, made.totals.unpriced_turns, made.totals.retries = cost, int(cost is None), 1
    return made


def failed(kind):
    errors = [{"kind": kind, "message": "Provider HTTP 503: busy"}]
    return facts([call()], [turn(errors=errors)], status="error")


@pytest.fixture
def ran(tmp_path):
    found = cases(tmp_path)[:1]
    models = (PlannedModel("a", "openai", "m", "http://h/v1"), PlannedModel("b", "mine", "m", "http://h/v1"))
    plan = Plan("1", (PlannedSuite("garden", "g.suite.toml", "00"),), (planned_case(found[0], None),), models, 2)
    trials = trials_of(plan, found, tmp_path / "t")
    ledger = Ledger(PricedBy(), Decimal("0.75"))
    return Ran(plan, trials, {}, {}, {}, ledger)


def text_of(ran):
    return render(trials_report(ran, [], COMPARISON), "text", "1.0")


def data_of(ran):
    return json.loads(render(trials_report(ran, [], COMPARISON), "json", "1.0"))


def test_all_is_told_of_a_whole_run(ran):
    ran.results = {trial: whole() for trial in ran.trials}
    ran.notes = ["a note"]
    text = text_of(ran)
    assert "4 trials planned: 1 task of garden, 2 models, 2 repeats; 4 run. Spent: $0.750000." in text
    assert "openai/m-1" in text
    assert "a note" in text
    assert "the comparison" in text
    assert "not run (" not in text
    first = data_of(ran)["models"][0]
    assert first == {
        "model": "a", "answered_as": ["openai/m-1"], "planned": 2, "run": 2, "not_run": 0, "ended_in_error": 0,
        "retries": 2, "run_again_after_errors": 0, "run_again_after_interruptions": 0, "cost_usd": "0.50",
        "unpriced_trials": 0,
    }  # fmt: skip


def test_trials_that_were_not_run_are_named_with_the_reason(ran):
    ran.results = {ran.trials[0]: whole()}
    ran.why = {ran.trials[1]: "--max-cost is reached"}
    text = text_of(ran)
    assert "1 trial not run (--max-cost is reached), counted as not passed:\n  b, tea, repeat 1" in text
    assert "2 trials not run (not asked for this time), counted as not passed:\n  b, tea, repeat 2\n  a, tea" in text
    statuses = [(one["status"], one["reason"]) for one in data_of(ran)["trials"]]
    assert statuses[1:] == [("not run", "--max-cost is reached"), ("not run", None), ("not run", None)]


def test_errors_and_what_was_run_again(ran):
    ran.results = {ran.trials[0]: failed("overloaded"), ran.trials[1]: whole()}
    ran.again = {ran.trials[0]: [failed("auth"), whole(status=None)], ran.trials[1]: [whole(status="cancelled")]}
    text = text_of(ran)
    assert (
        "1 trial ended in an error, counted as failed:\n  a, tea, repeat 1: overloaded: Provider HTTP 503: busy" in text
    )
    assert "3 trials were run again:\n  a, tea, repeat 1: after an error: auth" in text
    assert text.count("after an interruption") == 2
    first, second = data_of(ran)["models"]
    assert (first["run_again_after_errors"], first["run_again_after_interruptions"]) == (1, 1)
    assert second["run_again_after_interruptions"] == 1


def test_what_was_begun_and_not_run_again_was_not_run_again(ran):
    ran.again = {ran.trials[0]: [whole(status=None)]}
    ran.why = {ran.trials[0]: "stopped by a fault: disk full"}
    text = text_of(ran)
    assert "run again:" not in text
    assert "counted as not passed:\n  a, tea, repeat 1 (begun and put aside: 1 recording)\n" in text
    assert data_of(ran)["models"][0]["run_again_after_interruptions"] == 0


def test_a_trial_that_cost_nothing_is_no_unpriced_one(ran):
    refused = facts([call(usage=None, status=503, ending="http_error")], [turn(cost_usd=None)], status="error")
    ran.results = {ran.trials[0]: refused, ran.trials[1]: whole(None)}
    first, second = data_of(ran)["models"]
    assert (first["cost_usd"], first["unpriced_trials"]) == ("0", 0)
    assert (second["cost_usd"], second["unpriced_trials"]) == (None, 1)


@pytest.mark.parametrize(
    ("usd", "guessed", "unseen", "unknown", "said"),
    [
        ("0", 0, 0, {"x/m": None}, "Spent: unpriced (no price for x/m)."),
        ("1", 0, 0, {"x/m": None}, "Spent: $1.000000 + unpriced (no price for x/m)."),
        ("1", 2, 0, {}, "Spent: $1.000000 (2 calls without a count of tokens, each byte taken for one)."),
        (
            "1",
            2,
            1,
            {},
            "; 1 of them cut without a max_tokens, so the provider may have billed more).",
        ),
    ],
    ids=["nothing known", "some known", "cut calls", "no limit"],
)
def test_what_is_not_known_of_the_cost_is_said(ran, usd, guessed, unseen, unknown, said):
    ran.ledger = Ledger(PricedBy(), Decimal(usd), guessed, unseen, unknown)
    assert said in text_of(ran)


def test_a_model_with_trials_without_a_price(ran):
    ran.results = {ran.trials[0]: whole(), ran.trials[3]: whole(None)}
    assert "$0.250000 + unpriced" in text_of(ran)


def test_the_table_has_a_row_a_trial(ran):
    ran.results = {ran.trials[0]: whole()}
    rows = [*csv.DictReader(render(trials_report(ran, [], COMPARISON), "csv", "1.0").splitlines())]
    assert [(row["model"], row["task"], row["repeat"]) for row in rows] == [
        ("a", "tea", "1"), ("b", "tea", "1"), ("b", "tea", "2"), ("a", "tea", "2"),
    ]  # fmt: skip
    assert rows[0]["status"] == "error"
