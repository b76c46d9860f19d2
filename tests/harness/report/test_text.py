from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.report.text import clip, columns, fold, shorten, visible, visible_line

UNSAFE = [*map(chr, range(32)), "\x7f", "\x9b", "\u202e", "\u2066", "\u2028", "\ud800"]
texts = st.text(st.one_of(st.characters(), st.sampled_from(" \n\t\x1b\u0301😀")), max_size=60)


@pytest.mark.parametrize(
    ("text", "shown", "line"),
    [
        ("a\tb", "a    b", "a\\tb"),
        ("a\nb", "a\nb", "a⏎b"),
        ("a\r\nb\rc", "a\nb\nc", "a\\r⏎b\\rc"),
        ("\x1b[2J", "\\x1b[2J", "\\x1b[2J"),
        ("\x9b", "\\x9b", "\\x9b"),
        ("a\u202eb", "a\\u202eb", "a\\u202eb"),
        ("\ud83d", "\\ud83d", "\\ud83d"),
        ("Zoë😀", "Zoë😀", "Zoë😀"),
    ],
)
def test_what_could_steer_a_terminal_is_escaped(text, shown, line):
    assert visible(text) == shown
    assert visible_line(text) == line


@given(texts)
def test_nothing_unsafe_gets_through(text):
    for shown, allowed in ((visible(text), "\n"), (visible_line(text), "")):
        assert not [character for character in UNSAFE if character in shown and character not in allowed]
        shown.encode()


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("a  b\n c", 9, "a b c"),
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abcdef... (7 characters)"),
        ("a" * 1200, 3, "aaa... (1,200 characters)"),
        (" " * 50 + "a", 5, "... (51 characters)"),
    ],
)
def test_shorten(text, limit, short):
    assert shorten(text, limit) == short


@pytest.mark.parametrize(
    ("text", "width"), [("abc", 3), ("日本", 4), ("e\u0301", 1), ("😀", 2), ("", 0), ("👍\ufe0f", 2)]
)
def test_columns(text, width):
    assert columns(text) == width


@pytest.mark.parametrize(
    ("text", "width", "clipped"),
    [
        ("abcdef", None, "abcdef"),
        ("abcdef", 6, "abcdef"),
        ("abcdefg", 6, "abc..."),
        ("日本語日本語", 8, "日本..."),
        ("e\u0301" * 6, 6, "e\u0301" * 6),
    ],
)
def test_clip(text, width, clipped):
    assert clip(text, width) == clipped


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 7, ["one two", "three"]),
        ("one two three", 6, ["one", "two", "three"]),
        ("abcdefgh", 3, ["abc", "def", "gh"]),
        ("a\n\nb", 5, ["a", "", "b"]),
        ("  indented text", 10, ["  indented", "text"]),
        ("日本語", 4, ["日本", "語"]),
        ("a b", None, ["a b"]),
        ("", 5, [""]),
    ],
)
def test_fold(text, width, lines):
    assert fold(text, width) == lines


@given(texts.map(visible), st.integers(2, 30))
def test_folding_loses_only_blanks_and_fits(text, width):
    lines = fold(text, width)
    assert "".join(lines).replace(" ", "") == text.replace("\n", "").replace(" ", "")
    assert all(columns(line) <= width for line in lines)
    assert columns(clip(text, max(width, 4))) <= max(width, 4)


def test_folding_a_long_line_is_linear():
    assert len(fold("x" * 1_000_000, 100)) == 10_000
    assert len(fold("é" * 200_000, 100)) == 2_000
