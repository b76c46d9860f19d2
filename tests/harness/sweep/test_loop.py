"""The loop under the sweep: recordings and fixtures hold, and bugs planted in the loop are caught."""

from __future__ import annotations

from dataclasses import replace

import pytest

import agent.answer
import agent.steps
import harness
from agent.events import End
from agent.retry import should_retry
from harness.sweep.cases import Cut, Drop, Leave, Slow, Status, Whole
from harness.sweep.loop import breaks_turn, sweep_turn
from harness.sweep.plan import Plan
from harness.sweep.turns import turn_of_fixture, turn_of_recording
from tests.harness.sweep.swept import ROOT, called, chat, fixture

CALL = chat(called('{"path": "a"}'), stop="tool_calls", usage={"prompt_tokens": 5, "completion_tokens": 2})
"""One call, whole long before the end mark."""

TEXT = chat({"content": "Hel"}, {"content": "lo"})
RECORDINGS = ["openai-chat-parallel-calls", "anthropic-retry", "openai-responses-tool-call", "gemini-parallel-calls"]


def swept(stream):
    return sweep_turn(turn_of_fixture(stream), Plan().source(0))


def test_every_kind_of_case_is_played():
    tally = swept(CALL)
    assert {*tally.cases} == {
        "whole", "cut", "chunks", "slow", "status", "drop", "double", "swap", "corrupt", "fail", "leave",
    }  # fmt: skip
    assert set(tally.checked.values()) == {tally.cases.total()}
    assert tally.broken == {}


@pytest.mark.parametrize("name", RECORDINGS)
def test_recorded_turns_hold(name):
    recording = harness.open(ROOT / "recordings" / f"{name}.jsonl")
    for recorded in recording.turns:
        turn = turn_of_recording(recorded)
        tally = sweep_turn(turn, Plan().source(0))
        assert tally.broken == {}
        assert tally.cases.total() > 80


def test_the_same_seed_gives_the_same_cases():
    assert swept(TEXT) == swept(TEXT)


def test_calls_of_a_response_without_its_end_are_not_run(monkeypatch):
    monkeypatch.setattr(agent.steps, "RUNS_CALLS", {"stop", "tool_calls", "truncated", "error"})
    broken = swept(CALL).broken["half-built"]
    assert "its response ended truncated" in broken.first.reason


def test_an_end_without_done(monkeypatch):
    finish = agent.steps.Steps._finish
    monkeypatch.setattr(agent.steps.Steps, "_finish", lambda self, stop: (finish(self, stop), self.out.pop()))
    assert "turn-end" in swept(TEXT).broken


def test_a_stream_that_stays_open(monkeypatch):
    kept = []

    async def forget(self):
        kept.append(self._stream)
        self._stream = None

    monkeypatch.setattr(agent.steps.Steps, "_end_stream", forget)
    broken = swept(TEXT).broken["left-open"]
    assert isinstance(broken.first.case, Leave)


def test_a_retry_after_output(monkeypatch):
    monkeypatch.setattr(
        agent.answer,
        "should_retry",
        lambda error, attempt, had_output, limits: should_retry(error, attempt, False, limits),
    )
    broken = swept(TEXT).broken["goes-on"]
    assert "loop event" in broken.first.reason


def test_a_result_that_is_lost(monkeypatch):
    answered = agent.steps.Steps._answered

    def lose(self, call, result):
        answered(self, call, result)
        self.out.pop()

    monkeypatch.setattr(agent.steps.Steps, "_answered", lose)
    assert "results" in swept(CALL).broken


def test_an_exception_is_a_broken_law(monkeypatch):
    def crash(self, *given):
        raise RuntimeError("the loop broke")

    monkeypatch.setattr(agent.steps.Steps, "_keep", crash)
    assert swept(TEXT).broken["turn-raises"].first.reason == "RuntimeError: the loop broke"


@pytest.mark.parametrize(
    "case",
    [
        Whole(), Cut(0, 0, "reset"), Cut(2, 9, "eof"), Drop(1, "timeout"), Slow(1, 299), Slow(1, 301), Status(529),
        Status(500, stays=True), Leave(2),
    ],
    ids=lambda case: case.says(),
)  # fmt: skip
def test_one_case_at_a_time(case):
    turn = turn_of_fixture(CALL)
    for law in ("turn-raises", "turn-end", "half-built", "results", "left-open", "goes-on"):
        assert breaks_turn(law, turn, 0, CALL, case) is None


def test_a_reply_that_never_came():
    turn = replace(
        turn_of_fixture(TEXT), replies=(End("error", "ConnectError", "refused"), TEXT), repeats=(False, True)
    )
    tally = sweep_turn(replace(turn, full=(None, *turn.full)), Plan().source(0))
    assert tally.broken == {}
    assert tally.cases["leave"] > 0


@pytest.mark.parametrize(
    "name",
    ["http-errors/openai-rate-limit.body", "anthropic/server-tools-pause.sse", "gemini/prompt-blocked.sse"],
)
def test_other_ends(name):
    assert swept(fixture(name)).broken == {}
