"""What is drawn of a cost report is what its data says; unknown is never 0."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.costs.report import report
from harness.page.cost_plots import cost_plots
from harness.page.plot import MOST, Bar
from tests.harness.costs.test_report import CACHED, CALLS, costs
from tests.harness.costs.test_sums import NOTHING, ONE, UNPRICED, USAGE
from tests.harness.page.drawn import bars, drawn


def plots(*calls, **more):
    return cost_plots(report(costs(*calls, **more)).data)


def test_dollars_and_tokens_by_group():
    money, tokens = plots(*CALLS)
    assert (money.title, tokens.title) == ("Cost by model", "Tokens by model")
    assert money.bars == [
        Bar("p/m", "$3.000000", (3.0,)),
        Bar("p/local", "unpriced (1 call)", (), more=True),
        Bar("p/gone", "$0.000000", (0.0,)),
    ]
    of_m = USAGE["input_tokens"] + CACHED["input_tokens"] - 50 - 9
    out = USAGE["output_tokens"] + CACHED["output_tokens"] - 2
    assert tokens.bars[0].parts == [of_m, 50, 9, out, 2]
    assert sum(tokens.bars[0].parts) == 2 * (USAGE["input_tokens"] + USAGE["output_tokens"])
    assert tokens.bars[2] == Bar("p/gone", "not reported", (), more=True)


def test_the_drawing_has_the_same_dollars():
    shown = bars(drawn(plots(*CALLS)[0]))
    assert shown[0] == [("c1", pytest.approx(0, abs=0.01), pytest.approx(3, abs=0.01))]
    assert [[kind for kind, *_ in row] for row in shown] == [["c1"], ["open"], []]


def test_a_group_that_has_a_price_in_part():
    (money, _) = plots(ONE, replace(ONE, call=1, **UNPRICED), by="task")
    assert money.bars == [Bar("t", "$1.000000 + 1 unpriced", (1.0,), more=True)]


def test_parts_never_exceed_what_they_are_part_of():
    usage = USAGE | {"input_tokens": 10, "cache_read_tokens": 50, "output_tokens": 4, "reasoning_tokens": 9}
    assert plots(replace(ONE, usage=usage))[1].bars[0].parts == [0, 10, 0, 0, 4]


def test_half_known_tokens_are_open():
    usage = USAGE | {"input_tokens": 10, "output_tokens": None, "cache_read_tokens": None}
    bar = plots(replace(ONE, usage=usage))[1].bars[0]
    assert (bar.says, [*bar.parts], bar.more) == ("in 10, out ?", [10, 0, 0, 0, 0], True)


def test_what_ifs():
    call = replace(ONE, on=(ONE.usd * 2,))
    money, _, what_if = plots(call, on=["q/n"])
    assert what_if.bars == [Bar("as recorded", "$1.000000", (1.0,)), Bar("q/n", "$2.000000", (2.0,))]
    assert money.left_out == 0


def test_of_many_groups_the_dearest():
    calls = [replace(ONE, call=at, model=f"m{at}") for at in range(MOST + 5)]
    money = plots(*calls)[0]
    assert (len(money.bars), money.left_out) == (MOST, 5)


def test_nothing_was_asked():
    assert [bar.name for bar in plots(replace(ONE, **NOTHING))[0].bars] == ["p/m"]
    assert plots() == []
