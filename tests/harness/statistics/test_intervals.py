"""Wilson's and Newcombe's intervals: published examples, laws, and agreement with statsmodels."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.statistics.intervals import newcombe, normal_quantile, wilson
from tests.harness.statistics.peers import peer

COUNTS = st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
TABLES = st.tuples(*[st.integers(0, 60)] * 4).filter(any)
CONFIDENCE = st.floats(0.5, 0.999)


def test_normal_quantile():
    assert normal_quantile(0.95) == pytest.approx(1.959963984540054, abs=1e-12)
    for bad in (0, 1, -0.1, 1.5):
        with pytest.raises(ValueError, match="between 0 and 1"):
            normal_quantile(bad)


@pytest.mark.parametrize(
    ("successes", "n", "low", "high"),
    [
        pytest.param(81, 263, 0.2553, 0.3662, id="Newcombe 1998, table I, 81 of 263"),
        pytest.param(15, 148, 0.0624, 0.1605, id="15 of 148"),
        pytest.param(0, 20, 0.0, 0.1611, id="0 of 20"),
        pytest.param(1, 29, 0.0061, 0.1718, id="1 of 29"),
        pytest.param(5, 5, 0.5655, 1.0, id="five of five leave much open"),
    ],
)
def test_wilson_gives_the_published_intervals(successes, n, low, high):
    assert wilson(successes, n) == pytest.approx((low, high), abs=5e-5)


def test_wilson_at_the_ends_is_exact_and_of_nothing_is_nothing():
    assert wilson(0, 7).low == 0.0
    assert wilson(7, 7).high == 1.0
    assert wilson(0, 0) is None


@pytest.mark.parametrize(("successes", "n"), [(-1, 3), (4, 3), (0, -1)])
def test_wilson_refuses_impossible_counts(successes, n):
    with pytest.raises(ValueError, match="successes of"):
        wilson(successes, n)


@settings(max_examples=50)
@given(COUNTS, CONFIDENCE)
def test_wilson_holds_the_rate_mirrors_and_grows_with_confidence(counts, confidence):
    successes, n = counts
    low, high = wilson(successes, n, confidence)
    assert 0 <= low <= successes / n <= high <= 1
    mirrored = wilson(n - successes, n, confidence)
    assert (1 - high, 1 - low) == pytest.approx(mirrored, abs=1e-12)
    wider = wilson(successes, n, (1 + confidence) / 2)
    assert wider.low <= low
    assert high <= wider.high


@pytest.mark.parametrize(
    ("table", "low", "high"),
    [
        pytest.param((1, 1, 7, 12), 0.026, 0.507, id="airway hyper-responsiveness, Fagerland et al. 2014"),
        pytest.param((0, 5, 0, 0), -1.0, -0.386, id="five pairs, all won by the first"),
        pytest.param((50, 0, 0, 0), -0.0713, 0.0713, id="fifty pairs, all alike"),
    ],
)
def test_newcombe_examples(table, low, high):
    assert newcombe(*table) == pytest.approx((low, high), abs=5e-4)


def test_newcombe_of_no_pair_is_nothing_and_counts_are_checked():
    assert newcombe(0, 0, 0, 0) is None
    with pytest.raises(ValueError, match="negative"):
        newcombe(1, -1, 1, 1)


@settings(max_examples=50)
@given(TABLES, CONFIDENCE)
def test_newcombe_holds_the_difference_and_turns_round_when_swapped(table, confidence):
    both, first, second, neither = table
    low, high = newcombe(both, first, second, neither, confidence)
    assert -1 <= low <= (second - first) / sum(table) + 1e-12
    assert (second - first) / sum(table) - 1e-12 <= high <= 1
    assert newcombe(both, second, first, neither, confidence) == pytest.approx((-high, -low), abs=1e-12)
    assert newcombe(neither, first, second, both, confidence) == pytest.approx((low, high), abs=1e-9)


def test_wilson_agrees_with_statsmodels():
    proportion = peer("statsmodels.stats.proportion")
    draw = random.Random(20)
    for _ in range(1000):
        n = draw.randint(1, 2000)
        successes, alpha = draw.randint(0, n), draw.uniform(0.001, 0.5)
        expected = proportion.proportion_confint(successes, n, alpha=alpha, method="wilson")
        assert wilson(successes, n, 1 - alpha) == pytest.approx(expected, abs=1e-9)


def test_normal_quantile_agrees_with_scipy():
    norm = peer("scipy.stats").norm
    draw = random.Random(21)
    for _ in range(1000):
        confidence = draw.uniform(1e-6, 1 - 1e-6)
        assert normal_quantile(confidence) == pytest.approx(norm.ppf((1 + confidence) / 2), abs=1e-9)
