"""Secrets in streams that are parallel, interrupted, cut off or of no known format, and in bodies."""

from __future__ import annotations

import json
import random
import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.sse import SSEDecoder
from harness.redaction.held_frames import PATIENCE, PATIENCE_ELSEWHERE, HeldFrames
from harness.redaction.redactor import Redactor
from tests.harness.planted import KINDS, SECRETS, WIRES, held_in, payloads, pieces, record, redactor, sse, stream
from tests.harness.transports import Reply
from tests.shared import SHARED, needs_shared

KEY, OTHER = SECRETS["openai"], SECRETS["github"]
JSON, HTML = "application/json", "text/html"


def held(*raws, rules=None):
    """What becomes of frames; the redacted bytes of each."""
    redact = rules or redactor(user_rules=False)
    frames = HeldFrames(redact)
    found = []
    for frame in SSEDecoder().feed(b"".join(raws)):
        if frames.passes(frame):
            found.append(frame.raw)
        else:
            found += [redact.bytes(item.raw) for item in frames.hold(frame, None)]
    return found + [redact.bytes(item.raw) for item in frames.flush()]


def values(raws):
    return [json.loads(frame.data) for raw in raws for frame in SSEDecoder().feed(raw) if frame.data]


PARALLEL = [("openai-chat", "arguments"), *product(("openai-responses", "anthropic"), KINDS)]


@pytest.mark.parametrize(("wire", "kind"), PARALLEL)
def test_parallel_parts(tmp_path, wire, kind):
    """Two texts come turn by turn, each with a secret of its own in pieces."""
    texts = [f'{{"a":"{secret} !"}}' if kind == "arguments" else f"{secret} !" for secret in (KEY, OTHER)]
    length = max(map(len, texts))
    for step in (1, 3, 7):
        cuts = [*range(step, length, step)]
        first, second = (payloads(wire, kind, pieces(text.ljust(length), cuts), n) for n, text in enumerate(texts))
        frames = [sse(payload) for pair in zip(first, second, strict=True) for payload in pair]
        found = record(tmp_path / "r.jsonl", wire, Reply(frames), redactor())
        assert held_in(found.data) == []
        whole = json.dumps(values(part.raw for part in found.call.frames))
        assert whole.count("[redacted:openai:1]") == whole.count("[redacted:github:1]") == 1


@pytest.mark.parametrize("last", [False, True], ids=["index-first", "index-last"])
def test_choices(last):
    def frame(index, text):
        delta = {"delta": {"content": text}}
        return sse({"choices": [{**delta, "index": index} if last else {"index": index, **delta}]})

    halves = [frame(n, text) for texts in zip(pieces(KEY, [9]), pieces(OTHER, [9]), strict=True)
              for n, text in enumerate(texts)]  # fmt: skip
    found = values(held(*[frame(0, "a "), frame(1, "b ")] * 4, *halves))
    texts = [
        "".join(v["choices"][0]["delta"]["content"] for v in found if v["choices"][0]["index"] == n) for n in (0, 1)
    ]
    assert texts == ["a a a a [redacted:openai:1]", "b b b b [redacted:github:1]"]


@pytest.mark.parametrize("wire", ["openai-chat", "openai-responses", "anthropic"])
def test_parts_are_not_joined_with_others(tmp_path, wire):
    one, other = payloads(wire, "arguments", [f'{{"a":"{KEY[:9]}'], 0), payloads(wire, "arguments", [KEY[9:]], 1)
    frames = [sse(payload) for payload in (*one, *other)]
    found = record(tmp_path / "r.jsonl", wire, Reply(frames), redactor())
    assert [part.raw for part in found.call.frames] == frames


def test_texts_that_a_provider_splits_over_several_fields():
    start = {"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": KEY[:5]}}
    delta = {"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": KEY[5:]}}
    assert values(held(sse(start), sse(delta)))[0]["content_block"]["text"] == "[redacted:openai:1]"
    as_text = {"choices": [{"delta": {"content": KEY[:5]}}]}
    as_parts = {"choices": [{"delta": {"content": [{"type": "text", "text": KEY[5:]}]}}]}
    assert values(held(sse(as_text), sse(as_parts)))[1]["choices"][0]["delta"]["content"][0]["text"] == ""
    parts = [{"candidates": [{"content": {"parts": [{"text": text} for text in texts]}}]}
             for texts in (["a", KEY[:5]], [KEY[5:], " b"])]  # fmt: skip
    found = values(held(*map(sse, parts)))
    assert [part["text"] for value in found for part in value["candidates"][0]["content"]["parts"]] == [
        "a", "[redacted:openai:1]", "", " b",
    ]  # fmt: skip


class TestInterruptions:
    def text(self, text):
        return sse({"choices": [{"index": 0, "delta": {"content": text}}]})

    @pytest.mark.parametrize("between", [b": ping\n\n", b"event: ping\ndata: {}\n\n", b"data: [1]\n\n"])
    @pytest.mark.parametrize("count", [1, PATIENCE])
    def test_frames_in_between(self, between, count):
        raws = [self.text("a " + KEY[:1]), *[between] * count, self.text(KEY[1:] + " b")]
        found = held(*raws)
        assert b"".join(found[1:-1]) == between * count
        texts = [values(raws)[0]["choices"][0]["delta"]["content"] for raws in (found[:1], found[-1:])]
        assert texts == ["a [redacted:openai:1]", " b"]

    def test_a_text_that_never_comes_again_is_given_up(self):
        redact = redactor(user_rules=False)
        frames = HeldFrames(redact)
        (one, *others) = SSEDecoder().feed(self.text("a s") + b": ping\n\n" * 200)
        assert frames.hold(one, None) == []
        waited = 0
        while not (released := frames.hold(others[waited], None)):
            waited += 1
        assert PATIENCE < waited < 2 * PATIENCE
        assert [item.frame for item in released] == [one, *others[: waited + 1]]
        assert not frames.waiting

    def test_texts_elsewhere_are_given_up_soon(self):
        frames = HeldFrames(redactor(user_rules=False))
        found = [frames.hold(frame, None) for frame in SSEDecoder().feed(sse({"id": "x s"}) + sse({"n": 1}) * 9)]
        assert [len(some) for some in found[: PATIENCE_ELSEWHERE + 2]] == [0] * (PATIENCE_ELSEWHERE + 1) + [4]

    def test_what_is_held_is_bounded(self, monkeypatch):
        sent = SSEDecoder().feed(self.text("Bearer ") + self.text("a") * 60)
        monkeypatch.setattr("harness.redaction.held_frames.MOST_FRAMES", 10)
        frames = HeldFrames(redactor(user_rules=False))
        assert max(len(frames.hold(frame, None)) for frame in sent) == 11
        monkeypatch.setattr("harness.redaction.held_frames.MOST_BYTES", 500)
        frames = HeldFrames(redactor(user_rules=False))
        assert 1 < max(len(frames.hold(frame, None)) for frame in sent) < 11

    def test_a_value_that_is_learned_meanwhile(self):
        redact = Redactor()
        frames = HeldFrames(redact)
        found = []
        for number, frame in enumerate(
            SSEDecoder().feed(b"".join(map(self.text, ("a ", "b ", "c ", "zeb", "ra-zebra"))))
        ):
            if number == 3:
                redact.learn("zebra-zebra")
            if frames.passes(frame):
                found.append(frame.raw)
            else:
                found += [item.raw for item in frames.hold(frame, None)]
        found += [item.raw for item in frames.flush()]
        assert "".join(v["choices"][0]["delta"]["content"] for v in values(found)) == "a b c [redacted:key:1]"


@pytest.mark.parametrize("name", ["openai", "learned", "key"])
@pytest.mark.parametrize("wire", WIRES)
def test_a_stream_that_is_cut_off_anywhere(tmp_path, wire, name):
    """In the joined text nothing is left that a redactor would find."""
    frames = stream(wire, "text", ["Key: ", *pieces(SECRETS[name], [4, 17])])[: 4 + (wire == "anthropic")]
    body = b"".join(frames)
    start = sum(map(len, frames[:-2]))
    for end in range(start, len(body), 5):
        reply = Reply([body[:end]], end=("ReadError", f"reset, see {SECRETS[name]}"))
        found = record(tmp_path / "r.jsonl", wire, reply, redactor(user_rules=False))
        assert held_in(found.data) == []
        last = found.call.frames[-1]
        rest = last.raw.decode("utf-8", "replace") if last.unterminated else ""
        tail = re.search(r'"(?:content|delta|text)": ?"([^"]*)\Z', rest.rstrip("}]\n").removesuffix('"'))
        text = found.text("text") + (tail[1] if tail and not found.text("text").endswith(tail[1]) else "")
        assert redactor(user_rules=False).find(text.encode()) == []


@pytest.mark.parametrize("form", ["{}", '{{"tok": "{}"}}', '{{"a": {{"b": ["x", "{}"]}}}}'])
@pytest.mark.parametrize("name", ["openai", "learned", "cookie", "aws", "github"])
def test_streams_of_unknown_formats(tmp_path, name, form):
    for cut in range(len(SECRETS[name]) + 1):
        texts = ["is ", *pieces(SECRETS[name], [cut]), " ok"]
        frames = [f"data: {form.format(text)}\r\n\r\n".encode() for text in texts]
        found = record(tmp_path / "r.jsonl", None, Reply(frames), redactor(user_rules=False))
        assert held_in(found.data) == []
        sent = SSEDecoder().feed(found.call.body())
        joined = "".join(frame.data.decode() for frame in sent[1:])
        assert joined.replace(form.format(""), "").count("[redacted:") == 1


def documents(name):
    secret = SECRETS[name]
    lead = "Bearer " if name == "bearer" else ""
    yield JSON, 401, json.dumps({"error": {"message": f"wrong key {lead}{secret} given", "n": 1}, "more": [1, 2]})
    yield JSON, 200, json.dumps({"choices": [{"message": {"content": f"it is {lead}{secret}"}}]}, ensure_ascii=False)
    yield HTML, 502, f"<html><head><title>Bad</title></head><body>\n<p>{lead}{secret}</p></body></html>"


@pytest.mark.parametrize("name", SECRETS)
def test_bodies_at_every_byte(tmp_path, name):
    for content_type, status, text in documents(name):
        body = text.encode()
        wire = None if status == 200 else "openai-chat"
        rng = random.Random(name)
        for cut in range(0, len(body), 1 if name == "openai" else 9):
            cuts = sorted({cut, *(rng.randrange(len(body)) for _ in range(rng.randrange(3)))})
            chunks = [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]
            reply = Reply([chunk for chunk in chunks if chunk], status, content_type)
            found = record(tmp_path / "r.jsonl", wire, reply, redactor(user_rules=name == "badge"))
            assert held_in(found.data) == []
            recorded = found.call.body()
            assert recorded.count(b"[redacted:") == 1
            if content_type == JSON:
                json.loads(recorded)


@pytest.mark.parametrize("name", ["openai", "badge", "key"])
def test_a_list_of_frames_as_body(tmp_path, name):
    text = SECRETS[name]
    for cut in range(1, len(text)):
        items = payloads("gemini", "text", ["It is ", *pieces(text, [cut]), "."])
        body = json.dumps(items, indent=1).encode()
        found = record(tmp_path / "r.jsonl", "gemini", Reply([body[:200], body[200:]], 200, JSON), redactor())
        assert held_in(found.data) == []
        assert found.text("text") == f"It is [redacted:{name}:1]."


chars = st.sampled_from([*'sk-AIzagh_p xobB\\"\n/%é-u002', "sk-", "Bearer ", "-----BEGIN ", "A", "\ud83d", " "])
texts = st.lists(chars, max_size=6).map("".join)


@given(st.sampled_from(WIRES), st.sampled_from(KINDS), st.lists(texts, max_size=25), st.booleans(), st.randoms())
def test_streams_without_a_secret_are_recorded_byte_by_byte(wire, kind, parts, known, rng):
    rules = Redactor({"K": SECRETS["openai"], "L": "-sAgb-xB s-"} if known else {})
    raws = [raw if rng.random() < 0.9 else raw.replace(b"\n", b"\r\n") for raw in stream(wire, kind, parts)]
    whole = "".join(parts).encode("utf-8", "surrogatepass")
    if not rules.find(whole) and all(rules.bytes(raw) is raw for raw in raws):
        assert held(*raws, rules=rules) == [frame.raw for frame in SSEDecoder().feed(b"".join(raws))]


def test_what_is_written_when_the_process_dies(tmp_path):
    """All but the frames that wait for the next."""
    frames = stream("openai-chat", "text", ["I ", "do ", "not ", "need ", "to "] * 9 + [KEY[:9]])[:-1]
    found = record(tmp_path / "r.jsonl", "openai-chat", Reply(frames), redactor(user_rules=False))
    assert found.before.count(b'"kind":"frame"') == len(frames) - 1
    assert found.data.count(b'"kind":"frame"') == len(frames)
    assert KEY[:9].encode() not in found.before


@needs_shared
@pytest.mark.parametrize("value", [None, KEY, "eyJhbGciOiJIUzI1NiJ9", "a8f3c2e1d4b5a697"])
def test_streams_of_real_providers(value):
    """They hold no secret: whatever waits, each frame comes out as it came in, in order."""
    rules = Redactor({"K": value} if value else {})
    for path in sorted((SHARED / "corpus" / "cases").rglob("*.sse")):
        body = path.read_bytes()
        assert held(body, rules=rules) == [frame.raw for frame in SSEDecoder().feed(body)], path.name
