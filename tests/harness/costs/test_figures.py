"""Figures of cost reports in words."""

from __future__ import annotations

from decimal import Decimal

import pytest

from harness.costs.figures import money, money_cell, percent, signed, sums_data, tools_text, written_5m
from harness.costs.sums import Money, Sums


@pytest.mark.parametrize(
    ("amount", "shown", "cell"),
    [
        (Money(Decimal("0.12"), 2), "$0.120000", "$0.120000"),
        (Money(Decimal("0.12"), 2, 3), "$0.120000 + 3 calls unpriced", "$0.120000 + 3 unpriced"),
        (Money(Decimal(0), 1, 1), "$0.000000 + 1 call unpriced", "$0.000000 + 1 unpriced"),
        (Money(Decimal(0), 0, 3), "unpriced", "unpriced"),
        (Money(), "$0.000000", "$0.000000"),
    ],
)
def test_money(amount, shown, cell):
    assert (money(amount), money_cell(amount)) == (shown, cell)


def test_signs_and_shares():
    assert (signed(Decimal("1e-9")), signed(Decimal("-1e-9"))) == ("under $0.000001", "over -$0.000001")
    assert (signed(Decimal("-0.5")), signed(Decimal("0.5")), signed(Decimal(0))) == (
        "-$0.500000", "$0.500000", "$0.000000",
    )  # fmt: skip
    assert (percent(1, 3), percent(Decimal(-2), Decimal(1)), percent(0, 0)) == ("33.3%", "-200.0%", "?")


@pytest.mark.parametrize(
    ("written", "hour", "found"), [(None, None, None), (5, None, 5), (5, 2, 3), (5, 5, 0), (2, 5, 0)]
)
def test_what_was_written_for_5_minutes(written, hour, found):
    sums = Sums()
    sums.usage |= {"cache_write_tokens": written, "cache_write_1h_tokens": hour}
    assert written_5m(sums) == found


def test_json_of_nothing():
    data = sums_data(Sums(), ["a/b"])
    assert (data["cost_usd"], data["unpriced"]["share_of_calls"]) == ("0", None)
    assert data["what_if"] == [
        {"model": "a/b", "cost_usd": "0", "unpriced": 0, "compared_calls": 0, "difference_usd": None}
    ]
    sums = Sums(cost=Money(unpriced=1))
    assert sums_data(sums, [])["cost_usd"] is None


def test_tools_of_a_provider():
    uses = {"web_search": 2, "file_search": 1, "code_interpreter": 1, "image_generation": 1000}
    assert tools_text(uses) == "1 code interpreter call, 1 file search, 1,000 image generation calls, 2 web searches"
