from __future__ import annotations

import pickle

import pytest

from agent.providers.openai_chat import ChatDecoder
from harness.sweep.plan import Plan
from harness.sweep.sweep import SAYS, Swept, sweep_file
from tests.harness.sweep.swept import FIXTURES, ROOT

RECORDINGS = ROOT / "recordings"


@pytest.mark.parametrize(
    "path",
    [
        RECORDINGS / "gemini-parallel-calls.jsonl",
        RECORDINGS / "anthropic-retry.jsonl",
        FIXTURES / "gemini" / "session-answer.sse",
    ],
    ids=lambda path: path.stem,
)
def test_a_file(path):
    swept = sweep_file(path, Plan(1, 30))
    assert (swept.fault, swept.broken, swept.left_out) == (None, [], [])
    assert swept.calls >= swept.turns >= 1
    assert {*swept.tally.checked} <= {*SAYS}
    assert pickle.loads(pickle.dumps(swept)) == swept


def test_one_part():
    path = RECORDINGS / "gemini-text.jsonl"
    adapters, loop = (sweep_file(path, Plan(0, 5), [part]) for part in ("adapters", "loop"))
    assert (adapters.tallies["loop"].cases.total(), loop.tallies["adapters"].cases.total()) == (0, 0)
    assert "half-built" in loop.tally.checked
    assert "prefix" in adapters.tally.checked


def test_the_sample_is_shared_by_the_calls_of_a_file():
    swept = sweep_file(RECORDINGS / "openai-chat-tool-call.jsonl", Plan(0, 40), ["adapters"])
    borders = 46 + 19 + 2
    assert 4 * borders < swept.tally.cases["cut"] <= 4 * (borders + 41)


def test_calls_without_a_response_are_left_out():
    swept = sweep_file(RECORDINGS / "openai-chat-unreachable.jsonl", Plan())
    assert swept.left_out == ["calls 0, 1, 2, 3: no response came"]
    assert (swept.calls, swept.tally.cases.total(), swept.fault) == (0, 0, None)


@pytest.mark.parametrize("name", ["no.jsonl", "no.sse", "bad.jsonl", "bad.body"])
def test_a_file_that_cannot_be_used(tmp_path, name):
    path = tmp_path / name
    if name.startswith("bad"):
        path.write_bytes(b"\x00\xff{")
    assert isinstance(sweep_file(path, Plan()).fault, str)


def test_a_fault_of_this_program_is_one_of_the_file(monkeypatch):
    monkeypatch.setattr("harness.sweep.sweep.sweep_stream", lambda *given: 1 / 0)
    fault = sweep_file(RECORDINGS / "gemini-text.jsonl", Plan()).fault
    assert fault.endswith("please report it: ZeroDivisionError: division by zero")


def test_the_smallest_counter_examples(monkeypatch):
    monkeypatch.setattr(ChatDecoder, "_close", lambda self: None)
    swept = sweep_file(RECORDINGS / "openai-chat-parallel-calls.jsonl", Plan(0, 10))
    broken = {broken.law: broken for broken in swept.broken}
    assert len(broken["kept"].small.stream.pieces) < len(broken["kept"].first.stream.pieces)
    assert broken["known"].small is None


def test_the_smallest_counter_example_of_a_turn(monkeypatch):
    monkeypatch.setattr("agent.steps.RUNS_CALLS", {"stop", "tool_calls", "truncated"})
    swept = sweep_file(RECORDINGS / "openai-chat-parallel-calls.jsonl", Plan(0, 10), ["loop"])
    (broken,) = [broken for broken in swept.broken if broken.law == "half-built"]
    assert len(broken.small.stream.pieces) <= 3
    assert broken.small.case.kind == broken.first.case.kind


def test_an_empty_result_has_no_laws():
    assert Swept(RECORDINGS).tally.checked == {}
