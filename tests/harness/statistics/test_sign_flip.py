"""The sign-flip test: by hand, against all sign patterns, against scipy's permutation test."""

from __future__ import annotations

import random
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.statistics.pairs import least_p, mcnemar
from harness.statistics.sign_flip import sign_flip
from tests.harness.statistics.peers import peer

DIFFERENCES = st.lists(st.integers(-20, 20), max_size=9)


@pytest.mark.parametrize(
    ("differences", "p"),
    [
        pytest.param([], 1.0, id="no task"),
        pytest.param([0.0, 0.0], 1.0, id="no difference"),
        pytest.param([3.0], 1.0, id="one task shows nothing"),
        pytest.param([1.0, 2.0, 3.0, 4.0, 5.0], 2 / 32, id="five tasks show nothing"),
        pytest.param([1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 2 / 64, id="six can"),
        pytest.param([-1.0, 2.0, 3.0], 0.5, id="6 and 4 of (6, 4, 2, 0) on either side: 4 of 8"),
        pytest.param([0.1, 0.2, -0.3], 1.0, id="a sum of 0 that rounding hides"),
        pytest.param([0.3, 0.3, 0.1, 0.2], 0.125, id="0.1 + 0.2 ties with 0.3"),
    ],
)
def test_by_hand(differences, p):
    assert sign_flip(differences) == p


@settings(max_examples=50)
@given(DIFFERENCES)
def test_p_is_the_share_of_all_sign_patterns(differences):
    sums = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    p = sign_flip(differences)
    assert p == sum(abs(total) >= abs(sum(differences)) for total in sums) / len(sums)
    assert p == sign_flip([-d for d in differences]) == sign_flip([0.1 * d for d in differences])
    assert p >= least_p(len(differences))


@pytest.mark.parametrize(("up", "down"), [(6, 0), (12, 3), (20, 10), (9, 9)])
def test_on_differences_of_one_size_it_is_mcnemar(up, down):
    assert sign_flip([2.0] * up + [-2.0] * down) == pytest.approx(mcnemar(up, down), abs=1e-12)


@pytest.mark.parametrize(("up", "down"), [(31, 0), (30, 14), (25, 21), (60, 40)])
def test_beyond_thirty_tasks_it_is_seeded_and_near(up, down):
    differences = [2.0] * up + [-2.0] * down
    p = sign_flip(differences)
    exact = mcnemar(up, down)
    assert p == sign_flip(differences)
    assert p == pytest.approx(exact, abs=5 * (exact / 10_000) ** 0.5 + 2e-4)
    assert p >= 1 / 10_001


def test_agreement_with_scipys_permutation_test():
    stats = peer("scipy.stats")
    from numpy import array

    draw = random.Random(25)
    for _ in range(100):
        differences = [draw.gauss(0.5, 1) for _ in range(draw.randint(2, 9))]
        expected = stats.permutation_test(
            (array(differences),),
            lambda x, axis: x.sum(axis=axis),
            permutation_type="samples",
            vectorized=True,
            n_resamples=float("inf"),
        ).pvalue
        assert sign_flip(differences) == pytest.approx(expected, abs=1e-9)
