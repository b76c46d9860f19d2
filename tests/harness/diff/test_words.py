"""Texts by word."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.diff.words import alike, text_differences, words

TEXTS = st.text(alphabet="ab. \né世界", max_size=60)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("", "", []),
        ("same words", "same words", [("=", "same words")]),
        ("the red house", "the blue house", [("=", "the "), ("-", "red"), ("+", "blue"), ("=", " house")]),
        ("ends here", "ends here now", [("=", "ends here"), ("+", " now")]),
        ("a b", "a  b", [("=", "a"), ("-", " "), ("+", "  "), ("=", "b")]),
        (
            "the cat sat there",
            "the dog ran there",
            [("=", "the "), ("-", "cat sat"), ("+", "dog ran"), ("=", " there")],
        ),
        ("世界好", "世人好", [("=", "世"), ("-", "界"), ("+", "人"), ("=", "好")]),
        ("all", "other", [("-", "all"), ("+", "other")]),
    ],
    ids=["empty", "same", "one word", "more", "blanks", "a blank between", "no blanks", "nothing in common"],
)
def test_pieces(one, other, expected):
    assert text_differences(one, other) == expected


@settings(max_examples=50)
@given(TEXTS, TEXTS)
def test_pieces_joined_are_the_texts(one, other):
    pieces = text_differences(one, other)
    assert "".join(text for sign, text in pieces if sign != "+") == one
    assert "".join(text for sign, text in pieces if sign != "-") == other
    assert all(text for _, text in pieces)
    assert not any(a.sign == b.sign for a, b in pairwise(pieces))


def test_long_texts():
    one = " ".join(f"word{i}" for i in range(5000))
    pieces = text_differences(one, one.replace("word2500 ", ""))
    assert [text for sign, text in pieces if sign != "="] == ["word2500 "]


@pytest.mark.parametrize(
    ("one", "other", "floor", "expected"),
    [
        ("a b c", "C B A", 0, 1.0), ("", "", 0.9, 1.0), ("a b", "a c", 0, 0.5), ("a b", "a c", 0.6, 0.0),
        ("a", "a b c d e f g", 0.5, 0.0), ("a, b!", "a b", 0, 1.0), ("", "a", 0, 0.0),
    ],
)  # fmt: skip
def test_share_of_common_words(one, other, floor, expected):
    assert alike(words(one), words(other), floor) == expected


def test_only_the_beginning_of_a_long_text_counts():
    assert len(words(" ".join(map(str, range(10_000))))) == 500
