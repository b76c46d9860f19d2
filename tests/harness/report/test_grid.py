from __future__ import annotations

import pytest

from harness.report.grid import grid
from harness.report.text import columns


def test_columns_are_as_wide_as_their_cells():
    rows = [["a", "1"], ["two\nlines\x1b", "1,000"], ["", ""]]
    assert grid(["name", "n"], rows, right=["n"]) == [
        "name               n",
        "-------------  -----",
        "a                  1",
        "two⏎lines\\x1b  1,000",
        "",
    ]


def test_without_rows():
    assert grid(["name", "n"], []) == ["name  n", "----  -"]


def test_blanks_stay():
    assert grid(["a"], [["  x"], ["y"]]) == ["a", "---", "  x", "y"]


ROWS = [["recordings/one-of-them.jsonl", "a name with blanks", "1,000"], ["x" * 30, "short", "1"]]


def test_the_widest_texts_are_folded_until_it_fits():
    assert grid(["recording", "case", "n"], ROWS, ["n"], 47) == [
        "recording             case                    n",
        "--------------------  ------------------  -----",
        "recordings/one-of-    a name with blanks  1,000",
        "them.jsonl",
        "xxxxxxxxxxxxxxxxxxxx  short                   1",
        "xxxxxxxxxx",
    ]


@pytest.mark.parametrize("width", [47, 57, 200, None])
def test_no_line_is_wider_than_the_terminal(width):
    lines = grid(["recording", "case", "n"], ROWS, ["n"], width)
    assert max(map(len, lines)) <= (width or 57)
    assert (len(lines) == 4) == (width != 47)


def test_figures_are_left_whole():
    assert grid(["a", "b"], [["1,000,000", "2"]], ["a", "b"], 5) == ["        a  b", "---------  -", "1,000,000  2"]


def test_wide_characters_take_their_room():
    assert grid(["task", "n"], [["\u8336" * 3, "1"], ["tea", "2"]]) == [
        "task    n", "------  -", "\u8336\u8336\u8336  1", "tea     2",
    ]  # fmt: skip
    lines = grid(["task"], [["\u8336" * 20]], (), 20)
    assert [columns(line) for line in lines] == [4, 20, 20, 20]
