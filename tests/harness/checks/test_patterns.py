from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.checks.patterns import compiled, matches_all


def test_compiled_once():
    assert compiled("a+") is compiled("a+")
    assert compiled("a+").search("A") is None
    assert compiled("a+", True).search("A") is not None


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(", "'(' is no regular expression: missing ), unterminated subpattern at position 0"),
        ("a{99999999999}", "'a{99999999999}'… is too large for a regular expression"),
        ("(" * 3000 + ")" * 3000, f"'{'(' * 40}'… is too large for a regular expression"),
    ],
    ids=["wrong", "huge", "deep"],
)
def test_what_is_none(pattern, problem):
    with pytest.raises(ValueError, match=re.escape(problem)):
        compiled(pattern)


def test_python_warns_of_nothing():
    assert compiled("[[a]").search("[")


@pytest.mark.parametrize("pattern", [".*", "^.*", "a*", "a?", "a|", "(a|b)*", "a{0,3}", "(.*)"])
def test_what_matches_every_text(pattern):
    assert matches_all(pattern)


@pytest.mark.parametrize("pattern", [".", ".+", "^$", "^.*$", "(?!.*no)", "^(?!.*no).*", r"\b", "a|b", r"\Z", "x^"])
def test_what_need_not(pattern):
    assert not matches_all(pattern)


@given(st.text("ab.*+?|()[]^$\\{}1,!=", max_size=8), st.text("ab\n^$", max_size=6))
def test_only_what_is_certain_is_said(pattern, text):
    try:
        certain = matches_all(pattern)
    except ValueError:
        return
    assert not certain or re.search(pattern, text) is not None
