"""pass@k and pass^k: hand-worked cases, the product form, and what too few tries tell."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.statistics.repeats import mean_over_tasks, pass_at_k, pass_hat_k

TRIES = st.integers(1, 60).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n)))


@pytest.mark.parametrize(
    ("n", "c", "k", "at", "hat"),
    [
        pytest.param(5, 3, 1, 0.6, 0.6, id="one try: the rate"),
        pytest.param(5, 3, 2, 0.9, 0.3, id="two of five"),
        pytest.param(5, 3, 3, 1.0, 0.1, id="no three failures to draw"),
        pytest.param(5, 0, 2, 0.0, 0.0, id="never"),
        pytest.param(5, 5, 5, 1.0, 1.0, id="always"),
        pytest.param(4, 4, 5, None, None, id="fewer tries than k"),
        pytest.param(0, 0, 1, None, None, id="no try"),
    ],
)
def test_hand_worked(n, c, k, at, hat):
    assert pass_at_k(n, c, k) == at
    assert pass_hat_k(n, c, k) == hat


@pytest.mark.parametrize(("n", "c", "k"), [(3, 4, 1), (3, -1, 1), (3, 1, 0)])
@pytest.mark.parametrize("estimate", [pass_at_k, pass_hat_k])
def test_impossible_counts_are_refused(estimate, n, c, k):
    with pytest.raises(ValueError, match=r"tries|k must"):
        estimate(n, c, k)


@pytest.mark.parametrize("c", range(7))
@pytest.mark.parametrize("k", range(1, 7))
def test_the_estimates_are_the_shares_among_all_choices_of_k_tries(c, k):
    tries = [i < c for i in range(6)]
    chosen = list(combinations(tries, k))
    assert pass_at_k(6, c, k) == pytest.approx(sum(map(any, chosen)) / len(chosen), abs=1e-15)
    assert pass_hat_k(6, c, k) == pytest.approx(sum(map(all, chosen)) / len(chosen), abs=1e-15)


def test_agreement_with_the_product_form():
    draw = random.Random(22)
    for _ in range(1000):
        n = draw.randint(1, 300)
        c, k = draw.randint(0, n), draw.randint(1, n)
        failing = prod((1 - Fraction(k, i) for i in range(n - c + 1, n + 1)), start=Fraction(1)) if n - c >= k else 0
        passing = prod((Fraction(c - i, n - i) for i in range(k)), start=Fraction(1))
        assert pass_at_k(n, c, k) == pytest.approx(float(1 - failing), abs=1e-12)
        assert pass_hat_k(n, c, k) == pytest.approx(float(passing), abs=1e-12)


@settings(max_examples=50)
@given(TRIES)
def test_laws(tries):
    n, c, k = tries
    at, hat = pass_at_k(n, c, k), pass_hat_k(n, c, k)
    assert 0 <= hat <= c / n + 1e-12
    assert c / n - 1e-12 <= at <= 1
    assert hat == pytest.approx(1 - pass_at_k(n, n - c, k), abs=1e-12)
    if k < n:
        assert pass_at_k(n, c, k + 1) >= at
        assert pass_hat_k(n, c, k + 1) <= hat
    if c < n:
        assert pass_at_k(n, c + 1, k) >= at
        assert pass_hat_k(n, c + 1, k) >= hat


@pytest.mark.parametrize(
    ("counts", "k", "expected"),
    [
        pytest.param([(5, 3), (5, 5)], 2, 0.95, id="mean"),
        pytest.param([(5, 3), (2, 0)], 2, 0.45, id="different numbers of tries"),
        pytest.param([(5, 5), (1, 0)], 2, None, id="a task with too few tries is not left out"),
        pytest.param([], 1, None, id="no task"),
    ],
)
def test_mean_over_tasks(counts, k, expected):
    assert mean_over_tasks(pass_at_k, counts, k) == expected
