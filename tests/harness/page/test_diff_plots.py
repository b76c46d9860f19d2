"""What is drawn of a comparison is what its data says, with its intervals."""

from __future__ import annotations

import pytest

from harness.diff.run_report import runs_report
from harness.diff.task_data import tasks_data
from harness.diff.tasks import Job, run_task
from harness.page.diff_plots import comparison_plots
from harness.page.plot import MOST, Bars
from harness.statistics.intervals import wilson
from tests.harness.diff.runs import FREE, run, text, tool
from tests.harness.diff.test_task_data import compared
from tests.harness.page.drawn import bars, dots, drawn

ONE = [[True, True, False], [True, True, True], [True, False, True]]
OTHER = [[False, True, False], [False, False, True], [False, False, True]]


def by_title(data):
    return {plot.title: plot for plot in comparison_plots(data)}


@pytest.fixture
def data():
    return tasks_data(compared(ONE, OTHER))


def test_success_and_its_interval(data):
    plot = by_title(data)["Runs that passed"]
    for dot, one in zip(plot.dots, data["contenders"], strict=True):
        low, high = one["success"]["interval"]
        assert (dot.value, dot.interval) == (100 * one["success"]["rate"], (100 * low, 100 * high))
        assert dot.says.startswith(f"{one['passed']} of {one['expected']}: ")
    measured = dots(drawn(plot))
    for (value, ends), dot in zip(measured, plot.dots, strict=True):
        assert value == pytest.approx(dot.value, abs=0.01)
        assert ends == pytest.approx(dot.interval, abs=0.01)


def test_paired_differences():
    data = tasks_data(compared(ONE * 2, OTHER * 2))
    (against,) = data["comparisons"]
    (dot,) = by_title(data)["Difference in success, against A"].dots
    found = against["success"]
    assert dot.value == 100 * found["difference"]
    assert dot.interval == tuple(100 * end for end in found["interval"])
    assert found["verdict"] in dot.says
    changes = by_title(data)["What B took, against A"]
    cost = next(one for one in changes.dots if one.name == "cost")
    assert cost.value == pytest.approx(100 * (against["cost_usd"]["ratio"] - 1))
    assert against["cost_usd"]["verdict"] in cost.says


def test_what_a_run_took(data):
    plots = by_title(data)
    cost = plots["Cost of a run, on average"]
    assert [(bar.says, [*bar.parts]) for bar in cost.bars] == [("$0.010000", [0.01])] * 2
    assert [[*bar.parts] for bar in plots["Tokens of a run, on average"].bars] == [[10, 5]] * 2
    assert [row[0][2] for row in bars(drawn(cost))] == pytest.approx([0.01, 0.01], abs=1e-5)


def test_by_task(data):
    plot = by_title(data)["Runs that passed, by task"]
    assert [(bar.name, bar.says, sum(bar.parts)) for bar in plot.bars[:3]] == [
        ("t0: A", "2 of 3", 2), ("t0: B", "1 of 3", 1), ("t1: A", "3 of 3", 3),
    ]  # fmt: skip
    many = by_title(tasks_data(compared([[True]] * 30, [[False]] * 30)))["Runs that passed, by task"]
    assert (len(many.bars), many.left_out) == (MOST, 30 - MOST // 2)


def test_where_runs_do_not_tell_the_mean_says_of_how_many():
    found = compared(ONE, OTHER)
    data = tasks_data(found)
    data["contenders"][0]["unknown"]["cost_usd"] = 4
    data["contenders"][1]["means"]["cost_usd"] = None
    cost = by_title(data)["Cost of a run, on average"]
    assert [(bar.says, bar.more) for bar in cost.bars] == [("$0.010000 (5 of 9)", False), ("unpriced", True)]
    assert [kind for row in bars(drawn(cost)) for kind, *_ in row] == ["c1", "open"]


def test_one_task_alone_has_no_plot_by_task_and_pairs_runs():
    data = tasks_data(compared([[True, False]], [[True, True]]))
    plots = by_title(data)
    assert "Runs that passed, by task" not in plots
    assert plots["Difference in success, against A"].axis.unit == "points, paired by run"
    interval = wilson(1, 2)
    assert plots["Runs that passed"].dots[0].interval == pytest.approx((100 * interval.low, 100 * interval.high))


def test_single_runs(tmp_path):
    paths = [
        run(tmp_path / "a.jsonl", [tool("read", path="a")], [text("four")], tokens=(10, 5), cost="0.01"),
        run(tmp_path / "b.jsonl", [tool("read", path="b")], [text("four")], tokens=(None, 5), cost=None),
    ]
    result = run_task(Job("t", tuple((path,) for path in paths), details=True), FREE)
    plots = by_title(runs_report(["a", "b"], result).data)
    assert [(bar.says, bar.more) for bar in plots["Tokens of each run"].bars] == [
        ("in 20, out 10", False), ("in ?, out 10", True),
    ]  # fmt: skip
    steps = plots["Steps, against a"]
    assert isinstance(steps, Bars)
    assert steps.bars[0].says == "3 same, 1 changed"
    assert [*steps.bars[0].parts] == [3, 1, 0, 0]
