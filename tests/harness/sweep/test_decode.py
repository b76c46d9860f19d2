from __future__ import annotations

import pytest

from agent.events import Error, Text, UsageEvent
from agent.providers.openai_chat import ChatDecoder
from harness.sweep.cases import Whole
from harness.sweep.decode import Answer, decode
from tests.harness.sweep.swept import FIXTURES, chat, fixture, fixtures


@pytest.mark.parametrize("path", fixtures("openai-responses")[::9] + fixtures("http-errors")[::4], ids=lambda p: p.stem)
def test_the_events_of_a_fixture(path):
    from agent.events import to_dict

    stream = fixture(path.relative_to(FIXTURES))
    assert [to_dict(event) for event in decode(stream, Whole().answer(stream)).events] == list(stream.expected)


def test_events_know_their_frame():
    run = decode(stream := chat({"content": "a"}, {"content": "b"}), Whole().answer(stream))
    assert (run.fed, run.frame_of, len(run.frames)) == ([Text("a"), Text("b")], [0, 1], 4)
    assert isinstance(run.finished[-1], UsageEvent)


def test_an_exception_breaks_it_off(monkeypatch):
    def fail(self, end):
        raise KeyError("x")

    monkeypatch.setattr(ChatDecoder, "finish", fail)
    run = decode(stream := chat({"content": "a"}), Whole().answer(stream))
    assert (run.raised, run.fed, run.finished) == ("KeyError: 'x'", [Text("a")], [])


def test_a_frame_past_the_limit():
    stream = chat({"content": "a"})
    run = decode(stream, Answer((stream.pieces[0], b"data: " + b"x" * (33 * 2**20)), headers=stream.headers))
    (error,) = [event for event in run.events if isinstance(event, Error)]
    assert error.kind == "frame_too_large"
    assert len(run.frame_of) == len(run.fed)
