from __future__ import annotations

import tomllib
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.suites.toml import can_say, table_lines, value_of

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=12,
)


@settings(max_examples=50)
@given(st.dictionaries(TEXT, VALUES, max_size=5))
def test_what_is_written_is_read(table):
    assert can_say(table)
    found = tomllib.loads("\n".join(table_lines(table)))
    assert found == table
    assert repr(found) == repr(table)  # 1 == 1.0 == True


@settings(max_examples=50)
@given(st.decimals(allow_nan=False, allow_infinity=False, places=9))
def test_decimals_stay_exact(amount):
    (found,) = tomllib.loads(f"a = {value_of(amount)}", parse_float=Decimal).values()
    assert found == amount


@pytest.mark.parametrize("value", [None, "\ud800", [None], {"a": {"b": None}}, float("nan"), float("inf")], ids=repr)
def test_what_toml_cannot_hold(value):
    assert not can_say(value)
    with pytest.raises(ValueError, match="TOML cannot hold"):
        value_of(value)


def test_long_lists_take_a_line_an_item():
    lines = table_lines({"calls": [{"name": "x" * 60}, {"name": "y" * 60}], "short": ["a"]}, "  ")
    assert lines[0] == "  calls = ["
    assert len(lines) == 5
