from __future__ import annotations

import random

import pytest

from agent.providers import WIRES
from agent.providers.openai_chat import ChatDecoder
from harness.sweep.cases import ENDINGS, Cut
from harness.sweep.laws import judge
from harness.sweep.plan import Plan
from harness.sweep.run import breaks, full_run, see, sweep_stream
from harness.sweep.streams import make_stream
from tests.harness.sweep.swept import SSE, called, chat, fixture, fixtures

STREAM = chat({"content": "aé"}, called('{"a": 1}'), {"content": "b"}, usage={"prompt_tokens": 3})
PATHS = [path for wire in WIRES for path in fixtures(wire)[::6]]


@pytest.mark.parametrize("path", PATHS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_all_laws_hold_at_every_byte(path):
    stream = fixture(path)
    tally = sweep_stream(stream, None, Plan().source(0))
    assert {law: broken.first for law, broken in tally.broken.items()} == {}
    endings = len(ENDINGS) if stream.framed else 1
    assert tally.cases["cut"] == (len(stream.body) + 1) * endings


@pytest.mark.parametrize(
    "path", [path for path in PATHS[::3] if path.suffix == ".sse"], ids=lambda path: f"{path.parent.name}/{path.stem}"
)
def test_a_cut_by_itself_comes_out_as_in_the_sweep(path, monkeypatch):
    """The sweep decodes a stream once for all of its cuts; decoding each cut by itself gives the same."""
    stream = fixture(path)
    swept = {}

    def keep(self, stream, case, verdicts, times=1):
        if isinstance(case, Cut):
            ((_, swept[case]),) = verdicts

    monkeypatch.setattr("harness.sweep.run.judge", lambda one: [(one.kind, one)])
    monkeypatch.setattr("harness.sweep.tally.Tally.add", keep)
    sweep_stream(stream, None, Plan().source(0))
    full = full_run(stream)
    assert len(swept) >= 4 * len(stream.pieces)
    for cut, one in swept.items():
        alone = see(stream, cut, full)
        assert [*full.fed[: one.same], *one.fed] == alone.fed
        assert one.finished == alone.finished
        assert (one.frames, one.marked, one.end) == (alone.frames, alone.marked, alone.end)
        assert dict(judge(alone)) == dict(judge(one))


def test_the_same_seed_gives_the_same_sweep():
    one, other = (sweep_stream(STREAM, 20, Plan(5).source(0)) for _ in range(2))
    assert one == other


def test_exceptions_in_feed_and_finish(monkeypatch):
    feed, finish = ChatDecoder.feed, ChatDecoder.finish

    def fail_in_feed(self, frame):
        if frame.unterminated:
            raise ValueError("half a frame")
        return feed(self, frame)

    def fail_at_end(self, end):
        if end.kind == "closed":
            raise ValueError("left")
        return finish(self, end)

    monkeypatch.setattr(ChatDecoder, "feed", fail_in_feed)
    broken = sweep_stream(STREAM, None, random.Random(0)).broken
    assert broken["raises"].first.reason == "ValueError: half a frame"
    monkeypatch.setattr(ChatDecoder, "feed", feed)
    monkeypatch.setattr(ChatDecoder, "finish", fail_at_end)
    broken = sweep_stream(STREAM, None, random.Random(0)).broken
    assert broken["raises"].first.reason == "ValueError: left"


def test_a_stream_whose_full_run_raises_is_not_cut(monkeypatch):
    monkeypatch.setattr(ChatDecoder, "finish", lambda self, end: 1 / 0)
    tally = sweep_stream(STREAM, None, random.Random(0))
    assert (tally.cases["cut"], [*tally.broken]) == (0, ["raises"])


def test_one_case_of_one_law(monkeypatch):
    cut = Cut(2, 0, "eof")
    assert breaks("kept", STREAM, cut) is None
    monkeypatch.setattr(ChatDecoder, "_close", lambda self: None)
    assert "call_a" in breaks("kept", STREAM, cut)


def test_long_streams_take_the_endings_in_turn():
    body = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n' * 1200
    stream = make_stream("openai-chat", body, SSE)
    tally = sweep_stream(stream, 100, random.Random(0))
    assert tally.broken == {}
    assert 1200 < tally.cases["cut"] <= 1301


def test_a_decoder_that_cannot_be_pickled(monkeypatch):
    plain = sweep_stream(STREAM, None, random.Random(0))

    def refuse(machine):
        raise TypeError("cannot pickle")

    monkeypatch.setattr("harness.sweep.run.pickle.dumps", refuse)
    assert sweep_stream(STREAM, None, random.Random(0)) == plain
