from __future__ import annotations

from decimal import Decimal

import pytest

from harness.costs.priced_by import PricedBy
from harness.trials.spending import Ledger, unpriced
from tests.harness.checks.runs import call, facts, turn

ROW = {"openai/m": {"input": Decimal(1), "output": Decimal(2)}}
PRICED = PricedBy(rows=ROW, table=lambda usage, provider, model, at: None)


def ledger_of(*found):
    ledger = Ledger(PRICED)
    for one in found:
        ledger.add(one)
    return ledger


def test_what_a_turn_recorded_counts():
    made = facts([call(0)], [turn(0, (0,), cost_usd="0.25")])
    assert ledger_of(made, made).usd == Decimal("0.5")


def test_without_a_recorded_cost_the_calls_are_priced():
    assert ledger_of(facts([call(0), call(1)])).usd == Decimal("0.00028")


def test_a_refused_call_costs_nothing():
    ledger = ledger_of(facts([call(0, usage=None, status=429, ending="http_error")]))
    assert (ledger.usd, ledger.guessed, ledger.unknown) == (0, 0, {})


@pytest.mark.parametrize("known", [{"ending": "not_closed", "status": None}, {"ending": "cancelled"}])
def test_a_call_that_was_cut_before_it_brought_anything_may_have_cost_its_input(known):
    ledger = ledger_of(facts([call(0, usage=None, request_bytes=1000, bytes=0, **known)]))
    assert (ledger.usd, ledger.guessed, ledger.unknown) == (Decimal("0.001"), 1, {})


def test_a_cut_call_counts_at_the_most_it_can_have_cost():
    cut = call(0, {"type": "text", "text": "Te"}, usage=None, request_bytes=1000, bytes=500)
    ledger = ledger_of(facts([cut]))
    assert (ledger.usd, ledger.guessed) == (Decimal("0.002"), 1)


@pytest.mark.parametrize(
    "made",
    [
        call(0, provider="mine"),
        call(0, {"type": "text", "text": "Te"}, provider="mine", usage=None),
        call(0, {"type": "text", "text": "Te"}, usage=None, bytes=None),
        call(0, {"type": "text", "text": "Te"}, usage=None, provider=None),
    ],
    ids=["no price", "cut, no price", "cut, size not known", "no provider"],
)
def test_what_is_not_known_is_never_nothing(made):
    ledger = ledger_of(facts([made, call(1)]))
    assert [*ledger.unknown] == [f"{made.provider or '?'}/m"]
    assert ledger.usd == Decimal("0.00014")


def test_models_without_a_price():
    assert unpriced([("openai", "m"), ("mine", "m")], PRICED) == ["mine/m"]


def test_tools_of_the_provider_have_no_price_here():
    made = facts([call(0, provider_tools={"web_search": 1})], [turn(0, (0,), cost_usd="0.25")])
    ledger = ledger_of(made)
    assert (ledger.usd, [*ledger.unknown]) == (Decimal("0.25"), ["web_search of openai/m"])


@pytest.mark.parametrize(
    ("params", "known", "usd", "unseen"),
    [
        ({"max_tokens": 4000}, {}, "0.009", 0),
        ({"max_tokens": 100}, {}, "0.002", 0),
        ({}, {"wire": "anthropic"}, "0.017384", 0),
        ({}, {}, "0.002", 1),
        ({"max_tokens": 4000}, {"complete": True}, "0.002", 0),
        ({"max_tokens": "many"}, {}, "0.002", 1),
    ],
    ids=["up to the limit", "more came", "Anthropic's default", "no limit", "not cut", "no number"],
)
def test_what_a_provider_goes_on_with_is_billed_too(params, known, usd, unseen):
    cut = call(0, usage=None, request_bytes=1000, bytes=500, **{"complete": False} | known)
    ledger = ledger_of(facts([cut], [turn(0, (0,), params=params)]))
    assert (ledger.usd, ledger.guessed, ledger.unseen) == (Decimal(usd), 1, unseen)
