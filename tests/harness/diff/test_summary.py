"""What the runs of all tasks show."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from harness.diff.evidence import evidence_data, evidence_lines, interval_text, percent
from harness.diff.figures import Figures
from harness.diff.success import Outcome
from harness.diff.summary import MEASURES, summarize
from harness.diff.tasks import Run, TaskResult


def a_run(number: int, passed: bool, cost: str | None = "0.01", tokens: int | None = 10) -> Run:
    figures = Figures(
        tokens, 5, None, None, None, None if cost is None else Decimal(cost), 1, 1, 1, 0, 0, 0, 2.0, 0.5, 2.5
    )
    return Run(Path("x"), number, Outcome("pass" if passed else "fail"), "stop", ("p/m",), {}, 3, figures, ())


def results(*contenders: list[list[bool]], **fields) -> list[TaskResult]:
    """`contenders`: for each, the outcomes of the runs of each task."""
    return [
        TaskResult(
            f"t{at}",
            [[a_run(n, passed, **fields) for n, passed in enumerate(tasks[at])] for tasks in contenders],
            [[] for _ in contenders[1:]],
            [[] for _ in contenders],
        )
        for at in range(len(contenders[0]))
    ]


def test_missing_runs_stay_in_the_denominator():
    found = summarize(results([[True, True], [True, False]], [[True], []]), 2)
    one, other = found.standings
    assert (one.expected, one.found, one.passed, one.success.rate) == (4, 4, 3, 0.75)
    assert (other.expected, other.found, other.passed, other.success.rate) == (4, 1, 1, 0.25)
    assert (found.repeats, one.pass_at, one.pass_hat) == (2, {1: 0.75, 2: 1.0}, {1: 0.75, 2: 0.5})
    assert (other.retries, other.models) == (1, ("p/m",))


def test_a_recording_that_cannot_be_read_is_one_that_should_be_there():
    (result,) = results([[True]], [[True]])
    result.unread[1].append("cannot be read")
    assert [one.expected for one in summarize([result], 2).standings] == [2, 2]


def test_means_are_of_what_is_known():
    (one, other) = results([[True], [True]], [[True], [True]])
    one.runs[0][0] = a_run(0, True, cost=None, tokens=None)
    standing = summarize([one, other], 2).standings[0]
    assert standing.means["cost_usd"] == Decimal("0.01")
    assert (standing.unknown["cost_usd"], standing.unknown["duration"]) == (1, 0)
    assert set(standing.means) == set(MEASURES)


def test_what_is_unknown_everywhere_has_no_mean():
    standing = summarize(results([[True]], [[True]], cost=None), 2).standings[0]
    assert standing.means["cost_usd"] is None


def test_a_difference_that_is_shown():
    found = summarize(results([[True]] * 8, [[False]] * 8), 2).paired[0]
    assert found.success.verdict == "worse"
    assert evidence_lines(found)[0].startswith("success: worse: -100 points")
    assert evidence_data(found)["success"]["lost"] == 8


def test_none_where_there_is_none_and_what_it_would_take():
    found = summarize(results([[True]] * 4, [[True]] * 3 + [[False]]), 2).paired[0]
    (line, *rest) = evidence_lines(found)
    assert line.startswith("success: no difference shown: -25 points")
    assert "4 tasks cannot show any; a difference as seen would take about" in line
    assert all("no difference shown: +0.0%" in line for line in rest)
    assert evidence_data(found)["success"]["tasks_needed"] > 4


def test_one_task_alone_is_compared_by_its_runs():
    found = summarize(results([[True] * 5], [[False] * 5]), 2).paired[0]
    assert found.unit == "repeat"
    assert found.success.pairs.known == 5
    assert "5 runs cannot show any" in evidence_lines(found)[0]


def test_missing_runs_prove_no_difference_and_are_told():
    found = summarize(results([[True]] * 8, [[]] * 6 + [[True]] * 2), 2).paired[0]
    assert found.missing == (0, 6)
    assert evidence_data(found)["missing"] == [0, 6]
    said = evidence_lines(found)[0]
    assert said.startswith("success: no difference shown: +0 points")
    assert said.endswith("; runs that are missing prove nothing: 0 of the first, 6 of the second")


def test_a_recording_that_cannot_be_read_has_failed():
    every = results([[True]] * 8, [[]] * 6 + [[True]] * 2)
    for result in every[:6]:
        result.unread[1].append("cannot be read")
    found = summarize(every, 2).paired[0]
    assert found.missing == (0, 0)
    assert evidence_lines(found)[0].startswith("success: worse: -75 points")


def test_no_line_asks_for_as_many_tasks_as_there_are():
    every = results([[False]] * 6, [[True]] * 6, [[False]] * 6)
    said = evidence_lines(summarize(every, 3).paired[0])[0]
    assert "p 0.0312, 0.0625 corrected" in said
    assert said.endswith("; 6 tasks cannot show any; a difference as seen would take about 7 tasks")


def test_several_contenders_are_corrected():
    every = results([[True]] * 8, [[False]] * 8, [[True]] * 8)
    first, second = (one.success for one in summarize(every, 3).paired)
    assert first.adjusted_p == pytest.approx(2 * first.p)
    assert "corrected" in evidence_lines(summarize(every, 3).paired[0])[0]
    assert second.verdict == "no difference shown"


def test_the_same_seed_gives_the_same():
    every = results([[True, False]] * 5, [[True, True]] * 5)
    assert summarize(every, 2, seed=4) == summarize(every, 2, seed=4)


def test_rates_in_words():
    assert (percent(None), percent(0.5), interval_text(None)) == ("?", "50%", "?")
