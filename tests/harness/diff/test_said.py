"""Steps and differences in lines of text."""

from __future__ import annotations

import pytest

from harness.diff.compare import compare_steps
from harness.diff.said import WIDTH, described, difference_lines, difference_text, marked, place, step_lines
from harness.diff.words import Piece
from harness.differences import MISSING, Difference
from harness.report.text import columns
from tests.harness.diff.runs import step


def test_an_account():
    one = [step("input", "go"), step("tool_call", name="read", output="text", path="a"), step("text", "gone for good")]
    other = [
        step("input", "go"),
        step("tool_call", name="read", output="text", path="b"),
        step("error", "no", name="auth"),
    ]
    assert step_lines(compare_steps(one, other)) == [
        "  1 step the same",
        "! 1 turn 0, call 0: tool call read",
        '!   input.path: "a" -> "b"',
        "- 2 turn 0, call 0: text: gone for good",
        "+ 3 turn 0, call 0: error auth: no",
    ]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (("input.n", 1, MISSING), "input.n: 1 -> nothing"),
        (("text", "one word", "one two word"), "text: one {+two +}word"),
        (("output", "a", "b"), 'output: "a" -> "b"'),
        (("ok", True, False), "ok: true -> false"),
        (("text", "昨日は雨", "今日は雨"), "text: [-昨-]{+今+}日は雨"),
        (("text", "one\ntwo", "one\nthree"), "text: one\n[-two-]{+three+}"),
    ],
)
def test_a_difference(given, expected):
    assert difference_text(Difference(*given)) == expected


def test_what_is_far_from_a_difference_is_left_out_unless_all_is_asked_for():
    pieces = [Piece("=", "a" * 99), Piece("-", "x"), Piece("=", "b" * 99), Piece("+", "y"), Piece("=", "c" * 99)]
    near = "..." + "a" * 40 + "[-x-]" + "b" * 40 + " ... " + "b" * 40 + "{+y+}" + "c" * 40 + "..."
    assert marked(pieces) == near
    assert marked(pieces, full=True) == "a" * 99 + "[-x-]" + "b" * 99 + "{+y+}" + "c" * 99


def test_long_lines_are_folded_each_with_its_sign_and_cannot_steer_a_terminal():
    lines = step_lines(compare_steps([], [step("text", "word " * 50 + "\x1b[2J")]))
    assert len(lines) > 1
    assert all(line.startswith("+ ") and columns(line) <= WIDTH + 2 for line in lines)
    assert "\x1b" not in "".join(lines)
    (line,) = step_lines(compare_steps([], [step("text", "word " * 50)]), full=True)
    assert line.count("word") == 50


def test_a_call_without_a_result_and_a_step_without_a_place():
    assert described(step("tool_call", name="read", path="a")) == 'tool call read {"path":"a"} -> no result'
    assert place(step("text", "a")) == "turn 0, call 0"


def test_differences_of_settings_are_folded_too():
    long = [Difference("turns[1]", {"system": "word " * 60}, MISSING)]
    lines = difference_lines(long)
    assert len(lines) == 2
    assert all(line.startswith("! ") and columns(line) <= WIDTH + 2 for line in lines)
    assert len(difference_lines(long, full=True)) == 1
