from __future__ import annotations

import asyncio
from itertools import islice

import pytest

import harness
from agent.events import ToolCall
from agent.messages import message_from_dict
from harness.errors import RecordingError
from harness.recording.turns import RecordedTurn, no_wait
from tests.harness.sessions import LOOK, Turn, change, chat, record
from tests.harness.turns import EARLIER, LEFT, TURNS


def recorded(tmp_path, turn, **fields):
    path = record(tmp_path / "r.jsonl", turn)
    if fields:
        path = change(path, lambda r: r.update(fields) if r["kind"] == "turn" else None)
    return RecordedTurn(harness.open(path).turns[0])


def test_what_it_was_given(tmp_path):
    turn = recorded(tmp_path, TURNS["history"])
    assert turn.history()[:-1] == EARLIER
    assert turn.history()[-1].text == "go"
    given = turn.arguments("other")
    assert (given["mode"], given["model"], [tool.name for tool in given["tools"]]) == ("PLAN", "other", ["look"])
    assert given["limits"].max_iterations == 25


def test_numbers_go_on_behind_the_recorded_ones(tmp_path):
    turn = recorded(tmp_path, TURNS["retry after 429"])
    assert list(islice(iter(turn.ids(), None), 7)) == [0, 1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    ("turn", "left", "died"),
    [(TURNS["text"], None, False), (LEFT["between deltas"], (1, False), False), (LEFT["in a tool"], (2, True), False)],
)
def test_where_it_stopped(tmp_path, turn, left, died):
    found = recorded(tmp_path, turn)
    assert (found.left, found.died, found.stop()) == (left, died, left is not None)


def test_a_turn_in_which_the_process_died(tmp_path):
    path = record(tmp_path / "r.jsonl", TURNS["tool"])
    path = change(path, lambda r: r["kind"] not in ("loop", "end"))
    found = RecordedTurn(harness.open(path).turns[0])
    assert (found.left, found.died, found.stop()) == (None, True, True)


def test_results(tmp_path):
    turn = recorded(tmp_path, Turn([chat(calls=[LOOK, LOOK]), chat("a")], tools={"look": "seen"}))

    async def ask(call, position):
        return await turn.execute(ToolCall("c1", "look", {}), call=call, position=position)

    assert asyncio.run(ask(0, 1)).output == "seen"
    assert asyncio.run(ask(3, 0)).output == "the recording holds no result of look (call 3, position 0)"
    asyncio.run(no_wait(100))


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"history": [{}]}, "turn 0: its history cannot be used"), ({"tools": 5}, "its tools cannot be used"),
        ({"limits": {"max_retries": "x"}}, "its limits cannot be used"), ({"tool_modes": 1}, "its tool_modes cannot"),
    ],
)  # fmt: skip
def test_a_record_that_cannot_be_used(tmp_path, fields, says):
    turn = recorded(tmp_path, TURNS["text"], **fields)
    with pytest.raises(RecordingError, match=says):
        _ = turn.history(), turn.arguments("m")


def test_a_cancelled_record_that_does_not_say_where(tmp_path):
    path = record(tmp_path / "r.jsonl", LEFT["in a tool"])
    path = change(path, lambda r: r.update(data={}) if r.get("event") == "cancelled" else None)
    with pytest.raises(RecordingError, match="does not say where its reader left"):
        RecordedTurn(harness.open(path).turns[0])


def test_messages_keep_their_form(tmp_path):
    turn = recorded(tmp_path, TURNS["history"])
    assert [message_from_dict(each) for each in turn.turn.history] == EARLIER
