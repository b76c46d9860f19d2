"""Two runs step by step."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.diff.compare import compare_steps, counted, first_divergence, step_differences
from harness.differences import MISSING
from tests.harness.diff.runs import long_run, step

NEW = step("tool_call", name="search", output="3 hits", query="something nobody asked for")


def check_exactly(one, gone, at):
    """Of `one` without `gone` and with `NEW` at `at`: those are told, and nothing else. Of steps that are the same any
    may be the one that is gone."""
    other = [item for index, item in enumerate(one) if index not in gone]
    other.insert(at, NEW)
    changes = compare_steps(one, other)
    removed = [change.one for change in changes if change.status == "removed"]
    assert sorted(item.key for item in removed) == sorted(one[index].key for index in gone)
    assert [change.other for change in changes if change.status == "added"] == [NEW]
    assert counted(changes) == {"same": len(one) - len(gone), "changed": 0, "removed": len(gone), "added": 1}


@pytest.mark.parametrize("seed", range(20))
def test_200_steps_of_which_5_were_deleted_and_1_inserted(seed):
    draw = random.Random(seed)
    check_exactly(long_run(200, seed), {*draw.sample(range(200), 5)}, draw.randrange(196))


@pytest.mark.parametrize("at", [0, 1, 97, 194, 195])
@pytest.mark.parametrize(
    "gone",
    [{0, 1, 2, 3, 4}, {195, 196, 197, 198, 199}, {95, 96, 97, 98, 99}, {0, 1, 100, 198, 199}, {0, 2, 4, 6, 8}],
    ids=["first", "last", "adjacent", "both ends", "every other"],
)
def test_at_the_ends_and_beside_one_another(gone, at):
    check_exactly(long_run(200, 4), gone, at)


@settings(max_examples=25)
@given(st.integers(0, 120), st.randoms(use_true_random=False))
def test_a_run_without_a_random_part_of_it(size, draw):
    one = long_run(size, 8)
    kept = [item for item in one if draw.random() < 0.6]
    assert counted(compare_steps(one, one))["same"] == size
    found = counted(compare_steps(one, kept))
    assert found == {"same": len(kept), "changed": 0, "removed": size - len(kept), "added": 0}


@settings(max_examples=25)
@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 5))
def test_the_other_way_round(size, other_size, seed):
    one, other = long_run(size, seed), long_run(other_size, 6)
    there = [(c.status, c.one, c.other) for c in compare_steps(one, other)]
    swap = {"same": "same", "changed": "changed", "removed": "added", "added": "removed"}
    back = [(swap[c.status], c.other, c.one) for c in compare_steps(other, one)]
    assert sorted(map(repr, there)) == sorted(map(repr, back))


def test_first_divergence_and_numbers():
    one = [step("text", "a"), step("text", "the long answer is b"), step("stop", "stop")]
    other = [step("text", "a"), step("text", "the long answer is c"), step("stop", "stop")]
    changes = compare_steps(one, other)
    first = first_divergence(changes)
    assert first is changes[1]
    assert (first.number, first.status, first.step) == (1, "changed", one[1])
    assert first_divergence(compare_steps(one, one)) is None


def call(**fields):
    return step("tool_call", **{"name": "read", "output": "text", **fields})


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (step("text", "a"), step("text", "b"), [("text", "a", "b")]),
        (call(path="a", deep={"x": [1, 2]}), call(deep={"x": [1, 3]}, path="a"), [("input.deep.x[1]", 2, 3)]),
        (call(path="a"), call(path="a", limit=5), [("input.limit", MISSING, 5)]),
        (call(n=1), call(n=1.0), []),
        (call(n=1), call(n=True), [("input.n", 1, True)]),
        (call(n=[1, {"m": 2.0}]), call(n=[1.0, {"m": 2}]), []),
        (call(n=1), call(n=1, name="open"), [("name", "read", "open")]),
        (call(n=1), call(n=1, output=None), [("ok", True, MISSING), ("output", "text", MISSING)]),
        (step("error", "no", name="auth"), step("error", "wait", name="billing"),
         [("name", "auth", "billing"), ("text", "no", "wait")]),
    ],
    ids=["text", "path", "one has it", "1 == 1.0", "true != 1", "inside", "name", "no result", "error"],
)  # fmt: skip
def test_what_differs(one, other, expected):
    assert [tuple(found) for found in step_differences(one, other)] == expected
