from __future__ import annotations

from decimal import Decimal

import pytest
from pydantic import ValidationError

from harness.checks.base import judged
from tests.harness.checks.runs import USAGE, call, check, said, subject, turn


def cents(usage, provider, model, at=None):
    """One cent a call; only model `m` has a price."""
    return Decimal("0.01") if model in ("m", "m-1") else None


SILENT = call(0, usage=None, errors=[{}], complete=False, ending="http_error", status=500)
UNREPORTED = call(1, said("hi"), usage=None)
OTHER = call(1, said("hi"), model="x", answered_by="x")

CASES = {
    "cost": ({"cost_usd": 0.02}, [call(0), call(1)], "pass", None),
    "cost, over": ({"cost_usd": 0.01}, [call(0), call(1)], "fail", "cost_usd 0.02 is more than 0.01"),
    "unpriced": ({"cost_usd": 1}, [call(0), OTHER], "error", "cost_usd: 1 call unpriced: openai/x"),
    "tools of the provider": (
        {"cost_usd": 1}, [call(0, provider_tools={"web_search": 2})], "error", "cost_usd: not priced: 2 web searches",
    ),
    "unpriced, over": ({"cost_usd": 0}, [call(0), OTHER], "fail", "cost_usd over 0.01 is more than 0"),
    "input": ({"input_tokens": 199}, [call(0), call(1)], "fail", "input_tokens 200 is more than 199"),
    "output": ({"output_tokens": 40}, [call(0), call(1)], "pass", None),
    "failed calls take none": ({"input_tokens": 0, "cost_usd": 0}, [SILENT], "pass", None),
    "unreported": ({"input_tokens": 999}, [call(0), UNREPORTED], "error", "input_tokens: 1 call reported no input"),
    "unreported, over": ({"input_tokens": 99}, [call(0), UNREPORTED], "fail", "input_tokens over 100 is more than 99"),
    "one count unreported": (
        {"output_tokens": 9}, [call(0, usage=USAGE | {"output_tokens": None})], "error",
        "output_tokens: 1 call reported no output tokens",
    ),
    "unknown format": (
        {"output_tokens": 9}, [call(0, wire=None, usage=None, ending="ended")], "error",
        "output_tokens: what call 0 answered is not known",
    ),
    "unknown format, cost": (
        {"cost_usd": 9}, [call(0, wire=None, usage=None, ending="ended")], "error",
        "cost_usd: what call 0 answered is not known",
    ),
    "calls": ({"calls": 1}, [call(0), call(1, retry_of=0)], "fail", "calls 2 is more than 1"),
    "iterations": ({"iterations": 1}, [call(0)], "pass", None),
    "seconds": ({"seconds": 9.4}, [call(0)], "fail", "seconds 9.5 is more than 9.4"),
    "first chunk": ({"first_chunk_seconds": 0.25}, [call(0)], "pass", None),
    "first chunk, the slowest": (
        {"first_chunk_seconds": 0.3}, [call(0), call(1, first_chunk=0.5), call(2, first_chunk=None)], "fail",
        "first_chunk_seconds 0.5 is more than 0.3",
    ),
    "no first chunk": (
        {"first_chunk_seconds": 1}, [call(0, first_chunk=None)], "error", "first_chunk_seconds: no call brought",
    ),
    "all that is wrong": (
        {"calls": 0, "input_tokens": 50, "first_chunk_seconds": 1}, [call(0, first_chunk=None)], "fail",
        "input_tokens 100 is more than 50; calls 1 is more than 0; first_chunk_seconds: no call",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("keys", "calls", "status", "reason"), CASES.values(), ids=CASES)
def test_budget(keys, calls, status, reason):
    verdict = judged(check("budget", **keys), subject(*calls, price=cents))
    assert (verdict.status, (verdict.reason or "")[: len(reason or "")] or None) == (status, reason)


@pytest.mark.parametrize(
    ("keys", "fields", "reason"),
    [
        ({"seconds": 1}, {"duration": None}, "seconds: no time is recorded"),
        ({"seconds": 1}, {"source": "import:vcr"}, "seconds: no time is recorded: the recording is an import"),
        ({"first_chunk_seconds": 1}, {"source": "import:vcr"}, "first_chunk_seconds: no time is recorded"),
        ({"iterations": 9}, {"turns": []}, "iterations: no turn is recorded"),
        ({"iterations": 9}, {"turns": [turn(), turn(1, (), iterations=None)]}, "iterations: a turn has no end"),
    ],
)
def test_what_is_not_recorded(keys, fields, reason):
    verdict = judged(check("budget", **keys), subject(call(0), **fields))
    assert verdict.status == "error"
    assert verdict.reason.startswith(reason)


def test_calls_of_a_recording_that_stops_are_not_all():
    inside_a_call = subject(call(0, ending="not_closed"), turns=[])
    verdict = judged(check("budget", calls=1), inside_a_call)
    assert (verdict.status, verdict.reason) == ("error", "calls: the recording stops inside call 0")
    inside_a_turn = subject(call(0), turns=[turn(stop_reason=None)])
    verdict = judged(check("budget", calls=1), inside_a_turn)
    assert (verdict.status, verdict.reason) == ("error", "calls: the recording stops inside turn 0")
    assert judged(check("budget", calls=0), inside_a_turn).status == "fail"


def test_the_score_is_the_worst():
    verdict = judged(check("budget", input_tokens=50, output_tokens=5, calls=1), subject(call(0)))
    assert verdict.score == 0.25
    assert judged(check("budget", calls=1), subject(call(0))).score == 1


@pytest.mark.parametrize("keys", [{}, {"cost_usd": -1}, {"calls": 1.5}, {"tokens": 1}, {"seconds": "1"}])
def test_bad_keys(keys):
    with pytest.raises(ValidationError):
        check("budget", **keys)


def test_it_tells_what_was_spent_whatever_the_verdict():
    given = check("budget", cost_usd=0.02, output_tokens=10)
    verdict = judged(given, subject(call(0), UNREPORTED, price=cents))
    assert [(one.name, one.amount, one.limit, one.more) for one in verdict.spent] == [
        ("cost_usd", Decimal("0.01"), Decimal("0.02"), True), ("output_tokens", Decimal(20), Decimal(10), True),
    ]  # fmt: skip
