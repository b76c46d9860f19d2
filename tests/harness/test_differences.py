from __future__ import annotations

import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.differences import MISSING, Difference, by_name, first_difference, shorten, value_differences

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, []),
        ({"a": 1}, {"a": 1.0}, [("a", 1, 1.0)]),
        ({"a": True}, {"a": 1}, [("a", True, 1)]),
        ({"a": [1, 2]}, {"a": [1]}, [("a[1]", 2, MISSING)]),
        ({}, {"a": {"b": None}}, [("a", MISSING, {"b": None})]),
        ({"a": {"b": [{"c": 1}]}}, {"a": {"b": [{"c": 2}]}}, [("a.b[0].c", 1, 2)]),
        (1, "1", [("body", 1, "1")]),
        (b"\xff", b"\xfe", [("body", b"\xff", b"\xfe")]),
    ],
)
def test_every_place_is_named(one, other, found):
    assert [tuple(difference) for difference in value_differences(one, other)] == found


def test_paths_begin_where_the_values_stand():
    assert [found.path for found in value_differences({"a": 1}, {"b": 1}, "input")] == ["input.a", "input.b"]


@given(json_values)
def test_a_value_does_not_differ_from_itself(value):
    assert value_differences(value, value) == []


def test_names_of_both():
    assert [*by_name({"a": 1, "b": 2}, {"c": 3, "a": 4})] == [("a", 1, 4), ("b", 2, MISSING), ("c", MISSING, 3)]


def test_what_is_missing_stays_itself_in_another_process():
    """`harness diff --jobs` gets its differences from worker processes."""
    found = pickle.loads(pickle.dumps(Difference("p", MISSING, 1)))
    assert found == ("p", MISSING, 1)
    assert found.one is MISSING


@given(st.text(max_size=5), st.text(max_size=5))
def test_where_texts_begin_to_differ(one, other):
    start = first_difference(one, other)
    assert one[:start] == other[:start]
    assert start == min(len(one), len(other)) or one[start] != other[start]


class TestWords:
    def test_long_texts_are_cut_to_where_they_differ(self):
        one, other = "x" * 500 + "one" + "y" * 500, "x" * 500 + "two" + "y" * 500
        said = Difference("p", one, other).say("sent")
        assert len(said) < 160
        assert "…xxx" in said
        assert "one" in said
        assert "two" in said

    def test_one_is_the_start_of_the_other(self):
        assert Difference("p", "ab", "abc").say("sent") == 'p: recorded "ab", sent "abc"'

    def test_control_characters_of_names(self):
        assert Difference("a\nb", 1, 2).say("sent") == "a?b: recorded 1, sent 2"

    def test_other_words(self):
        assert Difference("p", 1, MISSING).say("now") == "p: recorded 1, now nothing"
        assert Difference("p", 1, 2).say("now", "golden") == "p: golden 1, now 2"

    def test_short_forms(self):
        assert shorten({"a": "x" * 100}, 20) == '{"a":"xxxxxxxxxxxxx…'
        assert shorten(MISSING) == repr(MISSING) == "nothing"
        assert shorten(b"\xff") == r"b'\xff'"
