"""Steps and differences as JSON."""

from __future__ import annotations

import pytest

from harness.diff.compare import compare_steps
from harness.diff.data import change_data, differences_data, step_data
from harness.differences import MISSING, Difference
from tests.harness.diff.runs import step

PLACE = {"turn": 0, "call": 0}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (None, None),
        (step("text", "a"), PLACE | {"text": "a"}),
        (step("error", "no", name="auth"), PLACE | {"error": "auth", "text": "no"}),
        (step("tool_call", name="read", output="x", path="a"),
         PLACE | {"name": "read", "input": {"path": "a"}, "unparsed": False, "ok": True, "output": "x"}),
    ],
    ids=["none", "text", "error", "call"],
)  # fmt: skip
def test_a_step(given, expected):
    assert step_data(given) == expected


def test_a_side_without_a_value_has_no_member():
    found = differences_data([Difference("a", None, MISSING), Difference("b", MISSING, 1)])
    assert found == [{"path": "a", "one": None}, {"path": "b", "other": 1}]


def test_a_change():
    (change,) = compare_steps([], [step("text", "a")])
    assert change_data(change) == {
        "number": 0, "status": "added", "kind": "text", "one": None, "other": PLACE | {"text": "a"}, "differences": [],
    }  # fmt: skip
