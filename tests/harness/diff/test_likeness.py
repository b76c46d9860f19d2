"""Which steps may be one step that changed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.diff.align import ALIKE
from harness.diff.likeness import FLOOR, StepLikeness, likeness
from tests.harness.diff.runs import long_run, step


@pytest.mark.parametrize(
    ("one", "other", "pair"),
    [
        (step("text", "the answer is four"), step("text", "the answer is five"), True),
        (step("text", "the answer is four"), step("text", "I cannot tell you that"), False),
        (step("text", "the answer"), step("reasoning", "the answer"), False),
        (step("tool_call", name="read", path="a.py"), step("tool_call", name="read", path="notes"), True),
        (step("tool_call", name="read", path="a.py"), step("tool_call", name="read", query="notes"), False),
        (step("tool_call", name="read", path="a.py"), step("tool_call", name="open", path="a.py"), True),
        (step("tool_call", name="read", path="a.py"), step("tool_call", name="run", command="ls"), False),
        (step("tool_call", name="read", n=1), step("tool_call", name="read", n=2), True),
        (step("tool_call", name="read", output="x"), step("tool_call", name="read", output="y"), True),
        (step("stop", "stop"), step("stop", "length"), True),
        (step("input", "one"), step("input", "two"), True),
        (step("error", "too many", name="rate_limit"), step("error", "wait", name="rate_limit"), True),
        (step("error", "too many", name="rate_limit"), step("error", "no", name="auth"), False),
        (step("opaque", "web_search"), step("opaque", "thinking"), False),
    ],
    ids=[
        "texts", "other texts", "kinds", "other argument", "other arguments", "renamed tool", "other tool", "number",
        "result", "stops", "inputs", "errors", "other errors", "opaque",
    ],
)  # fmt: skip
def test_pairs(one, other, pair):
    assert (likeness(one, other) >= FLOOR) is pair
    assert (StepLikeness([one], [other])(0, 0) > 0) is pair


STEPS = st.sampled_from(long_run(30, 1))


@settings(max_examples=50)
@given(STEPS, STEPS)
def test_it_is_a_share_and_the_same_both_ways(one, other):
    assert 0 <= likeness(one, other) == likeness(other, one) <= 1
    assert likeness(one, one) == 1
    assert StepLikeness([one], [other])(0, 0) < ALIKE


def test_what_a_call_has_more_in_common_makes_it_more_alike():
    one = step("tool_call", name="read", output="a b c", path="src/a.py", lines=[1, 2])
    nearer = step("tool_call", name="read", output="a b d", path="src/a.py", lines=[1, 3])
    farther = step("tool_call", name="read", output="x", path="src/b.py", lines=[7])
    assert likeness(one, nearer) > likeness(one, farther) > 0


def test_inputs_that_are_no_objects():
    one, other = (replace(step("tool_call", name="read"), input=value) for value in ([1, 2], "a"))
    assert likeness(one, one) == 1
    assert 0 < likeness(one, other) < 1
