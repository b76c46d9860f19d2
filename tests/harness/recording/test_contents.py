from __future__ import annotations

from agent.events import Reasoning, Text, UsageEvent
from harness.recording.contents import STOPPED, Call, Part, Request, Response


def call(**fields):
    return Call(3, Request("POST", "http://h/", [], {"a": 1}, {}), 0.5, **fields)


def test_a_call_of_another_program_says_little():
    one = call()
    assert (one.turn, one.retry_of, one.wire, one.decode, one.response, one.events) == (None, None, None, {}, None, [])
    assert one.end is STOPPED
    assert one.body() == b""
    assert one.chunks() == []
    assert not one.complete


def test_the_body_after_a_frame_that_was_too_large():
    one = call(frames=[Part(b"ab", 0, 1.0, [1])], bodies=[Part(b"cd", 0, 2.0), Part(b"e", 1, 3.0)])
    assert one.body() == b"abcde"
    assert one.timed_chunks() == [(1.0, b"a"), (2.0, b"bcd"), (3.0, b"e")]


def test_request_bodies_as_bytes():
    assert call().content() == b'{"a":1}'
    assert Request("GET", "http://h/", [], b"", {}).content() == b""


def test_content_type():
    assert Response(200, [("Content-Type", "text/html")]).content_type == "text/html"
    assert Response(200, []).content_type is None


def test_events_as_objects():
    usage = {"type": "usage", "usage": None, "model": "m", "stop_reason": "stop", "stop_reason_raw": None}
    events = [
        {"type": "text", "text": "a"}, {"type": "novel"}, {"type": "text"}, {"type": "reasoning", "text": "why"},
        {"type": "text", "text": "b"}, {**usage, "complete": True},
    ]  # fmt: skip
    one = call(event_records=[{"event": event, "frame": 0} for event in events])
    assert one.typed_events == [
        Text("a"), Reasoning("why"), Text("b"), UsageEvent(None, "m", "stop", None, True),
    ]  # fmt: skip
    assert one.text == "ab"
    assert one.events == events
