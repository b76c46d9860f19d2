"""Axes: round ticks, ends that hold all values, places in proportion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.page.scale import scale


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0, 100, ["0", "20", "40", "60", "80", "100"]),
        (0, 3_200, ["0", "1,000", "2,000", "3,000", "4,000"]),
        (0, 0.0024, ["0", "0.0005", "0.0010", "0.0015", "0.0020", "0.0025"]),
        (-14, 31, ["−20", "0", "20", "40"]),
        (0, 1, ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0, 0, ["0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
    ],
)
def test_ticks_are_round_numbers(low, high, said):
    axis = scale(low, high, 0, 100)
    assert [axis.say(tick) for tick in axis.ticks()] == said


@given(
    st.floats(-1e9, 0, allow_subnormal=False).filter(lambda value: value == 0 or value < -1e-9),
    st.floats(1e-9, 1e9),
)
def test_it_holds_all_values_with_few_ticks(low, high):
    axis = scale(low, high, 10, 390)
    assert axis.at(axis.low) == 10
    assert axis.at(axis.high) == pytest.approx(390)
    assert 10 - 1e-6 <= axis.at(low) <= axis.at(0) <= axis.at(high) <= 390 + 1e-6
    assert 2 <= len(axis.ticks()) <= 6
    assert any(abs(tick) < axis.step * 1e-6 for tick in axis.ticks())


def test_places_are_in_proportion():
    axis = scale(0, 10, 0, 100)
    assert [axis.at(value) for value in (0, 2.5, 10)] == [0, 25, 100]
