from __future__ import annotations

import json
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import DecodeOptions, End, Error, Event, Reasoning, Text, ToolCall
from agent.jsonio import dumps
from agent.providers.openai_chat import ADAPTER, ChatDecoder
from agent.sse import Frame
from tests.agent.providers.streams import assert_closed, closing, error_of, fixture_form, joined, run, tool_calls

DONE = b"[DONE]"


def frame(payload: Any) -> Frame:
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return Frame(b"data: " + data + b"\n\n", data)


def decode(*payloads: Any, **options: Any) -> list[Event]:
    decoder = ADAPTER.decoder(options=DecodeOptions(**options))
    events = [event for payload in payloads for event in decoder.feed(frame(payload))]
    return events + decoder.finish()


def chunk(delta: Any = None, finish: Any = None, **top: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": delta or {}, "finish_reason": finish}], **top}


@pytest.mark.parametrize(
    ("word", "stop"),
    [
        ("stop", "stop"), ("eos", "stop"), ("end_turn", "stop"), ("stop_sequence", "stop"), ("unheard_of", "stop"),
        ("length", "length"), ("max_tokens", "length"), ("max_output_tokens", "length"), ("MAX_TOKENS", "length"),
        ("model_length", "length"), ("model_context_window_exceeded", "length"),
        ("tool_calls", "tool_calls"), ("tool_use", "tool_calls"), ("function_call", "tool_calls"),
        ("content_filter", "content_filter"), ("refusal", "refusal"), ("insufficient_system_resource", "error"),
    ],
)  # fmt: skip
def test_stop_words(word: str, stop: str) -> None:
    end = closing(decode(chunk({"content": "x"}, word), DONE))
    assert (end.stop_reason, end.stop_reason_raw, end.complete) == (stop, word, True)


@pytest.mark.parametrize("word", ["", "null", None, 0, 1, True, [], {"a": 1}])
def test_no_end_mark(word: Any) -> None:
    events = decode(chunk({"content": "a"}, word), chunk({"content": "b"}))
    assert joined(events, Text) == "ab"
    assert closing(events).stop_reason == "truncated"


def test_a_failing_finish_reason_tells_one_error() -> None:
    events = decode(chunk({}, "error"), chunk({}, error={"message": "boom", "code": 502}), DONE)
    found = error_of(events)
    assert found is not None
    assert (found.message, found.kind) == ("boom", "bad_gateway")
    assert not closing(events).complete


def test_calls_come_at_done_and_not_before() -> None:
    decoder = ChatDecoder()
    call = {"index": 0, "id": "c", "function": {"name": "f", "arguments": "{}"}}
    blank = {"index": 1, "id": "d", "function": {"name": "g", "arguments": ""}}
    assert decoder.feed(frame(chunk({"tool_calls": [call, blank]}, "tool_calls"))) == []
    assert decoder.feed(frame(DONE)) == [ToolCall("c", "f", {}), ToolCall("d", "g", {})]
    assert decoder.feed(frame(DONE)) == []
    assert len(decoder.finish()) == 1


def test_made_up_ids_name_the_call_and_the_position() -> None:
    decoder = ChatDecoder(call=7)
    decoder.feed(frame(chunk({"tool_calls": [{"index": n, "function": {"name": "f"}} for n in range(2)]}, "stop")))
    assert [call.id for call in tool_calls(decoder.finish())] == ["call_7_0", "call_7_1"]


@pytest.mark.parametrize(
    ("payload", "message", "kind"),
    [
        ({"error": {"message": "m", "type": "overloaded_error"}}, "m", "overloaded"),
        ({"error": "m"}, "m", "provider_error"),
        ({"error": "m", "code": 429}, "m", "rate_limit"),
        ({"error": ["m"]}, "m", "provider_error"),
        ({"error": True}, None, "provider_error"),
        ({"object": "error", "message": "m", "code": 404}, "m", "not_found"),
        ({"type": "error", "message": "m"}, "m", "provider_error"),
        ({"detail": "m"}, "m", "provider_error"),
        ({"code": 400, "message": "m", "type": "Bad Request"}, "m", "invalid_request"),
        ({"code": "InvalidParameter", "message": "m"}, "m", "provider_error"),
        ({"status": 503, "message": "m"}, "m", "overloaded"),
        ({"choices": [], "error": {"message": "m"}}, "m", "provider_error"),
        ({"choices": [{"index": 0, "error": {"message": "m", "code": 402}}]}, "m", "billing"),
        ({"choices": [{"index": 0, "error": "m"}]}, "m", "provider_error"),
        ({"choices": [], "x_groq": {"id": "r", "error": "m"}}, "m", "provider_error"),
    ],
    ids=lambda value: json.dumps(value)[:60] if isinstance(value, dict) else "",
)  # fmt: skip
def test_errors_in_a_stream(payload: dict[str, Any], message: str | None, kind: str) -> None:
    events = decode(chunk({"content": "before"}), payload, chunk({"content": "after"}, "stop"), DONE)
    found = error_of(events)
    assert found is not None
    assert (found.kind, found.status) == (kind, 200)
    assert message is None or found.message == message
    assert joined(events, Text) == "before"
    assert (closing(events).stop_reason, closing(events).complete) == ("error", False)


@pytest.mark.parametrize(
    "payload",
    [
        {"error": None}, {"error": ""}, {"error": {}}, {"error": False}, {"type": "ping"}, {"object": "keepalive"}, {},
        {"status": "processing", "message": "queued"}, {"code": 0, "message": "ok"}, {"code": "200", "message": "ok"},
        {"choices": None}, {"choices": {}}, {"choices": "x"}, {"choices": [None]}, {"usage": None}, {"detail": None},
    ],
    ids=json.dumps,
)  # fmt: skip
def test_no_errors_in_a_stream(payload: dict[str, Any]) -> None:
    events = decode(payload, chunk({"content": "on"}, "stop"), DONE)
    assert error_of(events) is None
    assert closing(events).complete


def test_unknown_payloads_and_bad_data_are_counted() -> None:
    decoder = ChatDecoder()
    for data in ({"type": "ping"}, {"object": "note"}, {"a": 1}, b"junk", b"[1]", b"7"):
        assert decoder.feed(frame(data)) == []
    assert decoder.unknown == {"ping": 1, "note": 1, "payload without choices": 1}
    assert decoder.malformed == 3


def test_the_hint_names_the_key_variable() -> None:
    events = decode({"error": {"message": "no", "code": 401}}, key_variable="GROQ_API_KEY")
    found = error_of(events)
    assert found is not None
    assert "GROQ_API_KEY" in (found.hint or "")


@pytest.mark.parametrize(
    ("delta", "expected"),
    [
        ({"reasoning_content": "a", "reasoning": "b"}, [Reasoning("a")]),
        ({"reasoning_content": "", "reasoning": "b"}, [Reasoning("b")]),
        ({"reasoning_content": None, "reasoning": {"x": 1}}, []),
        ({"reasoning": "b", "reasoning_details": []}, [Reasoning("b")]),
        ({"reasoning": "b", "reasoning_details": "odd"}, [Reasoning("b")]),
        ({"reasoning": "b", "reasoning_details": [None, 3]}, [Reasoning("b")]),
        ({"reasoning_details": [{"type": "reasoning.summary", "summary": "s"}]},
         [Reasoning("s", {"type": "reasoning.summary"})]),
        ({"reasoning_content": "a", "reasoning_details": [{"type": "reasoning.text", "text": "other"}]},
         [Reasoning("a", {"type": "reasoning.text"})]),
        ({"content": "t", "reasoning": "b"}, [Reasoning("b"), Text("t")]),
    ],
    ids=lambda value: json.dumps(value) if isinstance(value, dict) else "",
)  # fmt: skip
def test_reasoning_fields(delta: dict[str, Any], expected: list[Event]) -> None:
    assert decode(chunk(delta), DONE)[:-1] == expected


@pytest.mark.parametrize(
    ("content", "text", "reasoning"),
    [
        ([{"type": "text", "text": "a"}, "b"], "ab", ""),
        ([{"type": "output_text", "text": "a"}, {"text": "b"}], "ab", ""),
        ([{"type": "thinking", "thinking": "why"}], "", "why"),
        ([{"type": "thinking", "thinking": ["a", {"type": "text", "text": "b"}, {"type": "x"}, 3]}], "", "ab"),
        ({"type": "text", "text": "a"}, "a", ""),
        ([None, 3, {"type": "text", "text": None}, {"type": "reference", "reference_ids": [1]}], "", ""),
        (7, "", ""),
    ],
)
def test_content_that_is_no_text(content: Any, text: str, reasoning: str) -> None:
    events = decode(chunk({"content": content}), DONE)
    assert (joined(events, Text), joined(events, Reasoning)) == (text, reasoning)
    assert all(event.opaque is None for event in events if isinstance(event, Text | Reasoning))


def test_refusal_parts_are_text_and_change_the_stop_reason() -> None:
    events = decode(chunk({"content": [{"type": "refusal", "refusal": "no"}]}, "stop"))
    assert joined(events, Text) == "no"
    assert closing(events).stop_reason == "refusal"
    assert closing(decode(chunk({"refusal": "no"}, "length"))).stop_reason == "length"


@pytest.mark.parametrize("index", [0, None, "", "0", [], {}])
def test_choice_zero_and_its_odd_indexes(index: Any) -> None:
    other = {"index": 1, "delta": {"content": "other"}}
    events = decode({"choices": [None, other, {"index": index, "delta": {"content": "mine"}}]})
    assert joined(events, Text) == "mine"


@pytest.mark.parametrize("model", [None, 3, "", {"a": 1}])
def test_the_first_usable_model_is_told(model: Any) -> None:
    assert closing(decode(chunk(model=model), chunk(model="m-1"), chunk(model="m-2"))).model == "m-1"


def test_usage_is_read_after_an_error() -> None:
    end = closing(decode({"error": "x"}, {"choices": [], "usage": {"prompt_tokens": 2, "completion_tokens": 1}}))
    assert end.usage is not None
    assert (end.usage.input_tokens, end.usage.output_tokens) == (2, 1)


KEYS = st.sampled_from(
    ["index", "delta", "message", "finish_reason", "usage", "error", "content", "reasoning", "reasoning_content",
     "reasoning_details", "refusal", "tool_calls", "function_call", "function", "id", "name", "arguments", "type",
     "text", "thinking", "choices", "x_groq", "signature", "data", "custom", "input", "code", "status", "detail",
     "object", "model", "prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details",
     "completion_tokens_details", "cached_tokens", "reasoning_tokens", "extra_content"]
)  # fmt: skip
WORDS = st.sampled_from(
    ["", "stop", "length", "text", "refusal", "error", "{", "}", '{"a":1}', "c1", "\ud83d", "\ude00"]
)
LEAVES = st.none() | st.booleans() | st.integers(-1, 3) | st.just(2**70) | st.floats() | WORDS
VALUES = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5), max_leaves=25
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5)
DELTAS = st.fixed_dictionaries({}, optional={
    "content": VALUES, "reasoning_content": VALUES, "reasoning": VALUES, "refusal": VALUES, "function_call": OBJECTS,
    "reasoning_details": VALUES | st.lists(OBJECTS, max_size=3), "tool_calls": VALUES | st.lists(OBJECTS, max_size=3),
})  # fmt: skip
CHOICES = st.fixed_dictionaries(
    {"delta": DELTAS | VALUES}, optional={"index": VALUES, "finish_reason": VALUES, "usage": OBJECTS, "error": VALUES}
)
PAYLOADS = OBJECTS | st.fixed_dictionaries(
    {"choices": st.lists(CHOICES | VALUES, max_size=2) | VALUES},
    optional={"usage": VALUES, "error": VALUES, "x_groq": VALUES, "model": VALUES},
)
ENDS = st.sampled_from([End(), End("closed"), End("error", "ReadError", "reset")])


@given(st.lists(PAYLOADS, max_size=6), st.booleans(), ENDS, st.booleans())
def test_nothing_that_is_sent_raises(payloads: list[Any], done: bool, end: End, think: bool) -> None:
    decoder = ADAPTER.decoder(options=DecodeOptions(think_tags=think))
    events: list[Event] = []
    for payload in payloads:
        data = json.dumps(payload).replace("NaN", "null").replace("Infinity", "1e999").encode()
        events += decoder.feed(Frame(data, data))
    if done:
        events += decoder.feed(Frame(DONE, DONE))
    events += decoder.finish(end)
    check(events)


@given(PAYLOADS)
def test_no_body_raises(payload: Any) -> None:
    body = json.dumps(payload).replace("NaN", "null").replace("Infinity", "1e999").encode()
    check(run("openai-chat", body, content_type="application/json"))


def check(events: list[Event]) -> None:
    assert_closed(events)
    dumps(fixture_form(events)).decode()
    assert sum(isinstance(event, Error) for event in events) <= 1
    end = closing(events)
    assert end.complete == (end.stop_reason not in ("truncated", "cancelled") and not failed(events, end))


def failed(events: list[Event], end: Any) -> bool:
    """Whether an error event came from an error object, and not from a finish_reason that is a failure."""
    return any(isinstance(event, Error) for event in events) and not (end.complete and end.stop_reason == "error")


@given(st.lists(st.text(st.characters(codec=None, exclude_categories=()), max_size=3), max_size=8))
def test_surrogate_halves_are_joined_or_replaced(pieces: list[str]) -> None:
    events = decode(*(chunk({"content": piece}) for piece in pieces), DONE)
    whole = "".join(pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert joined(events, Text) == whole
    orjson.dumps(fixture_form(events))


@pytest.mark.parametrize(
    "payload",
    [
        '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":%s}}]}}]}',
        '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f"},"extra_content":%s}]}}]}',
        '{"choices":[{"delta":{"content":[{"type":"x","y":%s}]}}]}',
        '{"choices":[{"delta":{"reasoning_details":[{"type":%s,"text":"t"}]}}]}',
        '{"error":%s}',
    ],
)
@pytest.mark.parametrize("depth", [300, 1010, 5000])
def test_deep_nesting_raises_nothing(payload: str, depth: int) -> None:
    for leaf in ("1", '"\\ud800"'):
        data = (payload % ('{"a":' * depth + leaf + "}" * depth)).encode()
        dumps(fixture_form(decode(data, data, DONE)))


def test_many_fragments_in_one_frame_take_linear_time() -> None:
    fragments = [{"index": n, "id": f"c{n}", "function": {"name": "f", "arguments": {"n": 2**70}}} for n in range(3000)]
    calls = tool_calls(decode(chunk({"tool_calls": fragments}, "tool_calls")))
    assert len(calls) == 3000
    assert calls[-1].input == {"n": 2**70}
