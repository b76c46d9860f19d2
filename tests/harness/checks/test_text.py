from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.checks.base import judged
from harness.checks.text import final_text
from tests.harness.checks.runs import call, check, said, subject, tool, turn

TURNS = [turn(0, (0,)), turn(1, (1, 2))]
RUN = subject(call(0, said("first")), call(1, said("wait"), tool("a")), call(2, said("the "), said("end")), turns=TURNS)
ERROR = {"type": "error", "kind": "auth", "message": "no key", "retryable": False}

CASES = {
    "the last call": ({"equals": "the end"}, RUN, "pass", 1.0, None),
    "of a turn": ({"equals": "first", "turn": 0}, RUN, "pass", 1.0, None),
    "half of it": (
        {"contains": ["end", "start"]}, RUN, "fail", 0.5, '"start" is not in "the end"',
    ),
    "without turns": ({"contains": "hi"}, subject(call(0, said("hi")), turns=[]), "pass", 1.0, None),
    "error": (
        {"not_contains": "x"}, subject(call(0, errors=[ERROR], complete=False, ending="http_error")), "fail", 0.0,
        "there is no final text: call 0 ended with auth: no key",
    ),
    "cut": (
        {"contains": "x"}, subject(call(0, complete=False, ending="cancelled")), "fail", 0.0,
        "there is no final text: call 0: cancelled: the client closed it",
    ),
    "only tools": (
        {"contains": "x"}, subject(call(0, tool("a"), tool("b"))), "fail", 0.0,
        "there is no final text: call 0 only called a, b",
    ),
    "nothing": ({"regex": "x"}, subject(call(0)), "fail", 0.0, "there is no final text: call 0 said nothing"),
    "nothing, as expected": ({"equals": ""}, subject(call(0)), "pass", 1.0, None),
    "no call in the turn": (
        {"contains": "x"}, subject(turns=[turn(0, (), stop_reason="context_overflow")]), "fail", 0.0,
        "there is no final text: the turn made no call",
    ),
    "no call": ({"contains": "x"}, subject(turns=[]), "error", None, "the recording has no call"),
    "no such turn": (
        {"contains": "x", "turn": 9}, RUN, "error", None, "there is no turn 9; the recording has 2 turns",
    ),
    "turn without end": (
        {"contains": "x"}, subject(call(0, said("x")), turns=[turn(stop_reason=None)]), "error", None,
        "the recording stops inside turn 0",
    ),
    "call without end": (
        {"contains": "x"}, subject(call(0, said("x"), ending="not_closed"), turns=[]), "error", None,
        "the recording stops inside call 0",
    ),
    "unknown format": (
        {"contains": "x"}, subject(call(0, wire=None, ending="ended"), turns=[]), "error", None,
        "what call 0 answered is not known: its wire format is not known",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("keys", "run", "status", "score", "reason"), CASES.values(), ids=CASES)
def test_text(keys, run, status, score, reason):
    verdict = judged(check("text", **keys), run)
    assert (verdict.status, verdict.score, verdict.reason) == (status, score, reason)


def test_a_paused_answer_is_one_text():
    parts = [call(0, said("no")), call(1, said("one "), stop_reason="pause"), call(2, said("two"))]
    assert final_text(parts) == "one two"


@pytest.mark.parametrize("keys", [{}, {"ignore_case": True}, {"contains": []}, {"regex": "("}, {"equal": "x"}])
def test_bad_keys(keys):
    with pytest.raises(ValidationError):
        check("text", **keys)
