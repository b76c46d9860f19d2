from __future__ import annotations

from decimal import Decimal

import pytest

from agent.events import End, Usage, UsageEvent
from agent.failures import http_error, in_stream_error, truncated_error, unreachable
from agent.totals import Totals, dollars


def closing(usage, model="m"):
    return UsageEvent(usage, model, "stop", "stop", True)


def cent(usage):
    return Decimal("0.01")


def finish(*calls, price=cent, had_output=True, error=None):
    totals = Totals()
    for usage in calls:
        last = closing(usage) if error is None else UsageEvent(usage, "m", "error", None, False)
        totals.add(last, price, error=error, had_output=had_output)
    return totals.finish("stop", len(calls))


def test_fields_are_summed_and_unknown_stays_null():
    data = finish(Usage(10, 1, cache_read_tokens=0), None, Usage(20, None, 5, iterations=[{}]))
    assert data["usage"] == {
        "input_tokens": 30, "output_tokens": 1, "cache_read_tokens": 5, "cache_write_tokens": None,
        "cache_write_1h_tokens": None, "reasoning_tokens": None,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("calls", "price", "had_output", "cost"),
    [
        ([Usage(1, 1), Usage(1, 1)], cent, True, "0.020000"),
        ([Usage(1, 1)], None, True, None),
        ([Usage(1, 1)], lambda usage: None, True, None),
        ([Usage(1, 1)], lambda usage: Decimal(0), True, "0.000000"),
        ([Usage(1, 1), Usage(2, 1)], lambda usage: cent(usage) if usage.input_tokens == 1 else None, True, None),
        ([Usage(1, 1), None], cent, False, None),
        ([Usage(1, 1), None], cent, True, None),
        ([None], cent, False, None),
        ([], cent, True, None),
    ],
    ids=["sum", "no prices", "unpriced", "free", "one unpriced", "an empty answer without usage",
         "an answer without usage", "empty", "none"],
)  # fmt: skip
def test_the_cost_is_a_string_or_unknown(calls, price, had_output, cost):
    assert finish(*calls, price=price, had_output=had_output)["cost_usd"] == cost


REFUSED = in_stream_error({"message": "busy", "type": "overloaded_error"})
CUT = truncated_error(End("error", "ReadError", ""))


@pytest.mark.parametrize(
    ("error", "had_output", "cost"),
    [
        (http_error(429, [], b"{}"), False, "0.010000"),
        (REFUSED, False, "0.010000"),
        (REFUSED, True, None),
        (CUT, False, None),
        (unreachable("ReadTimeout", "", "http://h"), False, None),
        (unreachable("ConnectError", "All connection attempts failed", "http://h"), False, "0.010000"),
    ],
    ids=["HTTP error", "error object", "error object after output", "cut", "timed out", "no connection"],
)
def test_a_call_costs_nothing_only_where_it_was_refused(error, had_output, cost):
    assert finish(Usage(1, 1), None, error=error, had_output=had_output)["cost_usd"] == cost


def test_the_model_is_the_last_that_answered():
    totals = Totals()
    for model in ("a", "b", None):
        totals.add(closing(None, model), None, had_output=False)
    assert totals.finish("stop", 3)["model"] == "b"


@pytest.mark.parametrize(
    ("amount", "text"),
    [("0", "0.000000"), ("0.0043", "0.004300"), ("1E-8", "0.00000001"), ("1E+2", "100.000000"), ("12.3", "12.300000")],
)
def test_dollars(amount, text):
    assert dollars(Decimal(amount)) == text
