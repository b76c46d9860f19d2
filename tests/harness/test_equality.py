"""One notion of equal JSON values, pair by pair and by a form of their own."""

from __future__ import annotations

from hypothesis import example, given, settings
from hypothesis import strategies as st

from agent.jsonio import canonical
from harness.checks.values import equal
from harness.equality import tidy

NUMBERS = [
    0, -0.0, 1, 1.0, 1.5, 2**53, float(2**53), 2**53 + 1, 2**60, float(2**60), 2**60 + 1, -(2**63), -float(2**63),
    2**63, 2**64 - 1, 2**64, float(2**64), 10**300, 1e300, 10**400,
]  # fmt: skip
SCALARS = st.sampled_from([*NUMBERS, True, False, None, "", "1", "true"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner), max_leaves=4
)


@settings(max_examples=500)
@given(VALUES, VALUES)
@example(2**60, float(2**60))
@example({"a": [10**300]}, {"a": [1e300]})
@example(True, 1)
def test_the_form_says_what_the_pair_says(one, other):
    assert (canonical(tidy(one)) == canonical(tidy(other))) == equal(one, other)


def test_numbers_as_they_are_compared():
    assert tidy({"a": [1.0, True, 1.5, {"b": -0.0}], "c": 1e300}) == {"a": [1, True, 1.5, {"b": 0}], "c": 1e300}
    assert type(tidy(2.0)) is int
    assert type(tidy(2**64)) is float
    assert tidy(True) is True
