from __future__ import annotations

import pytest

from harness.page.trajectory_said import Message, News, Piece, SentBack, news, results_sent_back
from harness.recording.contents import Call, Request
from harness.report.call_facts import call_facts

CALL = {"path": "a"}


def call(number, body, events=()):
    made = Call(number, Request("POST", "http://h", [], body, {}), 0.0)
    made.event_records = [{"frame": 0, "event": event} for event in events]
    return made


@pytest.mark.parametrize(
    ("body", "messages"),
    [
        ({"messages": [{"role": "system", "content": "s"},
                       {"role": "user", "content": [{"type": "text", "text": "u"}]}]},
         [("system", [Piece("text", "s")]), ("user", [Piece("text", "u")])]),
        ({"messages": [
            {"role": "assistant", "content": None,
             "tool_calls": [{"id": "c", "function": {"name": "read", "arguments": '{"path":"a"}'}}]},
            {"role": "tool", "tool_call_id": "c", "content": "out"}]},
         [("assistant", [Piece("call", CALL, "c", "read")]), ("tool", [Piece("result", "out", "c")])]),
        ({"input": "hi", "instructions": "s"}, [("system", [Piece("text", "s")]), ("user", [Piece("text", "hi")])]),
        ({"input": [{"type": "function_call", "call_id": "c", "name": "read", "arguments": "not JSON"},
                    {"type": "function_call_output", "call_id": "c", "output": "out"},
                    {"type": "reasoning", "summary": []}]},
         [("assistant", [Piece("call", "not JSON", "c", "read")]), ("tool", [Piece("result", "out", "c")]),
          ("reasoning", [Piece("other", {"type": "reasoning", "summary": []})])]),
        ({"system": [{"type": "text", "text": "s"}], "messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "read", "input": CALL}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": [{"text": "out"}]}]}]},
         [("system", [Piece("text", "s")]), ("assistant", [Piece("call", CALL, "c", "read")]),
          ("user", [Piece("result", "out", "c")])]),
        ({"systemInstruction": {"parts": [{"text": "s"}]}, "contents": [
            {"role": "model", "parts": [{"functionCall": {"name": "read", "args": CALL}}]},
            {"role": "user", "parts": [{"functionResponse": {"name": "read", "response": {"result": "out"}}}]}]},
         [("system", [Piece("text", "s")]), ("assistant", [Piece("call", CALL, "", "read")]),
          ("user", [Piece("result", '{"result":"out"}', "", "read")])]),
        ({"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {}}]}, 7, None, "x"]},
         [("user", [Piece("other", {"type": "image_url", "image_url": {}}, name="image_url")]),
          ("message", [Piece("other", 7)]), ("message", [Piece("other", None)]), ("message", [Piece("other", "x")])]),
        ({"prompt": "p"}, []), (b"bytes", []), (None, []), ({"messages": "hi"}, [("user", [Piece("text", "hi")])]),
    ],
)  # fmt: skip
def test_what_a_request_says(body, messages):
    assert news([call(0, body)]) == [News([Message(role, pieces) for role, pieces in messages])]


def test_what_is_new_is_told_against_the_request_that_begins_alike():
    one, two = {"role": "user", "content": "one"}, {"role": "user", "content": "two"}
    bodies = [[one], [two], [one, two], [one], []]
    found = news([call(number, {"messages": body, "system": "s"}) for number, body in enumerate(bodies)])
    assert [(new.of, new.before, len(new.messages)) for new in found] == [
        (None, 0, 2), (None, 0, 2), (0, 1, 1), (2, 1, 0), (None, 0, 1),
    ]  # fmt: skip


def asks(*calls):
    return [{"type": "tool_call", "id": id, "name": name, "input": {}} for id, name in calls]


def matched(calls):
    pairs = zip([call_facts(one, []) for one in calls], news(calls), strict=True)
    return results_sent_back(list(pairs))


def test_results_find_their_calls_by_id():
    answer = {"role": "tool", "tool_call_id": "b", "content": "out"}
    stray = {"role": "tool", "tool_call_id": "z", "content": "?"}
    calls = [call(0, {"messages": [1]}, asks(("a", "read"), ("b", "read"))), call(1, {"messages": [1, stray, answer]})]
    assert matched(calls) == ({(0, 1): SentBack(1, "out")}, {(1, 1): (0, 1)})


def test_results_without_ids_find_their_calls_by_name_and_order():
    answers = [{"parts": [{"functionResponse": {"name": name, "response": at}}]} for at, name in enumerate("rlr")]
    calls = [call(0, {"contents": [1]}, asks(("x", "r"), ("y", "r"), ("z", "l"))), call(4, {"contents": [1, *answers]})]
    results, places = matched(calls)
    assert results == {(0, 0): SentBack(4, "0"), (0, 1): SentBack(4, "2"), (0, 2): SentBack(4, "1")}
    assert places == {(4, 0): (0, 0), (4, 1): (0, 2), (4, 2): (0, 1)}


@pytest.mark.parametrize("alike", range(6))
def test_messages_alike_are_found_wherever_the_others_begin(alike):
    bodies = [[*"abcde"], [*"abcde"[:alike], *"vwxyz"[alike:], "end"]]
    new = news([call(number, {"messages": body}) for number, body in enumerate(bodies)])[1]
    assert (new.before, len(new.messages)) == (alike, 6 - alike)
