from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.checks.base import judged
from tests.harness.checks.runs import call, check, subject, turn

ERROR = {"type": "error", "kind": "rate_limit", "message": "slow down", "retryable": True}
RETRIED = (call(0, errors=[ERROR], complete=False, ending="http_error"), call(1, retry_of=0))
TWO = {"turns": [turn(0, (0,), stop_reason="length"), turn(1, (1,))]}

STOP = {
    "last turn": ({"equals": "stop"}, subject(call(0), call(1), **TWO), "pass", None),
    "one of": ({"equals": ["length", "stop"]}, subject(call(0)), "pass", None),
    "a turn": ({"equals": "stop", "turn": 0}, subject(call(0), **TWO), "fail", "turn 0 stopped with length, not stop"),
    "several": (
        {"equals": ["stop", "refusal"], "turn": 0}, subject(call(0), **TWO), "fail",
        "turn 0 stopped with length, not stop or refusal",
    ),
    "without turns": ({"equals": "length"}, subject(call(0), turns=[]), "fail", "call 0 stopped with stop, not length"),
    "no call": ({"equals": "stop"}, subject(turns=[]), "error", "the recording has no call"),
    "no such turn": (
        {"equals": "stop", "turn": 3}, subject(), "error", "there is no turn 3; the recording has 1 turn",
    ),
    "turn without end": (
        {"equals": "stop"}, subject(turns=[turn(stop_reason=None)]), "error",
        "the recording does not say why turn 0 stopped",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("keys", "run", "status", "reason"), STOP.values(), ids=STOP)
def test_stop_reason(keys, run, status, reason):
    verdict = judged(check("stop_reason", **keys), run)
    assert (verdict.status, verdict.reason) == (status, reason)


@pytest.mark.parametrize("keys", [{}, {"equals": "done"}, {"equals": []}, {"equals": ["stop", "x"]}])
def test_bad_stop_reasons(keys):
    with pytest.raises(ValidationError):
        check("stop_reason", **keys)


CUT = call(0, complete=False, ending="truncated")
COMPLETE = {
    "whole": (subject(call(0), call(1)), "pass", None),
    "tried again": (subject(*RETRIED), "pass", None),
    "cut": (subject(CUT), "fail", "call 0: truncated: it ended without its end mark"),
    "not the last": (subject(CUT, call(1)), "fail", "call 0: truncated: it ended without its end mark"),
    "cancelled between calls": (
        subject(call(0), turns=[turn(cancelled=True, stop_reason="cancelled")]), "fail", "turn 0 was cancelled",
    ),
    "turn without end": (subject(call(0), turns=[turn(stop_reason=None)]), "fail", "turn 0 has no end"),
    "no call": (subject(turns=[]), "error", "the recording has no call"),
    "unknown format": (
        subject(call(0, wire=None, complete=False, ending="ended")), "error",
        "call 0 ended; of this format nothing tells whether it is whole",
    ),
    "not closed": (
        subject(call(0, complete=False, ending="not_closed")), "fail",
        "call 0: the recording stops inside this call",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("run", "status", "reason"), COMPLETE.values(), ids=COMPLETE)
def test_complete(run, status, reason):
    verdict = judged(check("complete"), run)
    assert (verdict.status, verdict.reason) == (status, reason)


FAILED = {"position": 0, "id": "c", "name": "shell", "ok": False, "output": "exit 1", "duration": 0.1}
NO_ERROR = {
    "none": ({}, subject(call(0)), "pass", None),
    "tried again": ({}, subject(*RETRIED), "pass", None),
    "tried again, counted": ({"retried": True}, subject(*RETRIED), "fail", "call 0: rate_limit: slow down"),
    "error": ({}, subject(call(0, errors=[ERROR])), "fail", "call 0: rate_limit: slow down"),
    "told once": (
        {}, subject(call(0, errors=[ERROR]), turns=[turn(errors=[ERROR])]), "fail", "call 0: rate_limit: slow down",
    ),
    "of the turn": (
        {}, subject(call(0), turns=[turn(errors=[ERROR])]), "fail", "turn 0: rate_limit: slow down",
    ),
    "unknown format": (
        {}, subject(call(0, wire=None, ending="reset", ending_detail="ReadError")), "fail",
        "call 0: connection lost (ReadError)",
    ),
    "unknown format, whole": (
        {}, subject(call(0, wire=None, ending="ended")), "error",
        "what call 0 answered is not known: its wire format is not known",
    ),
    "a failed tool": ({}, subject(call(0, tool_results=[FAILED])), "pass", None),
    "a failed tool, counted": (
        {"tools": True}, subject(call(0, tool_results=[{**FAILED, "ok": True}, FAILED])), "fail",
        'call 0: the tool shell failed: "exit 1"',
    ),
    "many": (
        {}, subject(*(call(number, errors=[ERROR]) for number in range(5))), "fail",
        "call 0: rate_limit: slow down; call 1: rate_limit: slow down; call 2: rate_limit: slow down; 2 more",
    ),
    "cancelled": ({}, subject(call(0, complete=False, ending="cancelled")), "pass", None),
    "no call": ({}, subject(turns=[]), "error", "the recording has no call"),
    "not closed": ({}, subject(call(0, ending="not_closed")), "error", "the recording stops inside call 0"),
}  # fmt: skip


@pytest.mark.parametrize(("keys", "run", "status", "reason"), NO_ERROR.values(), ids=NO_ERROR)
def test_no_error(keys, run, status, reason):
    verdict = judged(check("no_error", **keys), run)
    assert (verdict.status, verdict.reason) == (status, reason)


def test_an_http_error_is_one_in_any_format():
    run = subject(call(0, wire=None, status=500, ending="ended", complete=False, stop_reason=None))
    assert judged(check("no_error"), run).reason == "call 0: HTTP 500"
    again = subject(call(0, wire=None, status=500, ending="ended", complete=False), call(1, retry_of=0))
    assert judged(check("no_error"), again).status == "pass"
