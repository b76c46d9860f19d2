from __future__ import annotations

import pytest

from harness.page.plot import DOLLARS, Bar, Bars, Dot, Dots, with_rows

UNKNOWN = Bar("two", "unpriced", (), more=True)


def test_what_has_nothing_to_show_is_left_out():
    shown = [Bars("a", DOLLARS, ("x",), [Bar("one", "1", (1.0,))]), Dots("b", DOLLARS, [Dot("one", "1", 1.0)])]
    assert with_rows([Bars("c", DOLLARS, ("x",), ()), *shown, Dots("d", DOLLARS, ())]) == shown


@pytest.mark.parametrize(
    ("plot", "kept"),
    [
        (Bars("a", DOLLARS, ("x",), [UNKNOWN]), False), (Dots("a", DOLLARS, [Dot("one", "?", None)]), False),
        (Bars("a", DOLLARS, ("x",), [UNKNOWN, Bar("one", "0", (0.0,))]), True),
    ],
)  # fmt: skip
def test_a_plot_of_nothing_that_is_known_is_left_out(plot, kept):
    assert with_rows([plot]) == ([plot] if kept else [])
