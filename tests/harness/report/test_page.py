from __future__ import annotations

from harness.report.page import RED, Page, Style


def lines(write, **style):
    page = Page(Style(**style))
    write(page)
    return page.take()


def test_a_field_hangs_beside_its_label():
    assert lines(lambda page: page.field("text", "one two three four five six", indent=2), width=33) == [
        "  text       one two three four",
        "             five six",
    ]


def test_line_feeds_stay_and_nothing_trails():
    assert lines(lambda page: page.field("text", "a\n\n  b ")) == ["  text       a", "", "               b"]


def test_full_folds_nothing():
    text = "word " * 100 + "end"
    assert lines(lambda page: page.line(text), width=20, full=True) == [text]
    assert lines(lambda page: page.row("head", text, indent=0), width=20, full=True) == [f"head {text}"]


def test_colour_ends_with_each_line():
    assert lines(lambda page: page.line("aaa\nbbb", style=RED), colour=True) == [
        "\x1b[31maaa\x1b[0m", "\x1b[31mbbb\x1b[0m",
    ]  # fmt: skip
    assert lines(lambda page: page.line("aaa", style=RED)) == ["aaa"]


def test_rows_are_one_line_in_which_everything_shows():
    assert lines(lambda page: page.row("  1", "data: a\n\n\x1b", indent=2)) == ["    1 data: a⏎⏎\\x1b"]
    assert lines(lambda page: page.row("1", "x" * 50, indent=0), width=30) == ["1 " + "x" * 25 + "..."]


def test_blank_lines_are_single_and_never_first():
    page = Page(Style())
    page.blank()
    page.line("a")
    first = page.take()
    page.blank()
    page.blank()
    page.line("b")
    assert first + page.take() == ["a", "", "b"]


def test_a_very_narrow_terminal():
    assert all(len(line) <= 40 for line in lines(lambda page: page.field("text", "x" * 200, indent=8), width=1))
