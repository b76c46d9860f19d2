from __future__ import annotations

from harness.sweep.cases import Cut, Whole
from harness.sweep.tally import Broken, Example, Tally
from tests.harness.sweep.swept import chat

STREAM = chat({"content": "a"})


def test_the_first_counter_example_is_kept_and_all_are_counted():
    tally = Tally()
    tally.add(STREAM, Whole(), [("raises", None), ("usage", None)])
    tally.add(STREAM, Cut(1, 0, "eof"), [("raises", None), ("usage", "none")], times=3)
    tally.add(STREAM, Cut(2, 0, "eof"), [("usage", "two")])
    assert tally.cases == {"whole": 1, "cut": 4}
    assert tally.checked == {"raises": 4, "usage": 5}
    assert tally.broken == {"usage": Broken("usage", Example(STREAM, Cut(1, 0, "eof"), "none"), 4)}


def test_tallies_add_up():
    one, other = Tally(), Tally()
    one.add(STREAM, Whole(), [("usage", None)])
    other.add(STREAM, Whole(), [("usage", "x"), ("raises", "y")])
    one += other
    one += other
    assert (one.cases["whole"], one.checked["usage"], one.broken["usage"].times) == (3, 3, 2)
