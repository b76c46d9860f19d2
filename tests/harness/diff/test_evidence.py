"""What a comparison shows, in words: see test_summary.py for all of it from runs."""

from __future__ import annotations

import pytest

from harness.diff.evidence import evidence_data, evidence_lines
from harness.diff.summary import MEASURES, Paired
from harness.statistics.outcomes import compare_outcomes
from harness.statistics.values import compare_values


def paired(first, second):
    values = {name: compare_values(first, second) for name in MEASURES}
    return Paired("task", compare_outcomes([[True]] * 2, [[True]] * 2), values)


def test_a_figure_that_is_less():
    lines = evidence_lines(paired([[float(n)] for n in range(10, 18)], [[n / 2] for n in range(10, 18)]))
    assert lines[1].startswith("cost: less: -50.0%")
    assert lines[1].endswith("(8 tasks, p 0.00781)")


def test_what_one_side_does_not_tell():
    lines = evidence_lines(paired([[1.0], [2.0], [None]], [[1.0], [3.0], [2.0]]))
    assert "2 tasks, 1 unknown" in lines[1]
    assert len(evidence_lines(paired([[1.0], [None]], [[1.0], [2.0]]))) == 1


@pytest.mark.parametrize("name", ["success", *MEASURES])
def test_every_figure_is_in_the_json(name):
    found = evidence_data(paired([[1.0], [2.0]], [[1.0], [3.0]]))[name]
    assert {"verdict", "interval", "p", "adjusted_p", "alpha", "least_p", "could_show", "tasks_needed"} <= set(found)
