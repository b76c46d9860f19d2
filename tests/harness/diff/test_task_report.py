"""Contenders over many tasks, as a report; tests/harness/cli/test_diff.py has the whole way."""

from __future__ import annotations

from dataclasses import replace

import pytest

from harness.diff.task_data import CSV_HEADERS, tasks_rows
from harness.diff.task_report import notes, tasks_report
from harness.report.grid import grid
from harness.report.rendering import FORMATS, render
from harness.report.report import Table
from tests.harness.diff.test_summary import a_run
from tests.harness.diff.test_task_data import compared


def test_failed_tasks_and_missing_runs_are_named():
    found = dict(notes(compared([[True, False], [True, True]], [[False], []], unread=["x: bad"], alone=["t9"])))
    assert found["Runs that did not succeed:"] == [
        "A: t0, 1 of 2: fail: no reason given (x)",
        "B: t0, 1 of 2: fail: no reason given (x)",
    ]
    assert found["Runs that are missing; they count as not passed:"] == ["B: 1 run of t0", "B: 2 runs of t1"]
    assert found["Recordings that cannot be read:"] == ["x: bad"]
    assert found["Tasks of the suite that no contender ran; they do not count:"] == ["t9"]


def test_repeats_show_what_k_runs_do():
    shown = render(tasks_report(compared([[True, False]], [[True, True]])), "text", "0")
    assert "2 contenders, 1 task, 2 runs of each; success by a test; seed 0" in shown
    assert "pass@2" in shown
    assert "pass^2" in shown
    assert "pass@" not in render(tasks_report(compared([[True]], [[True]])), "text", "0")


@pytest.mark.parametrize(
    ("contenders", "said"),
    [
        (([[True] * 2] * 2, [[True] * 2] * 2), "2 tasks, 2 runs of each;"),
        (([[True] * 2, [True] * 5], [[True] * 2, [True] * 5]), "2 tasks, 2 to 5 runs of each;"),
        (([[True] * 2] * 2, [[True] * 2, []]), "2 tasks, 2 runs expected of each;"),
    ],
    ids=["alike", "different", "missing"],
)
def test_how_many_runs_are_said_to_be_there(contenders, said):
    assert said in render(tasks_report(compared(*contenders)), "text", "0")


def test_a_task_of_which_some_runs_have_no_price():
    found = compared([[True, True]], [[True, True]])
    runs = found.results[0].runs[1]
    runs[1] = a_run(1, True, cost=None)
    assert "$0.010000 (1 of 2)" in render(tasks_report(found), "text", "0").split("task ")[-1]


def test_means_of_fewer_runs_than_there_should_be_are_called_that():
    said = "success by a test; means are of the runs that are there; seed 0"
    assert said in render(tasks_report(compared([[True, True]], [[True]])), "text", "0")


def test_where_some_runs_do_not_tell():
    found = compared([[True], [True]], [[True], [True]])
    found.summary.standings[0].unknown["cost_usd"] = 1
    assert "$0.010000 (1 runs)" not in render(tasks_report(found), "text", "0")
    assert "$0.010000 (1 of 2)" in render(tasks_report(found), "text", "0")


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_bytes_each_time(form):
    given = ([[True], [False]], [[True], [True]], [[False], [False]])
    assert render(tasks_report(compared(*given)), form, "0") == render(tasks_report(compared(*given)), form, "0")


def test_the_contenders_fit_a_terminal_of_80_columns():
    report = tasks_report(compared([[True, False]] * 12, [[True, True]] * 12))
    success, took = [block for block in report.blocks if isinstance(block, Table)][:2]
    assert (success.headers[0], took.headers[0]) == ("contender", "contender")
    assert max(len(line) for table in (success, took) for line in grid(table.headers, table.rows, table.right)) <= 80


def test_where_nothing_is_paired_it_is_said_how_runs_are():
    (how,) = dict(notes(compared([[True], []], [[], [True]])))["No run has a partner:"]
    assert "headers name it" in how
    for contenders in ([[[True], []], [[True], []]], [[[True], []], [[], []]], [[[True]]]):
        assert dict(notes(compared(*contenders)))["No run has a partner:"] == []


def test_what_was_never_run_took_nothing_that_is_known():
    shown = render(tasks_report(compared([[True]], [[]])), "text", "0")
    assert [line.split() for line in shown.splitlines() if line.startswith("B ")][1] == ["B", *"??????"]


def test_what_the_costs_leave_out_is_said():
    found = compared([[True], [True]], [[True], [True]])
    assert "Not priced" not in render(tasks_report(found), "text", "0")
    for result in found.results:
        (run,) = result.runs[1]
        result.runs[1][0] = replace(run, figures=replace(run.figures, provider_tools={"web_search": 2}))
    shown = render(tasks_report(found), "text", "0")
    assert "Not priced: 4 web searches, which are billed beside the tokens" in shown
    assert "B: 4 web searches" in shown
    assert [row[CSV_HEADERS.index("provider_tools")] for row in tasks_rows(found)] == ["", "web_search=2"] * 2
