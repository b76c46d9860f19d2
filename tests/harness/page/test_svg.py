"""Drawings: lengths are in proportion to values, unknown is not drawn as 0, and texts stay texts."""

from __future__ import annotations

import pytest

from harness.page.plot import DOLLARS, TOKENS, Axis, Bar, Bars, Dot, Dots
from harness.page.shell import page
from harness.page.svg import WIDTH, figure
from tests.harness.page.drawn import bars, dots, drawn, texts
from tests.harness.page.markup import HOSTILE, assert_sound


def near(value):
    return pytest.approx(value, abs=0.02 * 1e3) if abs(value) > 100 else pytest.approx(value, abs=0.02)


def test_bars_begin_at_zero_and_are_as_long_as_their_values():
    plot = Bars(
        "Tokens", TOKENS, ("input", "output"), [Bar("one", "in 1,000, out 500", (1000, 500)), Bar("two", "0", (0, 0))]
    )
    root = drawn(plot)
    assert bars(root) == [[("c1", near(0), near(1000)), ("c2", near(1000), near(1500))], []]
    assert texts(root, "name") == ["one", "two"]
    assert texts(root, "says") == ["in 1,000, out 500", "0"]
    assert root.all("p", class_="legend")[0].whole == "input output"


def test_the_key_names_what_is_drawn():
    series = ("passed", "failed", "could not be made")
    root = drawn(Bars("Checks", Axis("checks"), series, [Bar("a", "3 of 4", (3, 0, 1)), Bar("b", "?")]))
    assert root.all("p", class_="legend")[0].whole == "passed could not be made"
    assert [one.attributes["class"] for one in root.all("span") if not one.children] == ["key c1", "key c3"]


def test_the_axis_goes_as_far_as_it_is_told_to():
    root = drawn(Bars("Runs", Axis("runs"), ("a",), [Bar("one", "1 of 4", (1,))], least=4))
    assert texts(root, "tick")[:-1] == ["0", "1", "2", "3", "4"]


def test_an_unknown_rest_is_dashed_and_named_and_no_part_of_the_scale():
    plot = Bars(
        "Cost", DOLLARS, ("cost",),
        [Bar("a", "$1", (1.0,)), Bar("b", "$1 + 2 unpriced", (1.0,), more=True), Bar("c", "unpriced", (), more=True)],
        more="not known",
    )  # fmt: skip
    root = drawn(plot)
    one, two, three = bars(root)
    assert one == [("c1", near(0), near(1))]
    assert two[0] == ("c1", near(0), near(1))
    assert [kind for kind, *_ in two] == ["c1", "open"]
    assert [kind for kind, *_ in three] == ["open"]
    assert root.all("p", class_="legend")[0].whole == "not known"
    for rect in root.all("rect"):
        assert float(rect.attributes["x"]) + float(rect.attributes["width"]) <= WIDTH


def test_dots_have_whiskers_where_an_interval_is_known():
    axis = Axis("points", after="%")
    plot = Dots("Rates", axis, [Dot("a", "50%", 50, (30, 70)), Dot("b", "80%", 80), Dot("c", "?", None)], (0, 100))
    root = drawn(plot)
    assert dots(root) == [(near(50), (near(30), near(70))), (near(80), None), (None, None)]
    assert texts(root, "tick")[:-1] == ["0%", "20%", "40%", "60%", "80%", "100%"]
    assert "95% interval" in root.all("p", class_="legend")[0].whole
    without = drawn(Dots("Rates", axis, [Dot("b", "80%", 80)], (0, 100)))
    assert without.all("p", class_="legend")[0].whole == "no interval is known"


def test_the_axis_of_differences_holds_zero():
    root = drawn(Dots("Change", Axis("change", after="%"), [Dot("a", "+20%", 20, (10, 35))]))
    assert len(root.all("path", class_="zero")) == 1
    assert dots(root) == [(near(20), (near(10), near(35)))]


def test_it_can_be_heard():
    root = drawn(Bars("Cost & more", DOLLARS, ("cost",), [Bar("a", "$1", (1.0,))]))
    (svg,) = root.all("svg")
    assert svg.attributes["role"] == "img"
    ids = svg.attributes["aria-labelledby"].split()
    told = [one.whole for one in svg.walk() if one.attributes.get("id") in ids]
    assert told == ["Cost & more", "US dollars. a: $1"]


def test_what_is_left_out_is_counted():
    root = drawn(Bars("Cost", DOLLARS, ("cost",), [Bar("a", "$1", (1.0,))], left_out=1_200))
    assert root.all("p", class_="legend")[0].whole == "1,200 more are not drawn"


def test_long_names_are_cut_in_the_middle_and_told_whole():
    name = "recordings/" + "x" * 90 + "/end.jsonl"
    root = drawn(Bars("Cost", DOLLARS, ("cost",), [Bar(name, "$1", (1.0,)), Bar("語" * 80, "$1", (1.0,))]))
    shown, wide = texts(root, "name")
    assert shown.startswith("recordings/")
    assert shown.endswith("/end.jsonl")
    assert len(shown) < 60
    assert len(wide) < 30
    assert root.all("text", class_="name")[0].all("title")[0].whole == name


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    plots = (
        Bars(text, Axis(text), (text, text), [Bar(text, text, (1.0, 2.0), more=True)], more=text),
        Dots(text, Axis(text), [Dot(text, text, 1.0, (0.0, 2.0))], interval=text),
    )
    body = [line for at, plot in enumerate(plots) for line in figure(plot, f"p{at}")]
    assert_sound(page("x", body, "1"))
