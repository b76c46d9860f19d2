"""What the formats say of themselves agrees with the adapters wherever these are right, which the fixtures show."""

from __future__ import annotations

import pytest

from agent.events import ToolCall, UsageEvent
from agent.providers import WIRES
from agent.sse import Frame
from harness.sweep.cases import Whole
from harness.sweep.decode import decode
from harness.sweep.marks import MARKS, begun, body_ends, hands_over, is_end_mark
from tests.harness.sweep.swept import called, chat, fixture, fixtures


def data(text):
    return Frame(b"", text.encode())


def test_every_wire_has_its_marks():
    assert {*MARKS} == {*WIRES}


@pytest.mark.parametrize("wire", WIRES)
def test_a_complete_fixture_holds_the_end_mark(wire):
    seen = 0
    for path in fixtures(wire):
        stream = fixture(path)
        run = decode(stream, Whole().answer(stream))
        closing = run.events[-1]
        assert isinstance(closing, UsageEvent)
        if closing.complete:
            ends = (
                any(is_end_mark(wire, frame) for frame in run.frames) if stream.framed else body_ends(wire, stream.body)
            )
            assert ends, path
            seen += 1
    assert seen > 10


@pytest.mark.parametrize("wire", WIRES)
def test_the_error_of_each_wire_is_one(wire):
    from harness.sweep.streams import make_stream

    stream = make_stream(wire, MARKS[wire].failure, [("content-type", "text/event-stream")])
    error, closing = decode(stream, Whole().answer(stream)).events
    assert (error.kind, error.status, closing.stop_reason) == ("provider_error", 200, "error")


def test_done_is_an_end_mark_of_chat_alone():
    assert is_end_mark("openai-chat", data(" [DONE] "))
    assert not is_end_mark("anthropic", data("[DONE]"))
    assert not is_end_mark("openai-chat", data("{"))
    assert not is_end_mark("openai-chat", Frame(b": x\n\n", None))


@pytest.mark.parametrize(
    ("wire", "text", "may"),
    [
        ("openai-chat", "[DONE]", True),
        ("openai-chat", '{"choices":[{"delta":{},"finish_reason":"tool_calls"}]}', False),
        ("anthropic", '{"type":"content_block_stop","index":0}', True),
        ("anthropic", '{"type":"content_block_delta","index":0}', False),
        ("openai-responses", '{"type":"response.function_call_arguments.done"}', True),
        ("openai-responses", '{"type":"response.function_call_arguments.delta"}', False),
        ("gemini", '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"look"}}]}}]}', True),
        (
            "gemini",
            '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"look","willContinue":true}}]}}]}',
            False,
        ),
        (
            "gemini",
            '{"candidates":[{"content":{"parts":[{"functionCall":{"name":"next","willContinue":true}}]}}]}',
            True,
        ),
    ],
)
def test_when_a_call_may_be_handed_over(wire, text, may):
    assert hands_over(wire, data(text), ToolCall("c", "look", {})) is may


def test_calls_that_have_begun():
    stream = chat({"content": "x"}, called("{"), called("{}", id="call_b", index=1))
    run = decode(stream, Whole().answer(stream))
    assert [(name, frame) for name, frame, _ in begun("openai-chat", run.frames)] == [("call_a", 1), ("call_b", 2)]
    assert list(begun("openai-chat", [data("[DONE]"), *run.frames])) == []


def test_a_second_message_drops_what_was_open():
    start = data('{"type":"message_start"}')
    block = data('{"type":"content_block_start","content_block":{"type":"tool_use","id":"t1"}}')
    assert list(begun("anthropic", [start, block, start])) == [("t1", 1, 2)]


@pytest.mark.parametrize(
    ("body", "ends"),
    [
        (b'[{"candidates":[{"finishReason":"STOP"}]}', True),
        (b'[{"candidates":[{}]},\n{"candidates":[{"finishReason":"STOP"', False),
        (b'\xef\xbb\xbf{"candidates":[{"finishReason":"STOP"}]}', True),
        (b'{"candidates":[{"finishReason":"STOP"}]', False),
        (b"", False),
        (b"[" * 5000, False),
    ],
)
def test_a_body_that_was_cut(body, ends):
    assert body_ends("gemini", body) is ends
