"""The bootstrap over tasks: BCa against scipy's, its own error, degenerate data, determinism."""

from __future__ import annotations

import random
from math import fsum
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.statistics.bootstrap import PairedIntervals, bca, bootstrap_mean, mean, paired_bootstrap
from harness.statistics.draws import resamples
from tests.harness.statistics.peers import peer

COSTS = st.lists(st.tuples(*[st.floats(0.01, 100)] * 2), min_size=2, max_size=12)


def skewed(seed: int, tasks: int = 40) -> tuple[list[float], list[float]]:
    draw = random.Random(seed)
    first = [draw.lognormvariate(0, 1) for _ in range(tasks)]
    return first, [value * draw.uniform(0.6, 1.3) + draw.uniform(0, 0.2) for value in first]


def test_mean_is_correctly_rounded():
    assert mean([0.1] * 10) == 0.1


def test_bca_by_hand():
    """101 replicates from 0 to 100, half of them below: no bias, and without skew the plain percentiles."""
    replicates = [float(i) for i in range(101)]
    assert bca(50.0, replicates, [49.0, 50.0, 51.0]) == pytest.approx((2.5, 97.5))
    low, high = bca(50.0, replicates, [40.0, 50.0, 51.0])
    assert low > 2.5, "a task far above the others (its absence lowers the mean) lifts both ends"
    assert high > 97.5
    low, high = bca(60.0, replicates, [59.0, 60.0, 61.0])
    assert low > 2.5, "more replicates below the estimate than above: both ends go up"
    assert high > 97.5


def test_bca_of_an_estimate_outside_its_replicates_stays_among_them():
    for estimate in (-5.0, 20.0):
        low, high = bca(estimate, [float(i) for i in range(11)], [1.0, 2.0, 30.0], 0.999)
        assert 0 <= low <= high <= 10


@pytest.mark.parametrize(
    ("first", "second", "nothing"),
    [
        pytest.param([], [], "both", id="no task"),
        pytest.param([1.0], [2.0], "both", id="one task"),
        pytest.param([1.0, 2.0, 3.0], [1.5, 2.5, 3.5], "difference", id="the same difference everywhere"),
        pytest.param([0.1, 0.7, 0.3], [0.3, 2.1, 0.9], "ratio", id="the same ratio everywhere"),
        pytest.param([0.0, 0.0, 3.0], [1.0, 2.0, 4.0], "ratio", id="nothing to divide by in some resample"),
    ],
)
def test_where_there_is_no_spread_there_is_no_interval(first, second, nothing):
    found = paired_bootstrap(first, second, count=500)
    assert (found.difference is None) == (nothing in ("both", "difference"))
    assert (found.ratio is None) == (nothing in ("both", "ratio"))
    if nothing in ("both", "difference"):
        assert bootstrap_mean([b - a for a, b in zip(first, second, strict=True)], count=500) is None


def test_other_lengths_are_refused():
    with pytest.raises(ValueError, match="argument 2"):
        paired_bootstrap([1.0], [1.0, 2.0])


def test_the_same_seed_gives_the_same_interval_and_another_nearly_so():
    first, second = skewed(1)
    found = paired_bootstrap(first, second, seed=3)
    assert found == paired_bootstrap(first, second, seed=3)
    other = paired_bootstrap(first, second, seed=4)
    assert found != other
    assert found.difference == pytest.approx(other.difference, abs=0.05 * (found.difference[1] - found.difference[0]))


@settings(max_examples=25)
@given(COSTS)
def test_swapping_the_sides_turns_the_difference_round(costs):
    first, second = [a for a, _ in costs], [b for _, b in costs]
    one, other = (paired_bootstrap(*sides, count=200) for sides in ((first, second), (second, first)))
    if one.difference is None:
        assert other.difference is None
    else:
        assert one.difference == pytest.approx((-other.difference[1], -other.difference[0]), abs=1e-9)
        margins = [b - a for a, b in costs]
        assert min(margins) - 1e-9 <= one.difference[0] <= one.difference[1] <= max(margins) + 1e-9
    if one.ratio is not None:
        ratios = [b / a for a, b in costs]
        assert min(ratios) * (1 - 1e-9) <= one.ratio[0] <= one.ratio[1] <= max(ratios) * (1 + 1e-9)


def test_bca_agrees_with_scipy_on_the_same_replicates():
    """scipy takes our replicates as an earlier result and adds none, so that only the closed form is compared.

    Values are multiples of 1/64: sums are exact, and what ties here ties there.
    """
    stats = peer("scipy.stats")
    from numpy import array

    for seed in range(30):
        values = [round(64 * value) / 64 for value in skewed(seed, tasks=5 + seed)[0]]
        n, total = len(values), fsum(values)
        replicates = [mean([values[i] for i in picked]) for picked in resamples(n, 2000, seed)]
        earlier = SimpleNamespace(bootstrap_distribution=array(replicates))
        expected = stats.bootstrap(
            (array(values),), lambda x, axis: x.mean(axis=axis), n_resamples=0, method="BCa", bootstrap_result=earlier
        ).confidence_interval
        found = bca(total / n, replicates, [(total - value) / (n - 1) for value in values])
        assert found == pytest.approx((expected.low, expected.high), abs=1e-9)
        assert bootstrap_mean(values, seed=seed, count=2000) == pytest.approx(found, abs=1e-9)


@pytest.mark.parametrize("what", ["difference", "ratio"])
def test_the_bootstrap_agrees_with_scipys_paired_one_within_its_own_error(what):
    """The end of an interval swings with the seed by about 3 percent of its width at 10,000 resamples."""
    stats = peer("scipy.stats")
    from numpy import array
    from numpy import random as numpy_random

    def statistic(a, b, axis):
        return b.mean(axis=axis) - a.mean(axis=axis) if what == "difference" else b.mean(axis=axis) / a.mean(axis=axis)

    for seed in range(5):
        first, second = skewed(seed)
        expected = stats.bootstrap(
            (array(first), array(second)),
            statistic,
            paired=True,
            n_resamples=10_000,
            method="BCa",
            rng=numpy_random.default_rng(seed),
        ).confidence_interval
        found = getattr(paired_bootstrap(first, second, seed=seed), what)
        assert found == pytest.approx((expected.low, expected.high), abs=0.06 * (expected.high - expected.low))


def test_names_of_the_pair():
    assert PairedIntervals(None, None)._fields == ("difference", "ratio")
