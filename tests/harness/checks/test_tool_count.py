from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.checks.base import judged
from tests.harness.checks.runs import call, check, subject, tool, turn

RUN = subject(call(0, tool("read"), tool("read")), call(1, tool("shell")))

CASES = {
    "exactly": ({"tools": {"read": 2}}, "pass", 1.0, None),
    "exactly, as a table": ({"tools": {"read": {"exactly": 1}}}, "fail", 0.0, "read was called 2 times, not 1"),
    "min": ({"tools": {"read": {"min": 3}}}, "fail", 0.0, "read was called 2 times, not 3 at least"),
    "max": ({"tools": {"shell": {"max": 0}}}, "fail", 0.0, "shell was called 1 time, not 0 at most"),
    "range": ({"tools": {"read": {"min": 1, "max": 2}}}, "pass", 1.0, None),
    "never called": ({"tools": {"write": {"min": 1}}}, "fail", 0.0, "write was called 0 times, not 1 at least"),
    "total": ({"total": {"max": 2}}, "fail", 0.0, "tools were called 3 times, not 2 at most"),
    "never": ({"never": ["shell", "write"]}, "fail", 0.5, "shell was called 1 time, not 0"),
    "never, one": ({"never": "write"}, "pass", 1.0, None),
    "several": ({"tools": {"read": 2, "shell": 0}, "total": 3, "never": "rm"}, "fail", 0.75, "shell was called"),
}


@pytest.mark.parametrize(("keys", "status", "score", "reason"), CASES.values(), ids=CASES)
def test_counts(keys, status, score, reason):
    verdict = judged(check("tool_count", **keys), RUN)
    assert (verdict.status, verdict.score) == (status, score)
    if reason is None:
        assert verdict.reason is None
    else:
        assert verdict.reason.startswith(reason)
        assert verdict.reason.endswith("(read 2, shell 1)")


def test_no_tool_was_called():
    verdict = judged(check("tool_count", total={"min": 1}), subject(call(0)))
    assert verdict.reason == "tools were called 0 times, not 1 at least (no tool was called)"


def test_one_turn():
    run = subject(call(0, tool("a")), call(1, turn=1), turns=[turn(0, (0,)), turn(1, (1,))])
    assert judged(check("tool_count", never="a", turn=1), run).status == "pass"
    assert judged(check("tool_count", never="a"), run).status == "fail"


def test_what_is_not_known_is_an_error():
    assert judged(check("tool_count", never="a"), subject(call(0, ending="not_closed"))).status == "error"


@pytest.mark.parametrize(
    "keys",
    [{}, {"total": {}}, {"total": {"min": 2, "max": 1}}, {"total": {"exactly": 1, "max": 1}}, {"total": -1},
     {"total": True}, {"never": []}, {"tools": {"a": {"least": 1}}}],
)  # fmt: skip
def test_bad_keys(keys):
    with pytest.raises(ValidationError):
        check("tool_count", **keys)


@pytest.mark.parametrize(
    ("keys", "problem"),
    [
        ({"total": {"min": 0}}, "min = 0 is always so"),
        ({"total": True}, "should be a number, or a table"),
        ({"tools": {"read": "3"}}, "should be a number, or a table"),
    ],
)
def test_what_is_refused(keys, problem):
    with pytest.raises(ValidationError, match=problem):
        check("tool_count", **keys)
