"""Bytes to numbered events: whatever comes, and however it is cut, as `Framer` and `ResponseDecoder` give it."""

from __future__ import annotations

import json
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import EOF, End, Error, Text
from agent.response import Framer, ResponseDecoder
from agent.response_reader import ResponseReader
from tests.agent.providers.streams import SSE, chunks, random_sizes
from tests.agent.providers.test_mutations import EVENT_STREAMS


def plainly(wire, body, *, content_type=SSE, status=200, end=EOF):
    """The events frame by frame, with their numbers."""
    framer, decoder = Framer(content_type), ResponseDecoder(wire, status=status)
    frames = framer.feed(body)
    if framer.is_stream is False:
        decoder.body(framer.body(body))
    frames += framer.flush()
    found = [(number, event) for number, frame in enumerate(frames) for event in decoder.frame(frame)]
    return found + [(None, event) for event in decoder.finish(end)]


def quickly(wire, body, sizes=None, *, content_type=SSE, status=200, end=EOF):
    reader = ResponseReader(wire, content_type=content_type, status=status)
    found = [event for chunk in chunks(body, sizes) for event in reader.feed(chunk)]
    return found + reader.finish(end)


def chat(text, pad="xY1", **more):
    delta = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    payload = {"id": "c", "model": "m", **delta, **more, **({"obfuscation": pad} if pad is not None else {})}
    return b"data: " + json.dumps(payload, separators=(",", ":"), ensure_ascii=False).encode() + b"\n\n"


def anthropic(text, pad="  "):
    delta = json.dumps({"type": "text_delta", "text": text}, ensure_ascii=False)
    payload = f'{{"type":"content_block_delta","index":0,"delta":{delta}{pad}}}'
    return f"event: content_block_delta\ndata: {payload}\n\n".encode()


@pytest.mark.parametrize("path", EVENT_STREAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_fixtures_in_any_chunks(path):
    wire, body = path.parent.name, path.read_bytes()
    if wire == "http-errors":
        pytest.skip("no stream of a format")
    expected = plainly(wire, body)
    for sizes in (None, 1, 7, 300, *(random_sizes(body, seed, longest=900) for seed in range(5))):
        assert quickly(wire, body, sizes) == expected
    for seed in range(30):
        source = random.Random(seed)
        damaged = bytearray(body)
        for _ in range(source.randint(1, 4)):
            damaged[source.randrange(len(damaged))] = source.choice(b'"\\\n\r{}:,a \x00\xff')
        damaged = bytes(damaged)
        assert quickly(wire, damaged, random_sizes(body, seed, longest=2000)) == plainly(wire, damaged)


TEXTS = st.text(st.sampled_from('ab"\\{}:,/\n\r\u2028\u00e9\U0001f600 '), max_size=5)
OTHERS = st.sampled_from(
    [
        b": comment\n\n", b"\n", b"data: {\n\n", b"id: 7\n", b"data: [DONE]\n\n", b"\r\n", chat("a", None),
        chat("b", "x y"),
        chat("c").replace(b'"c"', b'"\\ud83d"'), chat("c").replace(b'"c"', b'"\xff"'),
        chat("c").replace(b'"c"', b'"a","b"'), chat("c").replace(b'"c"', b'"\\"'),
        chat("c", usage={"prompt_tokens": 1}), chat("c", error={"message": "no"}),
        anthropic("a", ""), anthropic("a", "      "), b"event: message_stop\n", b'data: {"type":"message_stop"}\n\n',
        b'data: {"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n',
    ]
)  # fmt: skip
ALIKE = st.builds(chat, TEXTS, st.sampled_from(["", "x", "xyz09"])) | st.builds(anthropic, TEXTS)


@given(
    st.sampled_from(["openai-chat", "anthropic"]),
    st.lists(st.lists(ALIKE, min_size=1, max_size=6).map(b"".join) | OTHERS, max_size=8).map(b"".join),
    st.integers(0, 2**32),
    st.integers(1, 3000),
    st.sampled_from([EOF, End("closed"), End("error", "ReadError", "gone")]),
)
def test_any_frames_in_any_chunks(wire, body, seed, longest, end):
    expected = plainly(wire, body, end=end)
    assert quickly(wire, body, random_sizes(body, seed, longest), end=end) == expected
    assert quickly(wire, body, end=end) == expected


def test_frames_alike_are_counted():
    body = b"".join(chat(f"word {number}") for number in range(20))
    reader = ResponseReader("openai-chat", content_type=SSE)
    found = [event for chunk in chunks(body, 1000) for event in reader.feed(chunk)]
    assert found == [(number, Text(f"word {number}")) for number in range(20)]
    assert reader.frames == 20
    assert reader.feed(chat("more")) == [(20, Text("more"))]


def test_a_frame_that_is_too_large(monkeypatch):
    monkeypatch.setattr("agent.response_reader.Framer", lambda content_type: Framer(content_type, limit=400))
    reader = ResponseReader("openai-chat", content_type=SSE)
    found = reader.feed(chat("a")) + reader.feed(chat("b" * 500)) + reader.feed(chat("c")) + reader.finish()
    assert [event for _, event in found if isinstance(event, Text)] == [Text("a")]
    assert [event.kind for _, event in found if isinstance(event, Error)] == ["frame_too_large"]
    assert reader.overflowed


@pytest.mark.parametrize(
    ("body", "content_type", "status"),
    [
        (b'{"error":{"message":"no"}}', "application/json", 401),
        (b"data: x\n\n", SSE, 500),
        (b'{"model":"m","choices":[{"message":{"content":"hi"},"finish_reason":"stop"}]}', "application/json", 200),
        (b"<html>", None, 200),
        (b"", SSE, 200),
    ],
)
@pytest.mark.parametrize("size", [None, 1, 5])
def test_bodies_and_errors(body, content_type, status, size):
    options = {"content_type": content_type, "status": status}
    assert quickly("openai-chat", body, size, **options) == plainly("openai-chat", body, **options)


def test_a_stream_that_stops_inside_a_frame():
    body = chat("a") + chat("b")[:-1]
    reader = ResponseReader("openai-chat", content_type=SSE)
    assert reader.feed(body) == [(0, Text("a"))]
    assert reader.flush() == [(1, Text("b"))]
