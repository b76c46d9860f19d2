"""The short way writes what the long way writes."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import EOF, DecodeOptions
from harness.recorder import call_recorder
from harness.recorder.call_recorder import CallRecorder
from harness.recorder.outlet import Outlet
from harness.redaction.redactor import Redactor, Rule

KEY = "bench-key-0123456789"
SHAPED = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


def chat(content, obfuscation="xyz", **more):
    payload = {"model": "m", "choices": [{"index": 0, "delta": {"content": content}}], **more}
    return b"data: " + json.dumps({**payload, "obfuscation": obfuscation}).encode() + b"\n\n"


def anthropic(text, blanks=4):
    delta = json.dumps({"type": "text_delta", "text": text}, ensure_ascii=False)
    data = f'{{"type":"content_block_delta","index":0,"delta":{delta}{" " * blanks}}}'
    return f"event: content_block_delta\ndata: {data}\n\n".encode()


class Recorded:
    """The records of one call, and how many of its frames went the short way."""

    def __init__(self, wire, chunks, redactor=None, meanwhile=()):
        self.records, self.short = [], 0
        redactor = redactor or Redactor({"BENCH_API_KEY": KEY})
        outlet = Outlet(self.write, self.write_one, self.fail, lambda event: None, lambda: 1.25, redactor)
        call = CallRecorder(3, wire, DecodeOptions(), url="https://x/v1", outlet=outlet, ended=lambda call: None)
        call.response(200, [("content-type", "text/event-stream")])
        learned = dict(meanwhile)
        for number, chunk in enumerate(chunks):
            if number in learned:
                redactor.learn(learned[number])
            call.chunk(chunk)
        call.end(EOF)

    def write(self, records):
        for record in records:
            if isinstance(record, tuple):
                count, lines_of, what = record
                self.short += count // 2
                lines = lines_of(7, what).split(b"\n")
                assert lines.pop() == b""
                for seq, line in enumerate(lines, 7):
                    record = json.loads(line)
                    assert record.pop("seq") == seq
                    self.records.append(record)
                assert len(lines) == count
            else:
                self.records.append({name: value for name, value in record.items() if name != "seq"})

    def write_one(self, ready):
        self.write([ready])

    def fail(self, error):
        raise error

    @property
    def text(self):
        return json.dumps(self.records, ensure_ascii=False)


def the_long_way(monkeypatch, *arguments):
    with monkeypatch.context() as patch:
        patch.setattr(call_recorder.TextRun, "records", lambda *_, **__: None)
        patch.setattr(call_recorder.TextRun, "run", lambda *_: None)
        recorded = Recorded(*arguments)
    assert recorded.short == 0
    return recorded


WORDS = [
    "a",
    " the",
    "\n\n",
    ' "x"',
    "\\",
    "\u00e9",
    "\u2028",
    "\x7f",
    "\U0001f600",
    "{",
    " s",
    "sk",
    "b",
    KEY[:5],
    KEY[5:],
]


@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
def test_nearly_all_frames_go_the_short_way(monkeypatch, wire):
    frames = [
        (chat if wire == "openai-chat" else anthropic)(word) for word in [" ok", " yet", " the", "\n", ' "q"'] * 9
    ]
    if wire == "anthropic":
        frames.insert(0, b'event: message_start\ndata: {"type":"message_start","message":{"model":"m"}}\n\n')
    recorded = Recorded(wire, frames)
    assert recorded.short >= len(frames) - 4
    assert recorded.records == the_long_way(monkeypatch, wire, frames).records


@pytest.mark.parametrize("size", [150, 700, 5000])
@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
def test_frames_that_come_together_go_the_short_way_too(monkeypatch, wire, size):
    body = b"".join((chat if wire == "openai-chat" else anthropic)(word) for word in [" ok", " yet", "\n", ' "q"'] * 20)
    chunks = [body[at : at + size] for at in range(0, len(body), size)]
    recorded = Recorded(wire, chunks)
    assert recorded.short > 50 if size < 5000 else recorded.short > 20
    assert recorded.records == the_long_way(monkeypatch, wire, chunks).records


@given(st.lists(st.sampled_from(WORDS), max_size=30), st.data())
@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
def test_the_short_way_writes_what_the_long_way_writes(wire, words, data):
    body = b"".join((chat if wire == "openai-chat" else anthropic)(word) for word in [" ok", " yet", *words])
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=12)))
    chunks = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        assert Recorded(wire, chunks).records == the_long_way(patch, wire, chunks).records


ODD_CHUNKS = [
    b"\n", b"\r", b"\r\n", b"\n\n", b": ping\n\n", b"\xef\xbb\xbf", b"data: {\n\n", b"data: [DONE]\n\n", b"id: 7\n",
    chat(KEY), chat("a")[:-1], chat("a")[:40], chat("a") + chat("b"), chat("a") + b"\n", anthropic("a", 0), b"x",
]  # fmt: skip


@given(st.lists(st.sampled_from(ODD_CHUNKS) | st.sampled_from(WORDS), max_size=20))
@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
def test_a_frame_a_chunk_among_others(wire, pieces):
    """A chunk that is one frame takes the shortest way; what comes between must not lead it astray."""
    make = chat if wire == "openai-chat" else anthropic
    chunks = [make(" ok"), make(" yet"), *(make(piece) if type(piece) is str else piece for piece in pieces)]
    with pytest.MonkeyPatch.context() as patch:
        assert Recorded(wire, chunks).records == the_long_way(patch, wire, chunks).records


@pytest.mark.parametrize("secret", [KEY, SHAPED, "Bearer abcdefghijklmnopqrst"], ids=["value", "shape", "bearer"])
@pytest.mark.parametrize("place", ["text", "obfuscation"])
def test_no_secret_goes_the_short_way(secret, place):
    frames = [*(chat(" ok") for _ in range(9)), chat(" ")]
    frames.append(chat(secret) if place == "text" else chat(" yet", secret.replace(" ", "")))
    frames += [chat(" ok") for _ in range(9)]
    recorded = Recorded("openai-chat", frames)
    assert recorded.short >= 12
    if place == "text" or secret != "Bearer abcdefghijklmnopqrst":
        assert secret not in recorded.text


def test_no_secret_split_over_frames_goes_the_short_way():
    for at in range(1, len(SHAPED)):
        words = [" ok", " yet", " ok ", SHAPED[:at], SHAPED[at:], " ok", " yet"]
        recorded = Recorded("openai-chat", [chat(word) for word in words])
        assert SHAPED not in "".join(
            r["event"]["text"] for r in recorded.records if r["kind"] == "event" and "text" in r["event"]
        )


def test_a_value_that_is_learned_later_is_not_written_from_then_on():
    frames = [chat(" ok", id="id-0123456789") for _ in range(12)]
    recorded = Recorded("openai-chat", frames, None, [(6, "id-0123456789")])
    raws = [record["raw"] for record in recorded.records if record["kind"] == "frame"]
    assert ["id-0123456789" in raw for raw in raws] == [True] * 6 + [False] * 6


def test_rules_of_the_user_are_minded():
    redactor = Redactor(rules=[Rule("word", "k+")])
    recorded = Recorded("openai-chat", [chat(" okk") for _ in range(9)], redactor)
    assert recorded.short == 0
    assert " okk" not in recorded.text
