"""The Responses decoder beyond its fixtures: counts, the short path, bodies against streams, and odd input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import DecodeOptions, Error, Event, Reasoning, Text, UsageEvent, to_dict
from agent.jsonio import dumps, loads
from agent.providers import adapter
from agent.providers.openai_responses import ADAPTER
from agent.providers.openai_responses_items import OPAQUE_ITEMS
from agent.sse import Frame, SSEDecoder
from tests.agent.providers.streams import assert_closed, corpus_form, run
from tests.agent.providers.test_corpus import ANSWERS, CORPUS, INDEX
from tests.shared import needs_shared

WIRE = "openai-responses"
FIXTURES = Path(__file__).resolve().parents[3] / "fixtures" / WIRE
STREAMS = sorted(FIXTURES.glob("*.sse"))
RECORDED = [answer["id"] for answer in ANSWERS if INDEX[answer["id"]]["wire_format"] == WIRE]


def frame(payload: dict[str, Any]) -> Frame:
    data = json.dumps(payload).encode()
    return Frame(data, data)


def decode(*payloads: dict[str, Any]) -> list[Event]:
    decoder = ADAPTER.decoder()
    return [event for payload in payloads for event in decoder.feed(frame(payload))] + decoder.finish()


def end(*output: Any, **response: Any) -> dict[str, Any]:
    return {"type": "response.completed", "response": {"status": "completed", "output": list(output), **response}}


def text_delta(delta: Any, **keys: Any) -> dict[str, Any]:
    return {"type": "response.output_text.delta", "delta": delta, **keys}


def counts(path: Path) -> tuple[int, dict[str, int]]:
    frames, decoder = SSEDecoder(), ADAPTER.decoder()
    for piece in [*frames.feed(path.read_bytes()), *frames.flush()]:
        decoder.feed(piece)
    decoder.finish()
    return decoder.malformed, decoder.unknown


def test_adapter_is_registered():
    assert adapter(WIRE) is ADAPTER
    assert ADAPTER.wire == WIRE


def test_what_no_rule_knows_is_counted():
    assert counts(FIXTURES / "unknown-types.sse") == (0, {"response.hologram.delta": 1, "data without type": 2})
    assert counts(FIXTURES / "not-json.sse") == (3, {})
    assert counts(FIXTURES / "unknown-item.sse")[1] == {"response.quantum_call.spinning": 1, "quantum_call": 1}
    assert counts(FIXTURES / "unknown-part.sse")[1] == {"output_audio": 1}


def test_known_streams_count_nothing():
    for path in STREAMS:
        if not path.stem.startswith(("unknown", "not-json", "wrong-types")):
            assert counts(path) == (0, {}), path.stem


@needs_shared
def test_recorded_streams_count_nothing():
    for id in RECORDED:
        row = INDEX[id]
        if row["http_status"] == 200:
            assert counts(CORPUS / "cases" / row["body_file"]) == (0, {}), id


@pytest.mark.parametrize(
    "keys",
    [{"output_index": 0, "item_id": "m"}, {"output_index": 0}, {"item_id": "m"}, {"output_index": None}, {}],
    ids=["both", "index", "id", "null-index", "none"],
)
@pytest.mark.parametrize("announced", [True, False])
def test_text_deltas_by_any_key(keys, announced):
    item = {"type": "message", "content": [{"type": "output_text", "text": "abc"}]}
    item |= {"id": keys["item_id"]} if "item_id" in keys else {}
    place = {"output_index": keys["output_index"]} if "output_index" in keys else {}
    added = [{"type": "response.output_item.added", **place, "item": item | {"content": []}}] if announced else []
    deltas = [text_delta(letter, **keys) for letter in "abc"]
    done = {"type": "response.output_text.done", "text": "abc", **keys}
    item_done = {"type": "response.output_item.done", **place, "item": item}
    events = decode(*added, *deltas, done, item_done, end(item))
    assert [event.text for event in events if isinstance(event, Text)] == ["a", "b", "c"]


def test_the_short_path_serves_one_item_only():
    """A second item begins while the first is still remembered: its finished text is not doubled, nor lost."""
    item = {"type": "message", "id": "m2", "content": [{"type": "output_text", "text": "two"}]}
    events = decode(
        text_delta("one", output_index=0),
        {"type": "response.output_item.added", "output_index": 1, "item": item | {"content": []}},
        text_delta("t", output_index=1),
        text_delta("wo", output_index=1),
        text_delta("!", output_index=0),
        {"type": "response.output_item.done", "output_index": 1, "item": item},
        end(),
    )
    assert [event.text for event in events if isinstance(event, Text)] == ["one", "t", "wo", "!"]


def test_the_same_item_id_for_every_item():
    """Servers that reuse one id: the index tells the items apart."""
    messages = [{"type": "message", "id": "m", "content": [{"type": "output_text", "text": text}]} for text in "ab"]
    events = decode(
        text_delta("a", output_index=0, item_id="m"),
        {"type": "response.output_item.done", "output_index": 0, "item": messages[0]},
        {"type": "response.output_item.added", "output_index": 1, "item": messages[1] | {"content": []}},
        {"type": "response.output_item.done", "output_index": 1, "item": messages[1]},
        end(*messages),
    )
    assert [event.text for event in events if isinstance(event, Text)] == ["a", "b"]


@pytest.mark.parametrize("kind", sorted(OPAQUE_ITEMS))
def test_items_that_only_the_provider_reads(kind):
    item = {"type": kind, "id": "x", "payload": 12345678901234567890123}
    progress = {"type": f"response.{kind}.in_progress", "output_index": 0}
    streamed = decode(progress, {"type": "response.output_item.done", "output_index": 0, "item": item}, end(item))
    assert streamed[:-1] == [Reasoning("", item)] == decode(end(item))[:-1]


UNLIKE_THEIR_BODY = ("delta-and-done-differ", "call-interleaved", "error-then-completed", "wrong-types")


def terminal_response(path: Path) -> dict[str, Any] | None:
    """The response object of the last frame, where it holds the whole answer."""
    frames = SSEDecoder()
    *_, last = [*frames.feed(path.read_bytes()), *frames.flush()]
    payload = loads(last.data) if last.data and last.data[:11] == b'{"type":"re' else {}
    response = payload.get("response")
    return response if isinstance(response, dict) and response.get("object") and response.get("output") else None


WHOLE = [path for path in STREAMS if path.stem not in UNLIKE_THEIR_BODY and terminal_response(path)]


@pytest.mark.parametrize("path", WHOLE, ids=lambda path: path.stem)
def test_terminal_response_as_a_body_gives_the_answer_of_the_stream(path):
    body = run(WIRE, dumps(terminal_response(path)), content_type="application/json")
    assert corpus_form(body) == corpus_form(run(WIRE, path.read_bytes()))


@needs_shared
@pytest.mark.parametrize("id", RECORDED)
def test_recorded_terminal_response_as_a_body(id):
    row = INDEX[id]
    if row["http_status"] != 200 or "trimmed" in row["provenance"]:
        pytest.skip("not a whole answer")
    frames = SSEDecoder().feed((CORPUS / "cases" / row["body_file"]).read_bytes())
    ends = [loads(part.data) for part in frames if part.data and b'"response.completed"' in part.data]
    if not ends or not ends[-1]["response"]["output"]:
        pytest.skip("the terminal event does not hold the whole answer")
    body = run(WIRE, dumps(ends[-1]["response"]), content_type="application/json")
    answer = next(answer for answer in ANSWERS if answer["id"] == id)
    assert corpus_form(body) == {name: answer[name] for name in corpus_form(body)}


@pytest.mark.parametrize("depth", [600, 1000])
def test_types_that_are_nested_deeply(depth):
    deep = "[" * depth + "]" * depth
    part = f'{{"object":"response","status":"completed","output":[{{"type":"message","content":[{{"type":{deep}}}]}}]}}'
    item = f'{{"type":"response.output_item.done","output_index":{deep},"item":{{"type":{deep},"id":{deep}}}}}'
    for data in (f'{{"type":{deep},"error":{{"message":"x"}}}}', part, item):
        decoder = ADAPTER.decoder()
        events = [*decoder.feed(Frame(b"", data.encode())), *decoder.finish()]
        assert [type(event) for event in events].count(UsageEvent) == 1
        assert dumps([to_dict(event) for event in events])


def test_an_error_of_one_item_is_no_error_of_the_stream():
    failed = {"type": "response.mcp_call.failed", "output_index": 0, "error": {"message": "tool failed"}}
    events = decode(failed, text_delta("a", output_index=1), end())
    assert [type(event).__name__ for event in events] == ["Text", "UsageEvent"]


def test_phase_after_text_that_may_be_a_tag():
    """With the think option text is held back: what closes a message comes after it."""
    item = {"type": "message", "id": "m", "phase": "commentary"}
    decoder = ADAPTER.decoder(options=DecodeOptions(think_tags=True))
    events = decoder.feed(frame(text_delta("<thi", output_index=0)))
    events += decoder.feed(frame({"type": "response.output_item.done", "output_index": 0, "item": item}))
    assert events == [Text("<thi"), Text("", {"phase": "commentary"})]


def test_lone_surrogates_in_carried_items():
    data = b'{"type":"response.output_item.done","output_index":0,"item":{"type":"mcp_call","output":"\\ud83d"}}'
    assert ADAPTER.decoder().feed(Frame(data, data)) == [Reasoning("", {"type": "mcp_call", "output": "\ufffd"})]


@pytest.mark.parametrize(
    "item",
    [
        '{"type":"function_call","name":"f","call_id":"c","arguments":{"a":"\\udc00"}}',
        '{"type":"function_call","name":"f","call_id":"c","namespace":"\\udc00"}',
    ],
    ids=["arguments", "extras"],
)
def test_lone_surrogates_of_an_earlier_frame(item):
    """The call goes out with a later frame than the one that held the broken text."""
    data = f'{{"type":"response.output_item.added","output_index":0,"item":{item}}}'.encode()
    decoder = ADAPTER.decoder()
    events = decoder.feed(Frame(data, data)) + decoder.feed(frame(end())) + decoder.finish()
    assert_closed(events)
    assert "\ufffd" in dumps(to_dict(events[0])).decode()


def test_a_lone_surrogate_in_the_stop_word():
    decoder = ADAPTER.decoder()
    events = decoder.parse_body(b'{"object":"response","status":"\\udc00"}') + decoder.finish()
    assert_closed(events)


def test_nothing_is_read_after_the_stream_was_given_up():
    decoder = ADAPTER.decoder()
    decoder.feed(frame(text_delta("a", output_index=0)))
    assert len(decoder.abort(Error("too large", "frame_too_large", False))) == 1
    assert decoder.feed(frame(text_delta("b", output_index=0))) == []


def test_an_empty_answer_of_feed_is_no_shared_list():
    decoder = ADAPTER.decoder()
    nothing = decoder.feed(frame({"type": "keepalive"}))
    decoder.feed(frame(text_delta("a", output_index=0)))
    assert nothing == []


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
KINDS = [*sorted(ADAPTER.decoder()._HANDLERS), "response.web_search_call.searching", "response.created"]
FIELDS = ("output_index", "item_id", "content_index", "summary_index", "delta", "text", "part", "item", "arguments",
          "input", "response", "error", "refusal", "name")  # fmt: skip
ITEM = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["message", "reasoning", "function_call", "custom_tool_call", "mcp_call"]) | JSON,
        "id": st.sampled_from(["a", "b"]) | JSON,
        "call_id": st.sampled_from(["a", "c"]) | JSON,
        "name": st.just("f") | JSON,
        "arguments": st.just("{}") | JSON,
        "content": st.lists(st.fixed_dictionaries({"type": JSON, "text": JSON}), max_size=2) | JSON,
        "summary": JSON,
        "encrypted_content": JSON,
        "phase": JSON,
    },
)
RESPONSE = st.fixed_dictionaries(
    {},
    optional={
        "object": st.just("response"),
        "status": st.sampled_from(["completed", "incomplete", "failed", "queued"]) | JSON,
        "output": st.lists(ITEM | JSON, max_size=3) | JSON,
        "usage": st.dictionaries(st.sampled_from(["input_tokens", "output_tokens", "total_tokens"]), JSON) | JSON,
        "error": JSON,
        "model": JSON,
    },
)
PAYLOAD = st.fixed_dictionaries(
    {"type": st.sampled_from(KINDS)},
    optional=dict.fromkeys(FIELDS, JSON)
    | {"output_index": st.integers(0, 2) | JSON, "item": ITEM | JSON, "response": RESPONSE | JSON,
       "item_id": st.sampled_from(["a", "b", "c"]) | JSON, "delta": st.text(max_size=4) | JSON},
)  # fmt: skip


@given(st.lists(PAYLOAD | RESPONSE, max_size=12))
def test_any_payloads_close_once_and_keep_the_prefix_law(payloads):
    whole = decode(*payloads)
    assert_closed(whole)
    decoder = ADAPTER.decoder()
    fed = [event for payload in payloads for event in decoder.feed(frame(payload))]
    shown = [to_dict(event) for event in whole]
    assert [to_dict(event) for event in fed] == shown[: len(fed)]
    for cut in range(len(payloads)):
        part = ADAPTER.decoder()
        events = [event for payload in payloads[:cut] for event in part.feed(frame(payload))]
        assert [to_dict(event) for event in events] == shown[: len(events)]
        closing = part.finish()
        assert_closed([*events, *closing])
        assert not any(isinstance(event, Reasoning) and event.opaque is not None for event in closing)


@given(RESPONSE)
def test_any_body_closes_once(response):
    decoder = ADAPTER.decoder()
    assert_closed([*decoder.parse_body(dumps(response)), *decoder.finish()])
