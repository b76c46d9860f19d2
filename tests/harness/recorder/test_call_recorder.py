from __future__ import annotations

import json
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import EOF, DecodeOptions, End
from agent.response import Framer
from harness.recorder.call_recorder import CallRecorder
from harness.recorder.outlet import Outlet
from harness.recording.cuts import timed_chunks
from harness.recording.records import raw_bytes
from harness.redaction.redactor import Redactor

SSE = [("content-type", "text/event-stream")]
TEXT = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'
DONE = b'data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


class Bench:
    """A call recorder whose records are kept. Its clock ticks once a look."""

    def __init__(self, redactor=None, wire="openai-chat", headers=SSE, status=200):
        self.records = []
        self.writes = []
        self.faults = []
        self.events = []
        self.ended = []
        self.now = 0.0
        outlet = Outlet(
            self.write, self.write_one, self.faults.append, self.events.append, self.clock, redactor or Redactor()
        )
        self.call = CallRecorder(0, wire, DecodeOptions(), url="https://x/v1", outlet=outlet, ended=self.ended.append)
        if headers is not None:
            self.call.response(status, headers)

    def write(self, records):
        self.writes.append(len(records))
        for record in records:
            lines = "0".join(record).split("\n") if isinstance(record, tuple) else [json.dumps(record)]
            self.records += map(json.loads, lines)

    def write_one(self, ready):
        self.write([ready])

    def clock(self):
        self.now += 1.0
        return self.now

    def feed(self, *chunks, end=EOF):
        for chunk in chunks:
            self.call.chunk(chunk)
        if end is not None:
            self.call.end(end)
        return self

    def of(self, kind):
        return [record for record in self.records if record["kind"] == kind]

    @property
    def types(self):
        return [record["event"]["type"] for record in self.of("event")]

    def chunks(self):
        parts = [*self.of("frame"), *self.of("body")]
        return timed_chunks((raw_bytes(part), part.get("cuts"), part.get("cut_t", ()), part["t"]) for part in parts)


def test_one_chunk_is_one_write():
    bench = Bench().feed(TEXT + TEXT, TEXT[:5], TEXT[5:])
    assert [(r["kind"], r["t"]) for r in bench.records[1:5]] == [
        ("frame", 2.0), ("event", 2.0), ("frame", 2.0), ("event", 2.0),
    ]  # fmt: skip
    assert bench.writes == [1, 4, 0, 2, 3]
    assert bench.ended == [bench.call]


@given(st.lists(st.sampled_from([TEXT, b"data: x\r\n\r\n", b": c\n", b"\n", b"data: half"]), max_size=8), st.data())
def test_chunks_and_their_times_are_rebuilt(parts, data):
    body = b"".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=10)))
    chunks = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    content_type = data.draw(st.sampled_from(["text/event-stream", "application/json", "text/plain"]))
    bench = Bench(headers=[("content-type", content_type)])
    expected = []
    for chunk in chunks:
        bench.call.chunk(chunk)
        if chunk:
            expected.append((bench.now, chunk))
    bench.call.end(EOF)
    assert bench.chunks() == expected
    assert b"".join(raw_bytes(r) for r in [*bench.of("frame"), *bench.of("body")]) == body
    assert bench.of("call_end")[0]["bytes"] == len(body)
    assert [r["i"] for r in bench.of("frame")] == list(range(len(bench.of("frame"))))
    assert bench.faults == []


class TestFrameTooLarge:
    @pytest.fixture(autouse=True)
    def limit(self, monkeypatch):
        monkeypatch.setitem(Framer.__init__.__kwdefaults__, "limit", 100)

    def test_the_rest_is_body_with_its_chunks(self):
        chunks = [TEXT + b"data: ", b"x" * 60, b"y" * 50, b"zz\n\n", TEXT]
        bench = Bench().feed(*chunks)
        assert [chunk for _, chunk in bench.chunks()] == chunks
        assert bench.types == ["text", "error", "usage"]
        assert bench.of("event")[1]["event"]["kind"] == "frame_too_large"
        assert len(bench.of("frame")) == 1

    def test_of_an_error_response(self):
        bench = Bench(status=500).feed(b"data: " + b"x" * 200, b"more")
        assert bench.types == ["error", "usage"]

    def test_nothing_piles_up(self):
        bench = Bench().feed(b"data: " + b"x" * 200, *[b"more"] * 1000, end=None)
        assert sizes(bench.call) < 20


def sizes(call):
    """How many items the lists of a call recorder hold."""
    return sum(len(value) for name, value in vars(call).items() if isinstance(value, list | dict | set | bytes))


@pytest.mark.parametrize("content_type", ["text/event-stream", "application/octet-stream"])
@pytest.mark.parametrize("wire", ["openai-chat", None])
def test_nothing_piles_up_in_a_long_answer(content_type, wire):
    bench = Bench(headers=[("content-type", content_type)], wire=wire)
    most = 0
    for _ in range(300):
        bench.feed(TEXT[:10], TEXT[10:30], TEXT[30:], end=None)
        most = max(most, sizes(bench.call))
    assert most < 10


def test_a_plain_body_of_an_unknown_wire_does_not_pile_up():
    bench = Bench(headers=[("content-type", "application/pdf")], wire=None)
    bench.feed(*[b"x" * 1000] * 500, end=None)
    assert sizes(bench.call) < 10
    assert sys.getsizeof(bench.call._framer._blank) < 100


class TestRedaction:
    def test_events_derive_from_the_redacted_frame(self):
        frame = TEXT.replace(b'"a"', f'"my {KEY}"'.encode())
        bench = Bench().feed(frame[:20], frame[20:60], frame[60:] + TEXT, DONE)
        assert KEY not in json.dumps(bench.records)
        assert bench.of("event")[0]["event"]["text"].startswith("my [redacted:")
        recorded = [chunk for _, chunk in bench.chunks()]
        assert b"".join(recorded) == b"".join(raw_bytes(r) for r in bench.of("frame"))
        assert bench.of("call_end")[0]["bytes"] == len(b"".join(recorded))
        assert recorded[-1] == DONE

    @pytest.mark.parametrize("at", [1, 30, 60, 70])
    @pytest.mark.parametrize("grown", [False, True], ids=["shorter", "longer"])
    def test_a_frame_that_ends_a_chunk_still_does(self, grown, at):
        class Rewriting(Redactor):
            def bytes(self, data):
                return data.replace(b'"a"', b'"a long placeholder"' if grown else b'""')

        frame = TEXT + b""
        bench = Bench(Rewriting()).feed(frame[:at], frame[at:], DONE)
        assert [chunk for _, chunk in bench.chunks()][-1] == DONE

    def test_a_body_and_the_message_of_an_ending(self):
        bench = Bench(headers=[("content-type", "application/json")], status=401)
        bench.feed(json.dumps({"error": {"message": f"bad key {KEY}"}}).encode(), end=End("error", "ReadError", KEY))
        assert KEY not in json.dumps(bench.records)
        assert bench.types == ["error", "usage"]

    def test_a_broken_frame_after_redaction(self):
        class Breaking(Redactor):
            def bytes(self, data):
                return b"data: 1\n\n" + data

        bench = Bench(Breaking()).feed(TEXT, DONE)
        assert bench.faults == []
        assert bench.types == ["error", "usage"]


class TestFaults:
    """A fault costs what it touches; the call is closed all the same, and its gap shows."""

    class Redactor(Redactor):
        def __init__(self, on):
            super().__init__()
            self.on = on

        def bytes(self, data):
            if self.on in data:
                raise ZeroDivisionError("redactor")
            return super().bytes(data)

        def find(self, data, **options):
            if self.on in data:
                raise ZeroDivisionError("redactor")
            return super().find(data, **options)

        def text(self, text):
            if self.on in text.encode():
                raise ZeroDivisionError("redactor")
            return super().text(text)

    def test_a_frame_that_cannot_be_redacted_is_left_out(self):
        bench = Bench(self.Redactor(b"odd")).feed(
            TEXT[:9], TEXT[9:] + b"data: odd\n\n", b"data: odd", b"\n\n" + TEXT, DONE
        )
        assert len(bench.faults) == 2
        assert [raw_bytes(r) for r in bench.of("frame")] == [TEXT, TEXT, DONE[:-14], DONE[-14:]]
        assert [r["i"] for r in bench.of("frame")] == [0, 1, 2, 3]
        assert bench.of("call_end")[0]["bytes"] == len(TEXT * 2 + DONE + b"data: odd\n\n" * 2)
        assert bench.types == ["text", "text", "usage"]

    def test_a_body_chunk_likewise(self):
        bench = Bench(self.Redactor(b"odd"), headers=[("content-type", "application/json")]).feed(b"{", b"odd", b"}")
        assert [raw_bytes(r) for r in bench.of("body")] == [b"{", b"}"]
        assert bench.of("call_end")[0]["bytes"] == 5

    def test_headers_and_the_message_of_an_ending(self):
        bench = Bench(self.Redactor(b"odd"), headers=[*SSE, ("x-request-id", "odd")])
        bench.feed(TEXT, end=End("error", "ReadError", "odd"))
        assert bench.of("response")[0]["headers"] == []
        assert bench.of("call_end")[0]["error"] == {"class": "ReadError", "message": ""}
        assert len(bench.of("frame")) == 1

    @pytest.mark.parametrize("method", ["frame", "finish"])
    def test_a_decoder_that_fails_costs_the_events(self, method, monkeypatch):
        def fail(self, *arguments):
            raise ZeroDivisionError("decoder")

        bench = Bench()
        monkeypatch.setattr(f"agent.response.ResponseDecoder.{method}", fail)
        bench.feed(TEXT, DONE)
        assert [str(fault) for fault in bench.faults] == ["decoder"]
        assert b"".join(raw_bytes(r) for r in bench.of("frame")) == TEXT + DONE
        assert bench.of("call_end")[0]["end"] == "eof"
        assert bench.types == ([] if method == "frame" else ["text"])

    def test_a_framer_that_fails_costs_the_rest_of_the_body(self, monkeypatch):
        def fail(self, chunk):
            raise ZeroDivisionError("framer")

        bench = Bench()
        bench.feed(TEXT, end=None)
        monkeypatch.setattr("agent.response.Framer.feed", fail)
        bench.feed(DONE, DONE)
        assert [str(fault) for fault in bench.faults] == ["framer"]
        assert len(bench.of("frame")) == 1
        assert bench.of("call_end")[0]["bytes"] == len(TEXT + 2 * DONE)

    def test_a_wire_format_that_is_not_known(self):
        bench = Bench(wire="smoke signals").feed(TEXT)
        assert len(bench.faults) == 1
        assert bench.types == []
        assert [record["kind"] for record in bench.records] == ["response", "frame", "call_end"]


@pytest.mark.parametrize("wire", ["openai-chat", None])
@pytest.mark.parametrize("end", [End("closed"), End("error", "ConnectError", "refused")], ids=lambda end: end.kind)
def test_no_response(wire, end):
    bench = Bench(wire=wire, headers=None).feed(end=end)
    assert bench.types == ([] if wire is None else ["usage"] if end.kind == "closed" else ["error", "usage"])
    assert bench.of("call_end")[0]["bytes"] == 0


def test_only_the_first_end_counts():
    bench = Bench().feed(TEXT, end=End("error", "ReadError", "x"))
    bench.feed(TEXT, end=End("closed"))
    assert [r["end"] for r in bench.of("call_end")] == ["error"]
    assert len(bench.of("frame")) == 1
    assert bench.ended == [bench.call]


def test_counts_stand_in_the_end():
    bench = Bench(wire="anthropic").feed(b'data: nonsense\n\ndata: {"type":"novel"}\n\n')
    end = bench.of("call_end")[0]
    assert (end["malformed"], end["unknown"]) == (1, {"novel": 1})
