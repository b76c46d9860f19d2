from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.checks.expected import Expected, agreeing
from harness.checks.selecting import ToolCall

SCALARS = st.sampled_from([0, 1, 1.0, True, False, None, "", "1", "bool", "True", 2**60, float(2**60), 2**60 + 1])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner)
)
INPUTS = st.dictionaries(st.sampled_from("ab"), VALUES, max_size=2)
NAMES = st.sampled_from("fg")
MODES = st.sampled_from(["exact", "exact", "subset", "superset", "ignore", "regex"])
EXPECTED = st.lists(st.builds(Expected, NAMES, INPUTS, MODES | st.just({"a": "ignore"})), max_size=5)
MADE = st.lists(st.builds(ToolCall, NAMES, INPUTS, st.just(0)), max_size=5)


@settings(max_examples=200)
@given(EXPECTED, MADE)
def test_as_every_pair_by_itself(expected, made):
    assert agreeing(expected, made) == [
        [index for index, call in enumerate(made) if wanted.agrees(call)] for wanted in expected
    ]


def deep(levels: int) -> list[object]:
    value: list[object] = []
    for _ in range(levels):
        value = [value]
    return value


@pytest.mark.parametrize("value", [deep(5000), [float("nan")]], ids=["deep", "no number"])
def test_what_cannot_be_looked_up_is_compared(value):
    expected = [Expected("f", {"a": 1}, "exact"), Expected("f", {"a": value}, "exact")]
    made = [ToolCall("f", {"a": 1}, 0), ToolCall("f", {"a": value}, 1)]
    brute = [[index for index, call in enumerate(made) if wanted.agrees(call)] for wanted in expected]
    assert agreeing(expected, made) == brute
    assert agreeing(expected[:1], made[:1]) == [[0]]
    assert agreeing(expected[1:], made[:1]) == [[]]
