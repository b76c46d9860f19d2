from __future__ import annotations

import asyncio

import pytest

import harness
from agent.loop_types import Limits
from agent.messages import user
from agent.providers import WIRES, adapter
from agent.providers.table import resolve
from harness.errors import RecordingError
from harness.recorder.continuing import continued, conversation
from tests.harness import sessions
from tests.harness.sessions import LOOK, Turn, change, chat, record
from tests.harness.turns import ANSWER, LEFT, TURNS

KEY = "sk-test-0123456789abcdefghijklmnop"
EACH = {**TURNS, **LEFT}


def assert_valid(messages):
    """Each call has exactly one result, right after it, in order; and every provider's request can be made of them."""
    waiting = []
    for message in messages:
        if message.role == "tool":
            assert message.id == waiting.pop(0)
        else:
            assert waiting == []
            waiting = [call.id for call in message.tool_calls]
    assert waiting == []
    target, model = resolve("lab/m", base_url="https://lab.test/v1", environ={})
    for wire in WIRES:
        assert adapter(wire).request(target, model=model, messages=[*messages, user("more")]).body


@pytest.fixture
def runs(monkeypatch):
    """The turns of the loop that were recorded."""
    made = []
    real = sessions.run_turn
    monkeypatch.setattr(sessions, "run_turn", lambda *args, **more: made.append(real(*args, **more)) or made[-1])
    return made


@pytest.mark.parametrize("cancelling", [True, False], ids=["cancelled", "closed"])
@pytest.mark.parametrize("name", EACH)
def test_the_messages_are_those_that_the_turn_left(tmp_path, runs, name, cancelling):
    given = EACH[name].but(cancelling=cancelling)
    (turn,) = harness.open(record(tmp_path / "r.jsonl", given)).turns
    messages = continued(turn)
    assert messages == [*given.history, user(given.input), *runs[0].messages]
    assert_valid(messages)


def test_the_second_turn_holds_the_first(tmp_path, runs):
    path = record(tmp_path / "r.jsonl", TURNS["parallel"])
    first = continued(harness.open(path).turns[-1])
    record(path, Turn([ANSWER], history=first, input="and then?"), append=True)
    second = continued(harness.open(path).turns[-1])
    assert second == [*first, user("and then?"), *runs[1].messages]


def test_where_the_process_died(tmp_path):
    """Cut behind any record, a turn leaves a valid conversation, which grows with the file."""
    turn = Turn(
        [chat("I look. ", calls=[LOOK, ("c2", "list", "{}")]), chat("So", ": ", calls=[("c3", "look", "{}")]), ANSWER],
        tools={"look": "seen", "list": "a\nb"},
    )  # fmt: skip
    lines = record(tmp_path / "r.jsonl", turn).read_bytes().splitlines(keepends=True)
    lengths = []
    for count in range(2, len(lines) + 1):
        path = tmp_path / "cut.jsonl"
        path.write_bytes(b"".join(lines[:count]))
        messages = continued(harness.open(path).turns[-1])
        assert_valid(messages)
        lengths.append(len(messages))
    assert lengths == sorted(lengths)
    assert (lengths[0], lengths[-1]) == (1, 7)


def test_a_call_that_was_running_says_so(tmp_path):
    (turn,) = harness.open(record(tmp_path / "r.jsonl", LEFT["in the second tool"])).turns
    results = [message for message in continued(turn) if message.role == "tool"]
    assert [(message.ok, message.text) for message in results] == [
        (True, "a"), (False, "stopped while it ran: the turn was cancelled"),
    ]  # fmt: skip


def test_secrets_stay_out_also_where_a_result_was_cut(tmp_path):
    given = Turn(
        [chat("one ", calls=[LOOK]), chat("two")],
        tools={"look": f"{KEY} " + "x" * 900}, limits=Limits(max_result_chars=300), input=f"mine is {KEY}",
    )  # fmt: skip
    (turn,) = harness.open(record(tmp_path / "r.jsonl", given)).turns
    question, answer, result, last = continued(turn)
    assert question.text == "mine is [redacted:openai:1]"
    assert result.text.startswith("[redacted:openai:1] x")
    assert "characters left out" in result.text
    assert (answer.parts[0].text, last.parts[0].text) == ("one ", "two")


@pytest.mark.parametrize(
    ("kind", "says"), [("request", "call 0 is not in the recording"), ("event", "an event of call 0 cannot be used")]
)
def test_records_that_do_not_fit(tmp_path, kind, says):
    def damage(one):
        if one["kind"] == kind == "request":
            return False
        return one["event"].pop("type", None) if one["kind"] == kind else None

    path = change(record(tmp_path / "r.jsonl", TURNS["text"]), damage)
    with pytest.raises(RecordingError, match=says):
        asyncio.run(conversation(harness.open(path).turns[0]))
