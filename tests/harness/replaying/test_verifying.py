from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import End
from harness.recording.contents import Call, Part, Request, Response
from harness.replaying.verifying import difference
from tests.shared import SHARED, needs_shared


def sse(*payloads, end="[DONE]"):
    lines = [payload if isinstance(payload, str) else json.dumps(payload) for payload in (*payloads, end)]
    return "".join(f"data: {line}\n\n" for line in lines if line).encode()


def call(body=b"", content_type="text/event-stream", *, status=200, end=("eof", None), headers=(), bodies=False):
    """A call whose answer is `body`."""
    found = Call(0, Request("POST", "https://h/v1/chat/completions", [], {}, {"wire": "openai-chat"}), 0.0)
    found.response = Response(status, [("content-type", content_type), *headers])
    (found.bodies if bodies else found.frames).append(Part(body, 0, 0.0))
    found.end = End(end[0], end[1], "broke" if end[1] else "")
    found.end_record = {"kind": "call_end"}
    return found


def chunk(text=None, **fields):
    delta = {} if text is None else {"content": text}
    return {
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000, "model": "m",
        "system_fingerprint": "fp_a", "choices": [{"index": 0, "delta": delta, "finish_reason": None}], **fields,
    }  # fmt: skip


def tool_chunk(**fields):
    return chunk(choices=[{"index": 0, "delta": {"tool_calls": [{"index": 0, **fields}]}, "finish_reason": None}])


SAME = {
    "ids, times, fingerprints": (
        [chunk("a")], [chunk("a", id="x", created=1700000777, system_fingerprint="fp_b")],
    ),
    "where the text is cut": ([chunk("Hel"), chunk("lo")], [chunk("Hello")]),
    "where arguments are cut": (
        [tool_chunk(id="call_111", function={"name": "f", "arguments": ""}), tool_chunk(function={"arguments": '{"a"'}),
         tool_chunk(function={"arguments": ":1}"})],
        [tool_chunk(id="toolu_222", function={"name": "f", "arguments": ""}),
         tool_chunk(function={"arguments": '{"a":1}'})],
    ),
    "pings": (
        [{"type": "ping"}, {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "ab"}}],
        [{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "a"}}, {"type": "ping"},
         {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "b"}}],
    ),
    "padding and numbers": (
        [{"type": "response.output_text.delta", "delta": "a", "sequence_number": 4, "obfuscation": "xxx"}],
        [{"type": "response.output_text.delta", "delta": "a", "sequence_number": 9, "item_id": "y"}],
    ),
    "usage with each piece": (
        [{"candidates": [{"content": {"parts": [{"text": "a"}]}}], "usageMetadata": {"total": 1}},
         {"candidates": [{"content": {"parts": [{"text": "b"}]}}], "usageMetadata": {"total": 2}}],
        [{"candidates": [{"content": {"parts": [{"text": "ab"}]}}], "usageMetadata": {"total": 2}}],
    ),
    "order of members": ([{"a": 1, "b": 2}], [{"b": 2, "a": 1}]),
    "placeholders": ([{"a": "[redacted:key:1]"}], [{"a": "[redacted:key:7]"}]),
    "nested signatures": (
        [{"parts": [{"thoughtSignature": "AAAA", "text": "x"}]}],
        [{"parts": [{"thoughtSignature": "BBBB", "text": "x"}]}],
    ),
}  # fmt: skip

DIFFERENT = {
    "text": ([chunk("a")], [chunk("b")], 'frame 0: choices[0].delta.content: recorded "a", live "b"'),
    "later text": (
        [chunk("a"), chunk("b"), chunk(usage={"t": 1})], [chunk("ab"), chunk(usage={"t": 2})],
        "frame 2: usage.t: recorded 1, live 2",
    ),
    "a new field": ([{"a": 1}], [{"a": 1, "new": True}], "frame 0: new: recorded nothing, live true"),
    "a new event": (
        [chunk("a")], [chunk("a"), {"type": "other"}],
        'frame 1: body: recorded "[DONE]", live {"type":"other"}',
    ),
    "one event less": (
        [chunk("a"), {"type": "other"}], [chunk("a")],
        'frame 1: body: recorded {"type":"other"}, live "[DONE]"',
    ),
    "an id among the arguments of a call": (
        [{"type": "tool_use", "id": "x", "input": {"id": 7}}], [{"type": "tool_use", "id": "y", "input": {"id": 8}}],
        "frame 0: input.id: recorded 7, live 8",
    ),
    "finish reason": (
        [{"choices": [{"finish_reason": "stop"}]}], [{"choices": [{"finish_reason": "length"}]}],
        'frame 0: choices[0].finish_reason: recorded "stop", live "length"',
    ),
}  # fmt: skip


@pytest.mark.parametrize(("one", "other"), SAME.values(), ids=SAME)
def test_what_is_volatile_is_no_difference(one, other):
    assert difference(call(sse(*one)), call(sse(*other))) is None
    assert difference(call(sse(*other)), call(sse(*one))) is None


@pytest.mark.parametrize(("one", "other", "told"), DIFFERENT.values(), ids=DIFFERENT)
def test_the_first_difference_is_told(one, other, told):
    assert difference(call(sse(*one)), call(sse(*other))) == told
    assert difference(call(sse(*one)), call(sse(*one))) is None


def test_the_end_of_the_stream():
    one, other = call(sse(chunk("a"), end="")), call(sse(chunk("a"), {"x": 1}, end=""))
    assert difference(one, other) == 'the end of the stream: live goes on with {"x":1}'
    assert difference(other, one) == 'the end of the stream: recorded goes on with {"x":1}'


def test_chunk_borders_say_nothing():
    body = sse(chunk("a"), chunk("b"))
    other = call(body)
    other.frames = [Part(body[:9], 0, 0.0, []), Part(body[9:], 1, 0.5, [3, 7])]
    assert difference(call(body), other) is None


@pytest.mark.parametrize(
    ("one", "other", "told"),
    [
        (call(status=200), call(status=429), "status: recorded 200, live 429"),
        (call(), call(content_type="application/json; charset=utf-8"),
         'content type: recorded "text/event-stream", live "application/json"'),
        (call(), call(end=("error", "ReadError")), 'the end: recorded "eof", live "ReadError: broke"'),
        (call(b'{"id":1,"a":[1]}', "application/json", bodies=True),
         call(b'{"id":2,"a":[2]}', "application/json", bodies=True), "body: a[0]: recorded 1, live 2"),
        (call(b"a", "text/plain", bodies=True), call(b"b", "text/plain", bodies=True),
         'body: body: recorded "a", live "b"'),
    ],
)  # fmt: skip
def test_what_else_can_differ(one, other, told):
    assert difference(one, other) == told


def test_json_bodies_without_what_is_volatile():
    one = call(b'{"id":1,"created":5,"a":1}', "application/json", bodies=True)
    other = call(b'{"a":1,"created":6,"id":2}', "Application/JSON; charset=utf-8", bodies=True)
    assert difference(one, other) is None


def test_a_call_without_an_answer():
    refused, other = call(end=("error", "ConnectError")), call()
    refused.response = None
    assert difference(refused, refused) is None
    assert "ConnectError: broke" in (difference(refused, other) or "")


def test_a_client_that_leaves_after_the_end_mark():
    left = call(sse(chunk("a")), end=("closed", None))
    left.event_records = [{"event": {"type": "usage", "complete": True}}]
    assert difference(call(sse(chunk("a"))), left) is None


@needs_shared
def test_case_66():
    run = json.loads((SHARED / "cases" / "66-diff-volatile-fields.json").read_text())

    def answer(given):
        pieces = [
            chunk(text, created=given["created"], system_fingerprint=given["system_fingerprint"])
            for text in given["chunks"]
        ]
        tool = tool_chunk(id=given["tool_id"], function={"name": "f", "arguments": "{}"})
        return call(sse(*pieces, tool))

    assert difference(answer(run["run_a"]), answer(run["run_b"])) is None


@given(st.text(min_size=1), st.integers())
def test_any_cut_of_a_text_is_the_same_text(text, seed):
    chance = random.Random(seed)
    cuts = sorted(chance.randrange(len(text) + 1) for _ in range(3))
    pieces = [text[a:b] for a, b in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    one, other = sse(chunk(text)), sse(*(chunk(piece) for piece in pieces))
    if all(pieces):
        assert difference(call(one), call(other)) is None
