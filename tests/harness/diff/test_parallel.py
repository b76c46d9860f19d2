"""Calls of one response, in whatever order they were asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.diff.compare import compare_steps, counted
from tests.harness.cli.cli import call as command
from tests.harness.diff.runs import run, step, text, tool


def call(path, response=0, output="text"):
    return replace(step("tool_call", name="read", output=output, path=path), call=response)


def counts(one, other):
    found = counted(compare_steps(one, other))
    return tuple(found.values())


A, B, C = call("a"), call("b"), call("c")
SAID = step("text", "now the other")


@pytest.mark.parametrize(
    ("one", "other", "same", "changed", "gone", "new"),
    [
        ([A, B], [B, A], 2, 0, 0, 0),
        ([A, B, C], [C, B, A], 3, 0, 0, 0),
        ([A, A, B], [B, A, A], 3, 0, 0, 0),
        ([A, A, B], [B, A], 2, 0, 1, 0),
        ([A, B], [B, call("a", output="nothing there")], 1, 1, 0, 0),
        ([A, B], [B, C, A], 2, 0, 0, 1),
        ([A, call("b", 1)], [B, call("a", 1)], 1, 0, 1, 1),
        ([A, call("b", 1)], [B, A], 1, 0, 1, 1),
        ([A, SAID, B], [B, SAID, A], 1, 0, 2, 2),
    ],
    ids=["two", "three", "twice", "one less", "another result", "one more", "of two", "of two and of one", "apart"],
)  # fmt: skip
def test_only_within_a_response(one, other, same, changed, gone, new):
    assert counts(one, other) == (same, changed, gone, new)
    assert counts(other, one) == (same, changed, new, gone)


CALLS = st.lists(st.builds(call, st.sampled_from("abcd"), st.just(0)), max_size=6)


@settings(max_examples=200)
@given(CALLS, st.randoms(use_true_random=False))
def test_no_order_of_the_calls_of_a_response_is_a_difference(calls, draw):
    other = [*calls]
    draw.shuffle(other)
    assert counts([SAID, *calls, SAID], [SAID, *other, SAID]) == (len(calls) + 2, 0, 0, 0)


def test_the_exit_status(tmp_path):
    calls = [tool("read", "call_111111", path="a"), tool("list", "call_222222", path=".")]
    one = run(tmp_path / "a.jsonl", calls, [text("end")])
    other = run(tmp_path / "b.jsonl", calls[::-1], [text("end")])
    result = command("diff", one, other)
    assert (result.exit_code, "no step differs (5 steps)" in result.stdout) == (0, True)
