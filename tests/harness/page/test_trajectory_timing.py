from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.page.trajectory_timing import Bar, Scale, call_bar, timing, tool_bar
from harness.recording.contents import Call, Request
from harness.report.call_facts import call_facts
from harness.report.figures import seconds
from tests.harness.page.markup import parsed

SPANS = st.lists(
    st.tuples(st.floats(0, 1e5), st.floats(0, 1e3)).map(lambda pair: (pair[0], pair[0] + pair[1])),
    min_size=1,
    max_size=20,
)


@given(SPANS)
def test_later_is_never_further_left(spans):
    scale = Scale(spans)
    times = sorted(time for span in spans for time in span)
    places = [scale.place(time) for time in times]
    assert all(0 <= place <= 100 for place in places)
    assert all(one <= other + 1e-6 for one, other in pairwise(places))
    assert places[0] == 0
    assert places[-1] == pytest.approx(100, abs=1e-3) or times[0] == times[-1]


@given(SPANS)
def test_what_ran_is_to_scale(spans):
    """A second is as wide in one span as in another."""
    scale = Scale(spans)
    wide = [(scale.place(end) - scale.place(start), end - start) for start, end in spans if end - start > 1]
    for width, length in wide:
        assert width * wide[0][1] == pytest.approx(wide[0][0] * length, rel=1e-3, abs=1e-2)


def test_long_idle_time_is_cut_out_and_said():
    scale = Scale([(0.0, 1.0), (61.0, 62.0)])
    assert [gap[2] for gap in scale.gaps] == [60.0]
    assert scale.place(1.0) == pytest.approx(48.5)
    assert scale.place(31.0) == pytest.approx(50.0)
    assert Scale([(0.0, 10.0), (11.0, 12.0)]).gaps == []
    bars = [Bar("a", "one", "call", 0, 0.0, 0.5, 1.0), Bar("b", "two", "call", 0, 61.0, None, 62.0)]
    assert "60.000 s idle" in parsed(timing(bars)).whole


@pytest.mark.parametrize(("calls", "told", "drawn"), [(3, "cut out (grey): 60.000 s idle and 1 more", 2),
                                                      (12, "cut out: 60.000 s idle and 10 more", 0)])  # fmt: skip
def test_idle_times_are_drawn_where_they_are_few(calls, told, drawn):
    bars = [Bar(str(at), "one", "call", 0, 61.0 * at, None, 61.0 * at + 1) for at in range(calls)]
    root = parsed(timing(bars))
    assert told in root.whole
    assert all(len(row.all("rect", class_="gap")) == drawn for row in root.all("a"))


def test_parallel_calls_stand_side_by_side():
    bars = [Bar("a", "one", "call", 0, 1.0, 1.5, 3.0, 2.0), Bar("b", "two", "call", 0, 1.0, 2.0, 3.0, 2.0)]
    rows = parsed(timing(bars)).all("a")
    edges = [[rect.attributes["x"] for rect in row.all("rect")] for row in rows]
    assert edges == [["0.000%", "25.000%"], ["0.000%", "50.000%"]]
    assert [row.whole for row in rows] == ["one 2.000 s", "two 2.000 s"]


def test_unknown_times_are_no_zeros():
    bars = [
        Bar("t", "turn 0", "turn"),
        Bar("a", "one", "call", 0, 1.0, None, None),
        Bar("b", "two", "call", 0, 1.0, 2.0, 5.0),
    ]
    turn, one, _ = parsed(timing(bars)).all("a")
    assert turn.all("svg") == []
    assert one.whole == "one ? s"
    assert timing([]) == ""


def test_times_are_those_that_are_told_elsewhere():
    """150 + 0.0025 - 150 would be shown as 0.002."""
    facts = call_facts(Call(0, Request("POST", "http://h", [], {}, {}), 150.0), [])
    bar = call_bar("a", replace(facts, duration=0.0025), 0)
    assert parsed(timing([bar])).all("a")[0].whole == f"call 0 {seconds(0.0025)}"


@pytest.mark.parametrize("ok", [True, False])
def test_a_tool_ends_when_its_result_was_told(ok):
    result = {"name": "read", "ok": ok, "duration": 0.5, "ended": 2.0}
    bar = tool_bar("a", result, 1)
    assert (bar.start, bar.end, bar.kind) == (1.5, 2.0, "tool" if ok else "failed")
    (row,) = parsed(timing([bar])).all("a")
    assert [rect.attributes["class"] for rect in row.all("rect")] == ["run"]
    unknown = tool_bar("a", result | {"duration": None}, 1)
    assert parsed(timing([unknown])).all("rect") == []
