"""Holm's correction: a worked example, laws, and agreement with statsmodels."""

from __future__ import annotations

import gc
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.statistics.holm import corrected, holm
from harness.statistics.outcomes import compare_outcomes
from tests.harness.statistics.peers import peer


@pytest.mark.parametrize(
    ("p_values", "adjusted"),
    [
        pytest.param([], [], id="none"),
        pytest.param([0.03], [0.03], id="one stays"),
        pytest.param([0.01, 0.04, 0.03], [0.03, 0.06, 0.06], id="3 * 0.01, 2 * 0.03, then no smaller"),
        pytest.param([0.9, 0.8], [1.0, 1.0], id="capped"),
    ],
)
def test_by_hand(p_values, adjusted):
    assert holm(p_values) == pytest.approx(adjusted)


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), max_size=12))
def test_laws(p_values):
    adjusted = holm(p_values)
    assert all(p <= a <= 1 for p, a in zip(p_values, adjusted, strict=True))
    by_p = [a for _, a in sorted(zip(p_values, adjusted, strict=True))]
    assert by_p == sorted(by_p)
    assert holm(p_values[::-1]) == adjusted[::-1]


def test_a_verdict_that_holds_alone_falls_among_several():
    won = compare_outcomes([[False]] * 6, [[True]] * 6)
    drawn = compare_outcomes([[True]] * 6, [[True]] * 6)
    assert won.verdict == "better"
    again, other = corrected([won, drawn])
    assert (again.p, again.adjusted_p, again.verdict) == (0.03125, 0.0625, "no difference shown")
    assert other.adjusted_p == 1.0


def test_holm_agrees_with_statsmodels(monkeypatch):
    multitest = peer("statsmodels.stats.multitest")
    monkeypatch.setattr(gc, "collect", lambda: 0)  # statsmodels collects in every call: a tenth of a second each
    draw = random.Random(24)
    for _ in range(1000):
        p_values = [draw.random() ** 3 for _ in range(draw.randint(1, 12))]
        expected = multitest.multipletests(p_values, method="holm")[1]
        assert holm(p_values) == pytest.approx(list(expected), abs=1e-9)
