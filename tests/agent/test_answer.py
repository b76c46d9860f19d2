from __future__ import annotations

import pytest

from agent.answer import Answer
from agent.events import Reasoning, Text
from tests.agent.scripts import call, failure, no_usage, usage


def answer(*events, attempt=0):
    it = Answer(0, attempt)
    return it, [told for told in (it.feed(event, 3) for event in events) if told is not None]


def test_each_event_gives_at_most_one_loop_event():
    it, told = answer(Text("a"), Text("", {}), Reasoning("b"), Reasoning("", {}), call(), failure(), usage())
    assert [event.event for event in told] == ["text", "reasoning", "tool_call", "error"]
    assert it.seen
    assert it.any
    assert not it.retry


def test_an_error_that_will_be_retried_is_not_told():
    it, told = answer(failure(), failure("network"), no_usage())
    assert (told, it.retry, it.error.kind) == ([], True, "overloaded")
    it, told = answer(failure(), no_usage(), attempt=3)
    assert ([event.event for event in told], it.retry) == (["error"], False)


@pytest.mark.parametrize(
    ("events", "stop"),
    [
        ([], "cancelled"),
        ([Text("a")], "cancelled"),
        ([usage("pause")], "pause"),
        ([Text("a"), failure(), usage("stop")], "error"),
        ([Text("a"), failure("content_blocked"), usage("content_filter")], "content_filter"),
        ([failure("context_overflow", retryable=False), usage("error")], "context_overflow"),
    ],
)
def test_stop_reason(events, stop):
    assert answer(*events)[0].stop_reason == stop


def test_a_stream_that_ends_without_usage():
    it, _ = answer(Text("a"))
    assert it.close(3).data["kind"] == "truncated_stream"
    assert (it.stop_reason, it.closing.usage) == ("truncated", None)
    it, _ = answer(Text("a"), failure())
    assert it.close(3) is None
    assert it.stop_reason == "error"
    it, _ = answer(usage())
    assert it.close(3) is None


@pytest.mark.parametrize("stop", ["stop", "pause", "tool_calls"])
def test_a_whole_answer_keeps_its_last_reasoning(stop):
    it, _ = answer(Text("a"), Reasoning("", {"x": 1}), usage(stop))
    assert len(it.message("anthropic").parts) == 2


@pytest.mark.parametrize("stop", ["length", "truncated", "error", "cancelled"])
def test_a_cut_answer_does_not(stop):
    it, _ = answer(Reasoning("first"), Text("a"), Reasoning("b"), Reasoning("", {"x": 1}), usage(stop))
    assert it.message("anthropic").parts == (Reasoning("first"), Text("a"))
