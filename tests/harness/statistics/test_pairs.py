"""How outcomes pair, and the exact McNemar test on the pairs."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.statistics.pairs import PairedOutcomes, fewest_pairs, known_pairs, least_p, mcnemar, paired_outcomes
from tests.harness.statistics.peers import peer

T, F, U = True, False, None
TASKS = st.lists(st.tuples(*[st.lists(st.sampled_from([T, F, U]), max_size=5)] * 2), max_size=8)


@pytest.mark.parametrize(
    ("first", "second", "by_task", "by_repeat"),
    [
        pytest.param([[T], [F], [T]], [[F], [T], [T]], (1, 1, 1, 0), (1, 1, 1, 0), id="one repeat: McNemar's table"),
        pytest.param([[T, T, F]], [[F, F, F]], (1, 0, 0, 0), (2, 0, 1, 0), id="a task counts once"),
        pytest.param([[T, F]], [[F, T]], (0, 0, 1, 0), (1, 1, 0, 0), id="equally often: a draw"),
        pytest.param([[T, T, T]], [[F]], (1, 0, 0, 0), (1, 0, 0, 2), id="only repeats of both sides"),
        pytest.param([[U, T]], [[F, U]], (0, 0, 0, 1), (0, 0, 0, 2), id="unknown is no failure"),
        pytest.param([[T], []], [[T], [F]], (0, 0, 1, 1), (0, 0, 1, 1), id="a task that one side never ran"),
        pytest.param([], [], (0, 0, 0, 0), (0, 0, 0, 0), id="no task"),
    ],
)
def test_pairs(first, second, by_task, by_repeat):
    assert paired_outcomes(first, second) == by_task
    assert paired_outcomes(first, second, "repeat") == by_repeat


def test_other_numbers_of_tasks_are_refused():
    with pytest.raises(ValueError, match="2 tasks against 1"):
        paired_outcomes([[T], [T]], [[T]])


def test_counts_of_pairs():
    pairs = PairedOutcomes(first=3, second=1, same=4, unknown=2)
    assert (pairs.known, pairs.discordant) == (8, 4)


@settings(max_examples=50)
@given(TASKS, st.sampled_from(["task", "repeat"]))
def test_swapping_the_sides_swaps_the_counts_and_nothing_is_lost(tasks, unit):
    first, second = [a for a, _ in tasks], [b for _, b in tasks]
    one, other = paired_outcomes(first, second, unit), paired_outcomes(second, first, unit)
    assert (one.first, one.second, one.same, one.unknown) == (other.second, other.first, other.same, other.unknown)
    total = len(tasks) if unit == "task" else sum(max(len(a), len(b)) for a, b in tasks)
    assert one.known + one.unknown == total
    if unit == "repeat":
        assert one.known == sum(map(len, known_pairs(first, second)))


@pytest.mark.parametrize(
    ("b", "c", "p"),
    [
        pytest.param(0, 0, 1.0, id="no discordant pair"),
        pytest.param(5, 0, 0.0625, id="five of five show nothing"),
        pytest.param(6, 0, 0.03125, id="six of six do"),
        pytest.param(1, 7, 0.0703125, id="airway hyper-responsiveness: 2 * (1 + 8) / 256"),
        pytest.param(3, 3, 1.0, id="capped"),
    ],
)
def test_mcnemar_by_hand(b, c, p):
    assert mcnemar(b, c) == p


def test_negative_counts_are_refused():
    with pytest.raises(ValueError, match="-1 and 2"):
        mcnemar(-1, 2)


@settings(max_examples=50)
@given(st.integers(0, 300), st.integers(0, 300))
def test_laws_of_the_test(b, c):
    p = mcnemar(b, c)
    assert 0 < p <= 1
    assert p == mcnemar(c, b)
    assert mcnemar(b + 1, c) <= p if b >= c else mcnemar(b, c + 1) <= p
    assert p >= least_p(b + c)


@pytest.mark.parametrize(("alpha", "pairs"), [(0.05, 6), (0.0625, 5), (0.01, 8), (0.5, 2), (0.99, 2)])
def test_fewest_pairs(alpha, pairs):
    assert fewest_pairs(alpha) == pairs
    assert least_p(pairs) <= alpha < least_p(pairs - 1)


def test_fewest_pairs_refuses_what_is_no_level():
    with pytest.raises(ValueError, match="alpha"):
        fewest_pairs(0)


def test_mcnemar_agrees_with_statsmodels_and_scipy():
    tables = peer("statsmodels.stats.contingency_tables")
    stats = peer("scipy.stats")
    draw = random.Random(23)
    for _ in range(1000):
        b, c = draw.randint(0, 200), draw.randint(0, 200)
        expected = tables.mcnemar([[3, b], [c, 4]], exact=True).pvalue
        if b != c:
            assert stats.binomtest(b, b + c).pvalue == pytest.approx(expected, abs=1e-9)
        assert mcnemar(b, c) == pytest.approx(min(1.0, expected), abs=1e-9)
