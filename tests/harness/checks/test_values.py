from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.checks.values import argument_differences, equal, likeness, text_likeness
from harness.differences import MISSING

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        (1, 1.0, True),
        (True, 1, False),
        (0, False, False),
        (True, True, True),
        (None, False, False),
        ("1", 1, False),
        (2**60 + 1, float(2**60), False),
        ({"a": 1, "b": [1, {}]}, {"b": [1.0, {}], "a": 1}, True),
        ({"a": 1}, {"a": 1, "b": None}, False),
        ([1, 2], [2, 1], False),
        ([1], [1, 1], False),
        ({}, [], False),
    ],
)
def test_equal(one, other, same):
    assert equal(one, other) is same
    assert equal(other, one) is same


@settings(max_examples=50)
@given(JSON)
def test_a_value_is_equal_to_its_copy(value):
    assert equal(value, json.loads(json.dumps(value)))


def test_deep_values():
    deep: list = []
    for _ in range(50_000):
        deep = [deep]
    assert equal(deep, deep)


@pytest.mark.parametrize(
    ("pattern", "value", "same"),
    [
        ("^a", "abc", True),
        ("b$", "abc", False),
        ("^3$", 3, True),
        ("^(true|null)$", None, True),
        ('"x":1', {"x": 1}, True),
        (["a", 1], ["xax", 1.0], True),
        ({"k": "^v"}, {"k": "w"}, False),
        (3, 4, False),
    ],
)
def test_patterns(pattern, value, same):
    assert equal(pattern, value, patterns=True) is same


ARGUMENTS = {
    "exact": ({"a": 1}, {"a": 1.0}, "exact", []),
    "exact, one more": ({"a": 1}, {"a": 1, "b": 2}, "exact", ["b"]),
    "exact, one less": ({"a": 1, "b": 2}, {"a": 1}, "exact", ["b"]),
    "subset, one more": ({"a": 1}, {"a": 1, "b": 2}, "subset", []),
    "subset, one less": ({"a": 1, "b": 2}, {"a": 1}, "subset", ["b"]),
    "subset, values in full": ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, "subset", ["a"]),
    "superset, one less": ({"a": 1, "b": 2}, {"a": 1}, "superset", []),
    "superset, one more": ({"a": 1}, {"a": 1, "b": 2}, "superset", ["b"]),
    "ignore": ({"a": 1}, {"b": 2}, "ignore", []),
    "regex": ({"a": "^x", "n": 1}, {"a": "xy", "n": 1}, "regex", []),
    "regex, one more": ({"a": "^x"}, {"a": "xy", "b": 1}, "regex", ["b"]),
    "by name": ({"a": "^x", "b": 1}, {"a": "xy", "b": 2}, {"a": "regex"}, ["b"]),
    "by name, ignored": ({"a": 1}, {"a": 1, "b": 2}, {"b": "ignore"}, []),
    "by name, ignored and absent": ({"a": 1, "b": 2}, {"a": 1}, {"b": "ignore"}, []),
    "by name, the others a subset": ({"a": "^x"}, {"a": "xy", "b": 2}, {"a": "regex", "*": "subset"}, []),
    "by name, the others ignored": ({"a": 1, "c": 3}, {"a": 2, "b": 2}, {"a": "exact", "*": "ignore"}, ["a"]),
    "by name, absent": ({"a": 1}, {}, {"a": "exact", "*": "superset"}, ["a"]),
    "by name, not in these": ({"a": 1}, {"a": 1, "b": 2}, {"b": "regex"}, ["b"]),
    "by name, keys of a value": ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, {"a": "subset"}, []),
    "by name, too many keys": ({"a": {"x": 1}}, {"a": {"x": 1, "y": 2}}, {"a": "superset"}, ["a"]),
    "by name, no object": ({"a": [1]}, {"a": [1, 2]}, {"a": "subset"}, ["a"]),
}


@pytest.mark.parametrize(("expected", "made", "arguments", "names"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments(expected, made, arguments, names):
    assert [name for name, _, _ in argument_differences(expected, made, arguments)] == names


def test_what_is_missing_is_said():
    assert [*argument_differences({"a": 1}, {"b": 2}, "exact")] == [("a", 1, MISSING), ("b", MISSING, 2)]


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ({}, {}, 1.0),
        ({"a": 1}, {"a": 1.0}, 1.0),
        ({"a": 1}, {"b": 1}, 0.0),
        ({"a": 1, "b": 2}, {"a": 1, "b": 3}, 0.5),
        ({"a": "notes.md"}, {"a": "note.md"}, 7 / 8),
        ({"a": "x"}, {"a": 1}, 0.0),
    ],
)
def test_likeness(one, other, alike):
    assert likeness(one, other) == pytest.approx(alike)


@settings(max_examples=50)
@given(st.text(max_size=9), st.text(max_size=9))
def test_likeness_of_texts(one, other):
    assert 0 <= text_likeness(one, other) <= 1
    assert (text_likeness(one, other) == 1) == (one == other)
    assert text_likeness(one, other) == text_likeness(other, one)
