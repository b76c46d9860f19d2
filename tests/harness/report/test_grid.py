from __future__ import annotations

from harness.report.grid import grid


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
