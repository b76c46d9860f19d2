from __future__ import annotations

from agent.events import EOF, Reasoning, Text, ToolCall, UsageEvent
from harness.sweep.run import full_run
from harness.sweep.seen import Seen, marked
from harness.sweep.streams import make_stream
from tests.harness.sweep.swept import called, chat

STREAM = chat({"content": "ab"}, {"reasoning": "hm"}, {"content": "c"}, called('{"a": 1}'))
FULL = full_run(STREAM)


def test_text_goes_on():
    assert FULL.goes_on(Text, 0, "abc")
    assert FULL.goes_on(Text, 1, "c")
    assert FULL.goes_on(Reasoning, 1, "")
    assert not FULL.goes_on(Text, 1, "b")


def test_calls_of_the_full_run():
    assert FULL.has_call(ToolCall("call_a", "look", {"a": 1}))
    assert not FULL.has_call(ToolCall("call_a", "look", {"a": 2}))
    assert not FULL.has_call(ToolCall("other", "look", {"a": 1}))


def test_calls_that_have_begun():
    assert [FULL.begun_by(frames) for frames in (0, 3, 4, 6)] == [set(), set(), {"call_a"}, {"call_a"}]


def test_frames_that_came():
    frames = FULL.run.frames
    assert FULL.came(2, []) == 2
    assert FULL.came(2, [frames[2]]) == 3
    assert FULL.came(2, [frames[1]]) == 2


def test_what_is_new():
    closing = UsageEvent(None, None, "stop", None, True)
    seen = Seen(FULL, "cut", [Text("c")], [closing], EOF, same=2)
    assert (seen.news, seen.closing, seen.errors) == ([Text("c"), closing], closing, [])
    assert Seen(FULL, "cut", [Text("c")], [], EOF).closing is None


def test_the_end_mark():
    assert marked(STREAM, FULL.run.frames, b"")
    assert not marked(STREAM, FULL.run.frames[:-2], b"")
    body = make_stream("openai-chat", b'{"choices":[{"finish_reason":"stop"}]}', [])
    assert marked(body, [], body.body)
    assert not marked(body, [], body.body[:-1])
