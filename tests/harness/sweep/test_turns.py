from __future__ import annotations

import pytest

import harness
from agent.events import End
from agent.loop_types import ToolResult
from harness.sweep.streams import Stream
from harness.sweep.turns import turn_of_fixture, turn_of_recording
from tests.harness.sweep.swept import ROOT, called, chat


def recorded(name):
    return harness.open(ROOT / "recordings" / f"{name}.jsonl").turns[0]


def test_a_recorded_turn():
    given = recorded("openai-chat-tool-call")
    turn = turn_of_recording(given)
    assert [reply.body for reply in turn.replies] == [call.body() for call in given.calls]
    assert (turn.target.wire, turn.repeats) == ("openai-chat", (False,) * len(given.calls))
    assert turn.history[-1].text == given.input
    result = given.tool_results[0]
    assert turn.result(0, 0) == ToolResult(result["ok"], result["output"])
    assert turn.result(7, 7) == ToolResult(True, "done")


def test_retries_and_calls_without_a_response():
    turn = turn_of_recording(recorded("anthropic-retry"))
    assert turn.repeats[1]
    assert [isinstance(reply, Stream) for reply in turn.replies] == [True] * len(turn.replies)
    unreachable = recorded("openai-chat-unreachable")
    assert {type(reply) for reply in turn_of_recording(unreachable).replies} == {End}


@pytest.mark.parametrize("wire", ["other", None])
def test_a_turn_that_cannot_be_played(wire):
    given = recorded("gemini-text")
    for call in given.calls:
        call.request.record["wire"] = wire
    assert turn_of_recording(given) is None


def test_a_turn_around_a_fixture_has_the_tools_that_it_calls():
    turn = turn_of_fixture(chat(called("{}"), called("{}", name="other", id="b", index=1)))
    assert [tool.name for tool in turn.arguments["tools"]] == ["look", "other"]
    other = turn.with_reply(0, chat({"content": "x"}))
    assert (len(other.replies), other.full[0].calls, other.arguments) == (1, [], turn.arguments)
