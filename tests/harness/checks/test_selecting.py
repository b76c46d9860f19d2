from __future__ import annotations

import pytest

from harness.checks.selecting import ToolCall, the_turn, tool_calls, whole_calls
from harness.errors import CheckError
from tests.harness.checks.runs import call, facts, said, tool, turn

CALLS = [call(0, tool("a", x=1)), call(1, said("hi"), tool("b"), turn=1)]
TURNS = [turn(0, (0,)), turn(1, (1,))]


def test_tool_calls_of_all_turns_or_of_one():
    run = facts(CALLS, TURNS)
    assert tool_calls(whole_calls(run)) == [ToolCall("a", {"x": 1}, 0), ToolCall("b", {}, 1)]
    assert [made.name for made in tool_calls(whole_calls(run, 1))] == ["b"]
    assert str(tool_calls(CALLS)[0]) == 'a {"x":1}'


def test_without_turns_all_calls_count():
    assert [made.call for made in whole_calls(facts(CALLS, []))] == [0, 1]


def test_an_input_that_is_no_object():
    assert tool_calls([call(0, {**tool("a"), "input": [1]})]) == [ToolCall("a", {}, 0)]


@pytest.mark.parametrize(
    ("run", "number", "reason"),
    [
        (facts(CALLS, TURNS), 2, "there is no turn 2; the recording has 2 turns"),
        (facts(CALLS, [turn(0, (0,), stop_reason=None)]), None, "the recording stops inside turn 0"),
        (facts([call(0, ending="not_closed")], []), None, "the recording stops inside call 0"),
        (facts([call(0, wire=None, ending="ended")], []), None, "what call 0 answered is not known"),
    ],
    ids=["no such turn", "turn without end", "call without end", "unknown format"],
)
def test_what_is_not_known(run, number, reason):
    with pytest.raises(CheckError, match=reason):
        whole_calls(run, number)


def test_an_error_of_an_unknown_format_brought_nothing():
    assert whole_calls(facts([call(0, wire=None, status=500, ending="http_error")], []))


def test_the_turn():
    assert the_turn(facts(CALLS, TURNS), 1) is TURNS[1]
