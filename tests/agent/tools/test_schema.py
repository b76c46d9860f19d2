from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.tools.schema import check
from agent.tools.tool import ToolError, properties

SCHEMA = properties(
    ("path",),
    path={"type": "string", "minLength": 1, "maxLength": 5},
    count={"type": "integer", "minimum": 1, "maximum": 10, "default": 3},
    wait={"type": "number", "minimum": 0.5},
    flag={"type": "boolean", "default": False},
)


def test_defaults_are_filled_in():
    assert check(SCHEMA, {"path": "a"}) == {"path": "a", "count": 3, "wait": None, "flag": False}


def test_null_counts_as_left_out_and_whole_floats_are_integers():
    checked = check(SCHEMA, {"path": "a", "count": 2.0, "wait": 1, "flag": None})
    assert checked == {"path": "a", "count": 2, "wait": 1, "flag": False}
    assert type(checked["count"]) is int


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({}, "argument 'path' is missing"),
        ({"path": None}, "argument 'path' must be a string, not null"),
        ({"path": 5}, "argument 'path' must be a string, not the number 5"),
        ({"path": ["a"]}, "argument 'path' must be a string, not an array"),
        ({"path": {}}, "argument 'path' must be a string, not an object"),
        ({"path": ""}, "argument 'path' is empty"),
        ({"path": "abcdef"}, "argument 'path' has 6 characters; the most is 5"),
        ({"path": "\udc00"}, "argument 'path' holds a lone surrogate"),
        ({"path": "a", "count": "2"}, "argument 'count' must be an integer, not a string"),
        ({"path": "a", "count": True}, "argument 'count' must be an integer, not a boolean"),
        ({"path": "a", "count": 2.5}, "argument 'count' must be an integer, not the number 2.5"),
        ({"path": "a", "count": 0}, "argument 'count' must be at least 1 and at most 10, not 0"),
        ({"path": "a", "count": 11}, "argument 'count' must be at least 1 and at most 10, not 11"),
        ({"path": "a", "wait": 0.1}, "argument 'wait' must be at least 0.5, not 0.1"),
        ({"path": "a", "wait": float("nan")}, "argument 'wait' must be at least 0.5, not nan"),
        ({"path": "a", "count": float("inf")}, "argument 'count' must be an integer, not the number inf"),
        ({"path": "a", "flag": "true"}, "argument 'flag' must be true or false, not a string"),
        ({"path": "a", "flag": 1}, "argument 'flag' must be true or false, not the number 1"),
        ({"path": "a", "pth": "b"}, "unknown argument 'pth' (known: path, count, wait, flag)"),
    ],
)
def test_faults_name_the_argument(arguments, words):
    with pytest.raises(ToolError) as caught:
        check(SCHEMA, arguments)
    assert words in str(caught.value)


def test_all_faults_are_told_at_once():
    with pytest.raises(ToolError, match=r"'pth'.*'path' is missing.*'flag'"):
        check(SCHEMA, {"pth": "a", "flag": "no"})


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=5,
)


@given(st.dictionaries(st.sampled_from(["path", "count", "wait", "flag", "other"]), JSON))
def test_any_arguments_pass_or_are_refused_with_words(arguments):
    try:
        checked = check(SCHEMA, arguments)
    except ToolError as error:
        words = str(error)
    else:
        words = "argument"
        assert set(checked) == {"path", "count", "wait", "flag"}
        assert isinstance(checked["path"], str)
        assert 1 <= checked["count"] <= 10
    assert "argument" in words
