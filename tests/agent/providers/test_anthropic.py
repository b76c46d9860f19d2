"""What the fixtures cannot show of Anthropic's decoder: counts, made-up ids, options, and events one by one."""

from __future__ import annotations

from typing import Any

import pytest

from agent.events import EOF, Reasoning, Text, ToolCall, UsageEvent
from agent.jsonio import dumps
from agent.providers import adapter
from agent.providers.anthropic import ADAPTER, STOPS, AnthropicDecoder
from agent.sse import Frame
from tests.agent.providers.streams import closing


def feed(decoder: AnthropicDecoder, *payloads: Any) -> list[Any]:
    events: list[Any] = []
    for payload in payloads:
        data = dumps(payload)
        events += decoder.feed(Frame(b"data: " + data + b"\n\n", data))
    return events


def delta(index: int, kind: str, **values: Any) -> dict[str, Any]:
    return {"type": "content_block_delta", "index": index, "delta": {"type": kind, **values}}


def start(index: int, **block: Any) -> dict[str, Any]:
    return {"type": "content_block_start", "index": index, "content_block": block}


def stop(index: int) -> dict[str, Any]:
    return {"type": "content_block_stop", "index": index}


END = {"type": "message_stop"}


def test_the_table_of_formats_knows_it():
    assert adapter("anthropic") is ADAPTER
    assert ADAPTER.wire == "anthropic"


def test_events_come_with_the_frame_that_completes_them():
    decoder = ADAPTER.decoder()
    assert feed(decoder, start(0, type="thinking", thinking="", signature="")) == []
    assert feed(decoder, delta(0, "thinking_delta", thinking="Hm")) == [Reasoning("Hm")]
    assert feed(decoder, delta(0, "signature_delta", signature="c2ln")) == [
        Reasoning("", {"type": "thinking", "signature": "c2ln"})
    ]
    assert feed(decoder, stop(0), start(1, type="text", text="")) == []
    assert feed(decoder, delta(1, "text_delta", text="Hi")) == [Text("Hi")]
    assert (
        feed(decoder, start(2, type="tool_use", id="t", name="n"), delta(2, "input_json_delta", partial_json="{}"))
        == []
    )
    assert feed(decoder, stop(2)) == [ToolCall("t", "n", {})]
    assert feed(decoder, END) == []
    assert decoder.finish(EOF) == [UsageEvent(None, None, "tool_calls", None, True)]


def test_made_up_ids_name_call_and_position():
    decoder = ADAPTER.decoder(call=3)
    events = feed(decoder, *(start(n, type="tool_use", name="n", input={"n": n}) for n in range(2)), END)
    assert [(event.id, event.synthetic_id) for event in events] == [("call_3_0", True), ("call_3_1", True)]


def test_unknown_types_are_counted():
    decoder = ADAPTER.decoder()
    known = [
        {"type": "ping"}, start(0, type="web_fetch_tool_result", content={}), stop(0),
        start(0, type="redacted_thinking", data="x"), stop(0), delta(0, "citations_delta", citation={}),
    ]  # fmt: skip
    feed(decoder, *known)
    assert decoder.unknown == {}
    feed(decoder, {"type": "news"}, {"type": "news"}, {}, start(1, type="hologram"), stop(1), delta(1, "tone_delta"))
    assert decoder.unknown == {"news": 2, "None": 1, "hologram": 1, "tone_delta": 1}


def test_data_that_is_no_object_is_counted():
    decoder = ADAPTER.decoder()
    for data in (b"{", b"[]", b"5", b"[DONE]"):
        assert decoder.feed(Frame(b"", data)) == []
    assert decoder.malformed == 3


def test_a_call_is_handed_over_once():
    decoder = ADAPTER.decoder()
    block = start(0, type="tool_use", id="t", name="n", input={"a": 1})
    assert len(feed(decoder, block, stop(0), stop(0), END, stop(0), END)) == 1
    assert feed(decoder, block, stop(0)) == [ToolCall("t", "n", {"a": 1})]  # tool fragments are read after the end mark
    assert [type(event) for event in decoder.finish()] == [UsageEvent]


def test_a_repeated_start_is_one_block():
    decoder = ADAPTER.decoder()
    block = start(0, type="tool_use", id="t", name="n", input={"a": 1})
    assert feed(decoder, block, block, stop(0)) == [ToolCall("t", "n", {"a": 1})]


def test_a_signature_of_the_start_block_is_kept_unless_one_follows():
    signed = start(0, type="thinking", thinking="Hm", signature="old")
    opaque = {"type": "thinking", "signature": "old"}
    assert feed(ADAPTER.decoder(), signed, stop(0)) == [Reasoning("Hm"), Reasoning("", opaque)]
    replaced = feed(ADAPTER.decoder(), signed, delta(0, "signature_delta", signature="new"), stop(0), END)
    assert replaced == [Reasoning("Hm"), Reasoning("", opaque | {"signature": "new"})]


def test_blocks_without_index_are_told_by_order():
    payloads: list[dict[str, Any]] = [
        start(0, type="tool_use", id="a", name="n"), delta(0, "input_json_delta", partial_json='{"n":1}'), stop(0),
        start(1, type="tool_use", id="b", name="n"), delta(1, "input_json_delta", partial_json='{"n":2}'), stop(1),
    ]  # fmt: skip
    for payload in payloads:
        del payload["index"]
    assert feed(ADAPTER.decoder(), *payloads) == [ToolCall("a", "n", {"n": 1}), ToolCall("b", "n", {"n": 2})]


def test_the_container_is_told_once():
    container = {"id": "container_1", "expires_at": None}
    message = {"type": "message_start", "message": {"container": container}}
    ending = {"type": "message_delta", "delta": {"stop_reason": "end_turn", "container": container}}
    assert feed(ADAPTER.decoder(), message, ending) == [Reasoning("", {"type": "container"} | container)]


@pytest.mark.parametrize("word", [*STOPS, "tired", None])
def test_stop_reasons(word):
    decoder = ADAPTER.decoder()
    feed(decoder, {"type": "message_delta", "delta": {"stop_reason": word}}, END)
    end = closing(decoder.finish())
    assert (end.stop_reason, end.stop_reason_raw, end.complete) == (STOPS.get(word or "", "stop"), word, True)
