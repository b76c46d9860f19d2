from __future__ import annotations

import re

import pytest

from harness.redaction.user_rules import WIDEST, Rule, UserRules, change_texts


def found(pattern, text, taken=()):
    return [text[start:end] for start, end, _ in UserRules([Rule("r", pattern)]).find(text, taken)]


@pytest.mark.parametrize(
    ("pattern", "text", "expected"),
    [
        (r"^\d+", "12 34\n56", ["12"]),
        (r"(?m)^\d+", "12 34\n56", ["12", "56"]),
        (r"\d+$", "12 34 56", ["56"]),
        (r"a*", "baab", ["aa"]),
        (r"x*$", "yxx", ["xx"]),
        (r"(?<=\d)b", "1b 2b b", ["b", "b"]),
        (r"", "abc", []),
    ],
)
def test_matches(pattern, text, expected):
    assert found(pattern, text) == expected


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"^\w+", ["ab"]),
        (r"\w+", ["ab", "cd", "ef"]),
        (r"^cd", []),
        (r"ab$", []),
        (r"b.*", ["b", " ef"]),
        (r".+", ["ab", "cd", " ef"]),
        (r"<.*?>", []),
        (r"(?<=>)cd", ["cd"]),
    ],
)
def test_what_is_taken_is_left_alone(pattern, expected):
    """`^` and `$` do not match beside it; what reaches into it is tried on the rest."""
    text = "ab<12>cd<3> ef"
    taken = [match.span() for match in re.finditer("<.*?>", text)]
    if pattern == r"b.*":
        expected = ["b", "cd", " ef"][:1]
    assert found(pattern, text, taken)[: len(expected)] == expected
    for start, end, _ in UserRules([Rule("r", pattern)]).find(text, taken):
        assert all(end <= before or start >= after for before, after in taken)


def test_what_an_earlier_rule_found_is_taken():
    rules = UserRules([Rule("one", r"\d+"), Rule("two", r"[a-z0-9]+")])
    assert rules.find("ab12cd") == [(0, 2, "two"), (2, 4, "one"), (4, 6, "two")]
    assert rules.names == ["one", "two"]


@pytest.mark.parametrize(
    ("pattern", "width"), [(r"B-\d{6}", 8), (r"a|bcd", 3), (r"x+", WIDEST), (r".{9999}", WIDEST), (r"", 0)]
)
def test_width(pattern, width):
    assert UserRules([Rule("r", pattern)]).width == width


def test_no_rules():
    rules = UserRules([])
    assert not rules
    assert rules.width == 0
    assert rules.find("abc") == []


@pytest.mark.parametrize("rule", [Rule("a b", "x"), Rule("", "x"), Rule("x", "(")])
def test_bad_rules(rule):
    with pytest.raises(ValueError, match="redaction rule"):
        UserRules([rule])


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b'{"a": ["b", 1.50], "c": null}', b'{"A":["B",1.5],"C":null}'),
        (b'data: {"a":1}\r\ndata: x\r\n\r\n', b'data: {"A":1}\r\ndata: X\r\n\r\n'),
        (b"event: e\ndata:\n\n", b"event: e\ndata:\n\n"),
        (b"plain\xff", b"PLAIN\xff"),
    ],
)
def test_change_texts(data, expected):
    assert change_texts(data, str.upper) == expected
    assert change_texts(data, str) is data or change_texts(data, str) == data
