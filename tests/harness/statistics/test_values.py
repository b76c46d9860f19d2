"""The verdict on cost, tokens and time of two contenders."""

from __future__ import annotations

import random
from decimal import Decimal
from statistics import stdev

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.statistics.values import compare_values

OPPOSITE = {"less": "more", "more": "less", "no difference shown": "no difference shown"}
REPEATS = st.lists(st.one_of(st.none(), st.integers(1, 1000)), max_size=3)
TASKS = st.lists(st.tuples(REPEATS, REPEATS), max_size=10)


def test_by_hand():
    """Task means 2 and 4, 10 and 9, 3 and 5: differences 2, -1, 2; all signs: 5, 3, 1, 1 and negative."""
    found = compare_values([[1, 3], [10], [2, 4, 3]], [[4, 4], [9], [5]])
    assert (found.tasks, found.unknown) == (3, 0)
    assert (found.first, found.second, found.difference) == (5.0, 6.0, 1.0)
    assert found.ratio == pytest.approx(1.2)
    assert found.deviation == pytest.approx(stdev([2, -1, 2]))
    assert found.p == 4 / 8
    assert found.verdict == "no difference shown"
    assert (found.interval, found.ratio_interval) == (None, None)
    twice = compare_values([[1, 3], [10], [2, 4, 3]] * 2, [[4, 4], [9], [5]] * 2)
    assert -1 <= twice.interval.low <= 1 <= twice.interval.high <= 2


@pytest.mark.parametrize(
    ("tasks", "verdict", "p"),
    [
        pytest.param(1, "no difference shown", 1.0, id="one task shows nothing, however often it was run"),
        pytest.param(5, "no difference shown", 0.0625, id="five tasks show nothing"),
        pytest.param(6, "less", 0.03125, id="six do"),
    ],
)
def test_what_few_tasks_can_show(tasks, verdict, p):
    first = [[10.0 + i] * 5 for i in range(tasks)]
    second = [[5.0 + i / 2] * 5 for i in range(tasks)]
    found = compare_values(first, second)
    assert (found.verdict, found.p) == (verdict, p)
    assert (found.least_p <= found.alpha) == (tasks >= 6)
    assert compare_values(second, first).verdict == OPPOSITE[verdict]
    assert found.corrected(0.0625, 2).verdict == "no difference shown"
    assert found.corrected(0.0625, 2).p == p


def test_among_several_contenders_it_takes_more_tasks():
    """The first step of Holm's method asks for alpha / m: 1/32 of six tasks is too much for two."""
    found = compare_values([[10.0]] * 6, [[5.0]] * 6)
    assert (found.could_show, found.tasks_needed()) == (True, 6)
    again = found.corrected(2 * found.p, 2)
    assert (again.could_show, again.tasks_needed(), again.verdict) == (False, 7, "no difference shown")


def test_unknown_is_counted_and_never_zero():
    found = compare_values([[1.0, None], [None], [], [2.0]], [[2.0], [1.0], [1.0], [None, 4.0]])
    assert (found.tasks, found.unknown) == (2, 2)
    assert (found.first, found.second) == (1.5, 3.0)


@pytest.mark.parametrize(("first", "second"), [([], []), ([[None]], [[1.0]])])
def test_of_nothing_nothing_is_known(first, second):
    found = compare_values(first, second)
    assert (found.first, found.second, found.difference, found.interval) == (None, None, None, None)
    assert (found.ratio, found.ratio_interval, found.deviation, found.tasks_needed()) == (None, None, None, None)
    assert (found.p, found.verdict, found.unknown) == (1.0, "no difference shown", len(first))


def test_a_free_first_has_no_ratio():
    found = compare_values([[0.0], [0.0]], [[1.0], [2.0]])
    assert (found.ratio, found.ratio_interval) == (None, None)
    assert found.difference == 1.5


def test_decimals_are_taken():
    first = [[Decimal("0.10")], [Decimal("0.30")]]
    assert compare_values(first, [[Decimal("0.20")], [Decimal("0.20")]]).difference == pytest.approx(0.0)


def test_other_numbers_of_tasks_are_refused():
    with pytest.raises(ValueError, match="argument 2"):
        compare_values([[1.0]], [])


def test_tasks_needed_grows_with_the_spread():
    first = [[10.0]] * 4
    even = compare_values(first, [[9.0], [8.9], [9.1], [9.0]])
    uneven = compare_values(first, [[9.0], [5.0], [13.0], [9.0]])
    assert even.tasks_needed() == 6
    assert uneven.tasks_needed() > 50
    assert compare_values(first, first).tasks_needed() is None


def test_fifty_tasks_with_skewed_costs():
    draw = random.Random(29)
    first = [[draw.lognormvariate(0, 1) for _ in range(5)] for _ in range(50)]
    second = [[value * draw.uniform(0.6, 1.2) for value in task] for task in first]
    found = compare_values(first, second)
    assert found.verdict == "less"
    assert found.interval.low < found.difference < found.interval.high < 0
    assert found.ratio_interval.low < found.ratio < found.ratio_interval.high < 1
    assert found == compare_values(first, second)


@settings(max_examples=15, deadline=None)
@given(TASKS)
def test_laws(tasks):
    first, second = [a for a, _ in tasks], [b for _, b in tasks]
    one, other = compare_values(first, second), compare_values(second, first)
    assert one.tasks + one.unknown == len(tasks)
    assert one.verdict == OPPOSITE[other.verdict]
    assert one.p == other.p
    assert 0 < one.p <= 1
    if one.verdict != "no difference shown":
        assert one.tasks >= 6
