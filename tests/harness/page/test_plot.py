from __future__ import annotations

from harness.page.plot import DOLLARS, Bar, Bars, Dot, Dots, with_rows


def test_what_has_nothing_to_show_is_left_out():
    shown = [Bars("a", DOLLARS, ("x",), [Bar("one", "1", (1.0,))]), Dots("b", DOLLARS, [Dot("one", "1", 1.0)])]
    assert with_rows([Bars("c", DOLLARS, ("x",), ()), *shown, Dots("d", DOLLARS, ())]) == shown
