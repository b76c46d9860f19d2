from __future__ import annotations

import pytest

import harness
from harness.report import phrases
from harness.report.facts import recording_facts
from tests.harness.report.session import session, write


@pytest.fixture
def facts(tmp_path):
    return recording_facts(harness.open(write(tmp_path / "x.jsonl", session())))


def test_of_a_recording(facts):
    assert phrases.recorded(facts) == "2026-01-02 03:04:05.678 UTC by trajectory-harness 0.1.0"
    assert phrases.ending(facts) == "ok (stop reason: stop)"
    assert phrases.work(facts.totals) == "4 calls (1 retry) in 1 turn, 2 tool calls (1 failed), 1 error"
    assert phrases.tools_used(facts.totals) == "read 2"


def test_of_a_turn(facts):
    (turn,) = facts.turns
    assert phrases.model_of(turn) == "openai/m at http://h/v1"
    assert phrases.finish(turn) == "stop after 2 iterations"
    turn.stop_reason, turn.iterations, turn.base_url = "length", None, None
    assert phrases.finish(turn) == "length (the answer was cut off at the output limit) after ? iterations"
    assert phrases.model_of(turn) == "openai/m"


def test_of_a_call(facts):
    failed, _, answered, foreign = facts.calls
    assert phrases.response(failed) == ["429", "an HTTP error instead of an answer", *phrases.response(failed)[2:]]
    assert phrases.response(failed)[-1].startswith("1 chunk, ")
    assert phrases.error_line(failed.errors[0]) == "slow down [rate_limit]"
    assert phrases.stopped(answered) == "stop"
    answered.stop_reason_raw = "end_turn"
    assert phrases.stopped(answered) == "stop (end_turn)"
    assert phrases.skipped(foreign) == ""
    foreign.malformed, foreign.unknown = 1, {"novel": 2}
    assert phrases.skipped(foreign) == "2 of the unknown type novel, 1 payload that is no JSON object"
    foreign.status = foreign.first_chunk = foreign.duration = None
    assert phrases.response(foreign) == ["ended; of this format nothing tells whether it is whole"]


def test_of_a_tool_and_of_the_loop(facts):
    assert [phrases.result(found) for found in facts.calls[1].tool_results] == [
        "read ok in 0.250 s",
        "read failed in 0.250 s",
    ]
    assert phrases.opaque({"what": "compaction"}) == "compaction: kept for the provider, not readable"
    assert phrases.notice({"what": "novel"}) == '{"what":"novel"}'
    assert phrases.cancelled({"events": 1}) == "the reader left after 1 loop event"
    assert phrases.error_line({}) == " [?]"
