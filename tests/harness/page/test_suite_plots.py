"""What is drawn of a run of suites is what its data says."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from harness.page.plot import MOST, Bar
from harness.page.suite_plots import LARGEST, suite_plots
from harness.suites.report import suite_report
from harness.suites.unexercised import Unexercised
from harness.verdicts import Spent, Verdict
from tests.harness.page.drawn import bars, drawn
from tests.harness.suites.test_report import BAD, GOOD, ILL, RUN


def plots(*results):
    return {plot.title: plot for plot in suite_plots(suite_report(results, Unexercised()).data)}


def test_checks_by_case_with_those_first_that_do_not_pass():
    plot = plots(GOOD, BAD, ILL)["Checks by case"]
    assert plot.bars == [
        Bar("a: looks", "0 of 1 passed", [1, 1, 0]),
        Bar("b: reads", "0 of 1 passed", [0, 1, 1]),
        Bar("a: says", "1 of 1 passed", [1, 0, 0]),
    ]
    shown = bars(drawn(plot))
    assert [[(kind, round(end - start, 2)) for kind, start, end in row] for row in shown] == [
        [("good", 1.0), ("bad", 1.0)], [("bad", 1.0), ("warn", 1.0)], [("good", 1.0)],
    ]  # fmt: skip
    assert [bar.name for bar in plots(GOOD)["Checks by case"].bars] == ["says"]


def test_budgets_used():
    spent = (
        Spent("cost_usd", Decimal("0.03"), Decimal("0.02")),
        Spent("calls", Decimal(2), Decimal(8)),
        Spent("output_tokens", Decimal(50), Decimal(100), more=True),
        Spent("input_tokens", Decimal(0), Decimal(0)),
    )
    verdict = Verdict("budget", "fail", "cost_usd 0.03 is more than 0.02", 0.5, spent)
    plot = plots(replace(GOOD, verdicts=(verdict,)))["Budgets used"]
    assert plot.bars == [
        Bar("cost_usd: r/1.jsonl", "0.03 of 0.02: 150%", (100, 50)),
        Bar("output_tokens: r/1.jsonl", "over 50 of 100: 50%", (50, 0), more=True),
        Bar("calls: r/1.jsonl", "2 of 8: 25%", (25, 0)),
    ]
    assert [[kind for kind, *_ in row] for row in bars(drawn(plot))] == [["c1", "bad"], ["c1", "open"], ["c1"]]


def test_what_recordings_took():
    found = plots(GOOD, replace(BAD, run=replace(RUN, cost_usd=None, unpriced=2)))
    assert found["Cost by recording"].bars == [
        Bar("r/1.jsonl", "$0.100000", (0.1,)), Bar("r/2.jsonl", "unpriced", (), more=True),
    ]  # fmt: skip
    assert found["Tokens by recording"].bars[0] == Bar("r/1.jsonl", "in 3, out 4", [3, 4])
    assert found["Recorded time by recording"].bars[0].parts == (2.5,)
    partly = plots(replace(GOOD, run=replace(RUN, unpriced=1)))["Cost by recording"]
    assert partly.bars == [Bar("r/1.jsonl", "$0.100000 + unpriced", (0.1,), more=True)]


def test_what_nothing_is_known_of_has_no_plot():
    assert [*plots(ILL)] == ["Checks by case"]


def test_of_many_those_that_took_most():
    many = [
        replace(GOOD, case=f"c{n}", path=Path(f"r/{n}.jsonl"), run=replace(RUN, cost_usd=Decimal(n))) for n in range(40)
    ]
    found = plots(*many, *many)
    cost = found["Cost by recording"]
    assert [bar.parts[0] for bar in cost.bars] == pytest.approx([*range(39, 39 - LARGEST, -1)])
    assert cost.left_out == 40 - LARGEST
    assert (len(found["Checks by case"].bars), found["Checks by case"].left_out) == (MOST, 40 - MOST)
