"""Success rates and the verdict on two contenders."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.statistics.holm import corrected
from harness.statistics.intervals import newcombe, wilson
from harness.statistics.outcomes import compare_outcomes, success_rate
from tests.harness.statistics.peers import peer

T, F, U = True, False, None
TASKS = st.lists(st.tuples(*[st.lists(st.sampled_from([T, F, U]), max_size=4)] * 2), min_size=1, max_size=12)
OPPOSITE = {"better": "worse", "worse": "better", "no difference shown": "no difference shown"}


@pytest.mark.parametrize(
    ("tasks", "rate", "interval", "known", "unknown"),
    [
        pytest.param([], None, None, 0, 0, id="no task"),
        pytest.param([[U], []], None, None, 0, 2, id="nothing known"),
        pytest.param([[T], [F], [T], [T]], 0.75, wilson(3, 4), 4, 0, id="one repeat a task: Wilson"),
        pytest.param([[T, T, F, T, F]], 0.6, wilson(3, 5), 1, 0, id="one task: Wilson over its repeats"),
        pytest.param([[T, T], [T, T], [T, T]], 1.0, wilson(3, 3), 3, 0, id="no spread: as if repeats added nothing"),
        pytest.param([[T, F], [F, T]], 0.5, wilson(1, 2), 2, 0, id="the same rate everywhere"),
        pytest.param([[T], [U], [F]], 0.5, wilson(1, 2), 2, 1, id="unknown is no failure"),
    ],
)
def test_success_rate(tasks, rate, interval, known, unknown):
    found = success_rate(tasks)
    assert (found.rate, found.interval, found.tasks, found.unknown) == (rate, interval, known, unknown)


def test_repeats_that_only_repeat_do_not_narrow_the_interval():
    """Ten tasks, ten equal repeats each: Wilson over 100 trials would be three times as sure as it may be."""
    tasks = [[i < 6] * 10 for i in range(10)]
    low, high = success_rate(tasks).interval
    naive = wilson(60, 100)
    assert high - low > 2.5 * (naive.high - naive.low)
    assert low <= 0.6 <= high


@pytest.mark.parametrize(
    ("first", "second", "unit", "verdict", "p"),
    [
        pytest.param([[F] * 5], [[T] * 5], "task", "no difference shown", 1.0, id="five repeats of one task"),
        pytest.param([[F] * 5], [[T] * 5], "repeat", "no difference shown", 0.0625, id="five pairs of one task"),
        pytest.param([[F]] * 5, [[T]] * 5, "task", "no difference shown", 0.0625, id="five tasks"),
        pytest.param([[F]] * 6, [[T]] * 6, "task", "better", 0.03125, id="six tasks"),
        pytest.param([[T]] * 6, [[F]] * 6, "task", "worse", 0.03125, id="six tasks lost"),
        pytest.param([[F, F]] * 3, [[T, T]] * 3, "task", "no difference shown", 0.25, id="three tasks, two repeats"),
        pytest.param([[F, F]] * 3, [[T, T]] * 3, "repeat", "better", 0.03125, id="six pairs, on these tasks"),
        pytest.param([], [], "task", "no difference shown", 1.0, id="no task"),
        pytest.param([[U]] * 9, [[T]] * 9, "task", "no difference shown", 1.0, id="nothing known of the first"),
        pytest.param([[T]] * 50, [[T]] * 50, "task", "no difference shown", 1.0, id="fifty alike"),
    ],
)
def test_verdicts(first, second, unit, verdict, p):
    found = compare_outcomes(first, second, unit=unit)
    assert (found.verdict, found.p, found.adjusted_p) == (verdict, p, p)
    assert (found.least_p <= found.alpha) or found.verdict == "no difference shown"


def test_pairs_and_rates_that_point_apart_show_nothing():
    """Twenty tasks won by one repeat of twenty each, two lost altogether: more wins, a lower rate."""
    first = [[F] * 20] * 20 + [[T] * 20] * 2
    second = [[T] + [F] * 19] * 20 + [[F] * 20] * 2
    found = compare_outcomes(first, second)
    assert found.p < 0.001
    assert found.difference < 0
    assert found.verdict == "no difference shown"


def test_the_interval_is_newcombes_where_a_task_has_one_outcome():
    first, second = [[T], [T], [F], [F], [T]], [[T], [F], [T], [T], [T]]
    found = compare_outcomes(first, second)
    assert found.difference == pytest.approx(0.2)
    assert found.interval == newcombe(both=2, first_only=1, second_only=2, neither=0)
    assert compare_outcomes([task * 3 for task in first], [task * 3 for task in second]).interval == found.interval


def test_with_repeats_that_vary_the_interval_is_the_bootstraps_over_tasks():
    draw = random.Random(27)
    first = [[draw.random() < 0.4 for _ in range(5)] for _ in range(20)]
    second = [[draw.random() < 0.8 for _ in range(5)] for _ in range(20)]
    found = compare_outcomes(first, second)
    assert found.verdict == "better"
    assert 0 < found.interval.low < found.difference < found.interval.high < 1
    assert found == compare_outcomes(first, second)
    assert compare_outcomes([[T, F]] * 3, [[T, T]] * 3).interval is None


def test_over_one_task_alone_the_interval_is_that_of_its_repeats():
    pairs = [(T, F)] + [(F, T)] * 7
    found = compare_outcomes([[a for a, _ in pairs]], [[b for _, b in pairs]], unit="repeat")
    assert found.interval == newcombe(both=0, first_only=1, second_only=7, neither=0)
    alike = compare_outcomes([[F] * 8], [[T] * 8], unit="repeat")
    assert alike.interval == newcombe(both=0, first_only=0, second_only=8, neither=0)


def test_among_several_contenders_it_takes_more_tasks():
    """Six tasks give p = 1/32 at best, and Holm's method asks for 1/40 of the first of two."""
    won, again = corrected([compare_outcomes([[F]] * 6, [[T]] * 6)] * 2)
    assert (won.p, won.adjusted_p, won.could_show) == (0.03125, 0.0625, False)
    assert won.tasks_needed() == again.tasks_needed() == 7
    assert corrected([compare_outcomes([[F]] * 7, [[T]] * 7)] * 2)[0].verdict == "better"


def test_pairs_and_rates_that_point_apart_have_no_number():
    found = compare_outcomes([[T] * 4, [F] * 4, [F] * 4], [[F] * 4, [T, F, F, F], [T, F, F, F]])
    assert (found.pairs.second, found.pairs.first) == (2, 1)
    assert found.difference < 0
    assert found.tasks_needed() is None


def test_tasks_needed():
    assert compare_outcomes([[T]], [[T]]).tasks_needed() is None
    assert compare_outcomes([[T], [F]], [[F], [T]]).tasks_needed() is None
    assert compare_outcomes([[F]] * 4, [[T]] * 4).tasks_needed() == 6
    some = compare_outcomes([[F], [T], [T], [F]], [[T], [T], [T], [F]])
    assert some.tasks_needed() < some.tasks_needed(power=0.95)


@settings(max_examples=30, deadline=None)
@given(TASKS)
def test_laws(tasks):
    first, second = [a for a, _ in tasks], [b for _, b in tasks]
    one, other = compare_outcomes(first, second), compare_outcomes(second, first)
    assert one.verdict == OPPOSITE[other.verdict]
    assert one.p == other.p
    assert 0 < one.p <= 1
    if one.verdict != "no difference shown":
        assert one.p <= 0.05
        assert one.pairs.discordant >= 6
    if one.difference is not None:
        assert one.difference == pytest.approx(-other.difference)
    rate = success_rate(first)
    if rate.rate is not None:
        assert 0 <= rate.interval.low <= rate.interval.high <= 1


def test_the_rate_agrees_with_scipys_bootstrap_over_tasks():
    stats = peer("scipy.stats")
    from numpy import array
    from numpy import random as numpy_random

    draw = random.Random(28)
    tasks = [[draw.random() < chance for _ in range(5)] for chance in [0.2, 0.5, 0.9] * 12]
    shares = array([sum(task) / 5 for task in tasks])
    expected = stats.bootstrap(
        (shares,), lambda x, axis: x.mean(axis=axis), n_resamples=10_000, rng=numpy_random.default_rng(1)
    ).confidence_interval
    width = expected.high - expected.low
    assert success_rate(tasks).interval == pytest.approx((expected.low, expected.high), abs=0.06 * width)


@pytest.mark.parametrize("tasks", [2, 5, 6])
def test_few_tasks_have_wide_intervals(tasks):
    """What repeats of few tasks say of other tasks cannot be told from how these differ: 2 of them told 40% to 60%."""
    first = [[True, True, False, False, False], [True, True, True, False, False]] * 3
    found = success_rate(first[:tasks]).interval
    assert (found == wilson(sum(map(sum, first[:tasks])) / 5, tasks)) == (tasks < 6)
    second = [[False] * 5, [True] * 5] * 3
    assert (compare_outcomes(first[:tasks], second[:tasks]).interval is None) == (tasks < 6)
