"""What a recording shows as steps, and what never counts."""

from __future__ import annotations

import json

import pytest

from harness.diff.compare import compare_steps
from harness.diff.steps import NAMED, steps_of
from harness.report.reading import read_facts
from tests.harness.diff.runs import run, text, thought, tool
from tests.harness.report.session import session, write
from tests.harness.sessions import Turn, chat, failure, frames, record
from tests.harness.transports import Reply
from tests.shared import SHARED, needs_shared


def steps(path):
    return steps_of(read_facts(path))


def told(path):
    return [(step.kind, step.name or step.text) for step in steps(path)]


def same(one, other):
    return all(change.status == "same" for change in compare_steps(steps(one), steps(other)))


def test_a_session_in_steps(tmp_path):
    """The error of the call that was tried again is none of them; a call outside of a turn ends with its own stop."""
    path = write(tmp_path / "a.jsonl", session())
    assert told(path) == [
        ("input", "what is it?"), ("reasoning", "let me think"), ("text", "one \x1b[31mred two"),
        ("tool_call", "read"), ("tool_call", "read"), ("text", "the answer"), ("stop", "stop"), ("stop", "ended"),
    ]  # fmt: skip
    calls = [step for step in steps(path) if step.kind == "tool_call"]
    assert [(call.turn, call.call, call.input, call.ok, call.output) for call in calls] == [
        (0, 1, {"path": "a"}, True, "out"),
        (0, 1, {"path": "b"}, False, "no such file"),
    ]


@pytest.mark.parametrize(
    ("turn", "expected"),
    [
        (Turn([failure(401, "wrong key")]), [("input", "go"), ("error", "auth"), ("stop", "error")]),
        (Turn([failure(429), chat("hi")]), [("input", "go"), ("text", "hi"), ("stop", "stop")]),
        (Turn([chat("Hel", finish=None)]),
         [("input", "go"), ("text", "Hel"), ("error", "truncated_stream"), ("stop", "truncated")]),
        (Turn([chat("Hel", "lo")], leave=1), [("input", "go"), ("text", "Hel"), ("stop", "cancelled")]),
    ],
    ids=["error", "retry", "truncated", "cancelled"],
)  # fmt: skip
def test_errors_and_ends(tmp_path, turn, expected):
    assert told(record(tmp_path / "a.jsonl", turn)) == expected


def test_turns_follow_one_another(tmp_path):
    path = record(tmp_path / "a.jsonl", Turn([chat("one")]), Turn([chat("two")], input="more"))
    assert [(step.turn, step.text) for step in steps(path)] == [
        (0, "go"), (0, "one"), (0, "stop"), (1, "more"), (1, "two"), (1, "stop"),
    ]  # fmt: skip


def test_a_recording_that_stops_inside_a_turn(tmp_path):
    path = run(tmp_path / "a.jsonl", [text("one")])
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:-3]))
    assert told(path)[1:] == [("text", "one"), ("stop", "none: the recording ends inside the turn")]


def test_ids_that_are_named_read_alike(tmp_path):
    def cited(name, first, second, number):
        asked = tool("read", first, (True, f"{first} read call_abc1234"), of="x")
        cites = tool("cite", second, (True, ""), source=[f"see {first}.", number])
        return run(tmp_path / name, [asked], [cites], [text(f"by ({first})")])

    one, other = cited("a.jsonl", "call_abc123", "toolu_9", 1.0), cited("b.jsonl", "toolu_42z", "call_9", 1)
    assert same(one, other)
    assert [step.output or step.text for step in steps(one)][1] == f"{NAMED} read call_abc1234"
    assert steps(one)[2].input == {"source": [f"see {NAMED}.", 1]}


@pytest.mark.parametrize(
    "changed",
    [
        [tool("read", path="b")], [tool("open", path="a")], [tool("read", path="a", result=(False, "done"))],
        [tool("read", path="a", result=(True, "other"))], [tool("read", path="a", result=None)],
        [thought("hm"), tool("read", path="a")], [text("hm"), tool("read", path="a")],
    ],
    ids=["argument", "name", "ok", "output", "no result", "reasoning", "text"],
)  # fmt: skip
def test_what_counts(tmp_path, changed):
    one = run(tmp_path / "a.jsonl", [tool("read", path="a")], [text("end")])
    assert not same(one, run(tmp_path / "b.jsonl", changed, [text("end")]))


def answer(chunks, tool_id, created, fingerprint):
    """Case 66 as a chat stream: text, a tool call, and what differs in every run."""
    deltas = [{"content": piece} for piece in chunks]
    function = {"name": "look", "arguments": '{"at":"x"}'}
    deltas.append({"tool_calls": [{"index": 0, "id": tool_id, "type": "function", "function": function}]})
    head = {"id": "chatcmpl-1", "created": created, "system_fingerprint": fingerprint, "model": "m-1"}
    payloads = [head | {"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    payloads.append(head | {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    return Reply(frames(*payloads, b"[DONE]"))


def of_case_66(folder):
    """The two recordings of case 66."""
    case = json.loads((SHARED / "cases/66-diff-volatile-fields.json").read_text())
    paths = []
    for name in ("run_a", "run_b"):
        given = case[name]
        reply = answer(given["chunks"], given["tool_id"], given["created"], given["system_fingerprint"])
        paths.append(record(folder / f"{name}.jsonl", Turn([reply, chat("done")])))
    return paths


@needs_shared
def test_case_66(tmp_path):
    expected = json.loads((SHARED / "cases/66-diff-volatile-fields.expect.json").read_text())["expected"]
    one, other = of_case_66(tmp_path)
    assert expected["diff"] == "none"
    assert same(one, other)
