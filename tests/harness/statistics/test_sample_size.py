"""How many tasks it takes: exact power by enumeration, the approximation against it, the t test against statsmodels."""

from __future__ import annotations

import random
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.statistics.pairs import fewest_pairs, mcnemar
from harness.statistics.sample_size import mcnemar_power, rejection_chances, tasks_needed, tasks_needed_for_mean
from tests.harness.statistics.peers import peer


def enumerated(discordant: int, share: float, alpha: float) -> float:
    return sum(
        comb(discordant, i) * share**i * (1 - share) ** (discordant - i)
        for i in range(discordant + 1)
        if mcnemar(i, discordant - i) <= alpha
    )


@pytest.mark.parametrize("share", [0.5, 0.6, 0.9, 1.0, 0.3, 0.0])
@pytest.mark.parametrize("alpha", [0.05, 0.01, 0.0625, 0.3])
def test_rejection_chances_are_those_of_the_exact_test(share, alpha):
    chances = rejection_chances(80, share, alpha)
    assert chances == pytest.approx([enumerated(d, share, alpha) for d in range(81)], abs=1e-12)
    assert not any(chances[: fewest_pairs(alpha)])


def test_the_test_keeps_its_level():
    assert max(rejection_chances(500, 0.5, 0.05)) <= 0.05


def test_power_sums_over_the_discordant_pairs():
    chances = rejection_chances(20, 0.9, 0.05)
    expected = sum(comb(20, d) * 0.4**d * 0.6 ** (20 - d) * enumerated(d, 0.9, 0.05) for d in range(21))
    assert mcnemar_power(20, 0.4, chances) == pytest.approx(expected, abs=1e-12)
    assert mcnemar_power(20, 1.0, chances) == chances[20]
    assert mcnemar_power(20, 0.0, chances) == 0.0


@pytest.mark.parametrize(
    ("p_discordant", "share", "needed"),
    [
        pytest.param(1.0, 1.0, 6, id="always won: as few as can show anything"),
        pytest.param(1.0, 0.0, 6, id="always lost"),
        pytest.param(0.5, 1.0, 15, id="half the tasks differ, all one way: P(6 or more of 15 fair coins) = 0.849"),
        pytest.param(0.4, 0.5, None, id="even: no difference to show"),
        pytest.param(0.0, 1.0, None, id="no discordant pair"),
    ],
)
def test_tasks_needed(p_discordant, share, needed):
    assert tasks_needed(p_discordant, share) == needed


@settings(max_examples=25)
@given(st.floats(0.2, 1), st.floats(0.7, 1))
def test_it_is_the_smallest_number_with_that_power(p_discordant, share):
    needed = tasks_needed(p_discordant, share)
    chances = rejection_chances(needed, share, 0.05)
    powers = [mcnemar_power(n, p_discordant, chances) for n in range(needed + 1)]
    assert powers[needed] >= 0.8 > max(powers[:needed])
    assert needed == tasks_needed(p_discordant, 1 - share) or share == 1 - (1 - share)
    assert tasks_needed(p_discordant, share, power=0.9) >= needed
    assert tasks_needed(p_discordant, share, alpha=0.01) >= needed


@pytest.mark.parametrize(
    ("p_discordant", "share", "within"),
    [
        pytest.param(0.1, 0.7, 0.02, id="rare"),
        pytest.param(0.5, 0.56, 0.02, id="common and even"),
        pytest.param(0.3, 0.6, 0.02, id="between"),
        pytest.param(1.0, 0.56, 0.02, id="all discordant"),
        pytest.param(0.01, 1.0, 0.12, id="rare and all one way: too many, by a tenth"),
    ],
)
def test_beyond_five_hundred_the_approximation_is_near_the_exact_number(p_discordant, share, within):
    needed = tasks_needed(p_discordant, share)
    assert needed > 500
    chances = rejection_chances(2 * needed, share, 0.05)
    exact = next(n for n in range(needed // 2, 2 * needed) if mcnemar_power(n, p_discordant, chances) >= 0.8)
    assert needed == pytest.approx(exact, rel=within + 1e-3)


def test_mean_by_hand():
    """(1.96 + 0.8416)^2 * 4 + 1.92 = 33.3."""
    assert tasks_needed_for_mean(0.5, 1.0) == 34
    assert tasks_needed_for_mean(-0.5, 1.0) == 34
    assert tasks_needed_for_mean(10.0, 1.0) == fewest_pairs(0.05)
    assert tasks_needed_for_mean(1.0, 0.0) == 6
    assert tasks_needed_for_mean(0.0, 1.0) is None


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (tasks_needed, (1.5, 0.9)),
        (tasks_needed, (0.5, -0.1)),
        (tasks_needed, (0.5, 0.9, 0.0)),
        (tasks_needed, (0.5, 0.9, 0.05, 1.0)),
        (tasks_needed_for_mean, (1.0, -1.0)),
        (tasks_needed_for_mean, (1.0, 1.0, 1.0)),
    ],
)
def test_values_out_of_range_are_refused(function, values):
    with pytest.raises(ValueError, match=r"between 0 and 1|standard deviation"):
        function(*values)


def test_mean_agrees_with_statsmodels():
    power = peer("statsmodels.stats.power")
    draw = random.Random(26)
    for _ in range(50):
        effect, alpha, wanted = draw.uniform(0.1, 0.9), draw.choice([0.05, 0.01]), draw.choice([0.8, 0.9])
        exact = power.TTestPower().solve_power(effect_size=effect, alpha=alpha, power=wanted)
        assert abs(tasks_needed_for_mean(effect, 1.0, alpha, wanted) - exact) <= 1.1
