"""The turns of the state machine: retries, pauses, repeats, budgets, sums."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from agent.events import Reasoning, Text, Usage, UsageEvent
from agent.loop_types import Limits
from agent.messages import user
from agent.trim import PLACEHOLDER
from tests.agent.scripts import (
    ANSWER,
    Script,
    Sleeps,
    Tools,
    call,
    collect,
    data,
    failure,
    names,
    no_usage,
    turn,
    usage,
)
from tests.shared import needs_shared

pytestmark = pytest.mark.anyio


async def test_a_failure_before_any_output_is_retried_as_another_call():
    sleeps = Sleeps()
    opaque = Reasoning("", {"type": "server_tool_use"})
    script = Script([opaque, failure(), no_usage()], [failure(), usage("error", output_tokens=1)], ANSWER)
    running = turn(script, sleep=sleeps)
    events = await collect(running)
    assert names(events) == ["notice", "notice", "text", "text", "finish", "done"]
    assert [(r["call"], r["retry_of"]) for r in script.requests] == [(0, None), (1, 0), (2, 1)]
    notices = data(events, "notice")
    assert [(n["what"], n["call"], n["attempt"]) for n in notices] == [("retry", 0, 1), ("retry", 1, 2)]
    assert [n["delay"] for n in notices] == sleeps
    assert 0 < sleeps[0] < sleeps[1]
    assert notices[0]["error"]["kind"] == "overloaded"
    finish = data(events, "finish")[0]
    assert (finish["iterations"], finish["usage"]["output_tokens"]) == (1, 6), "the usage of a retried call counts"
    assert [message.parts for message in running.messages] == [(Text("Hello"),)]


async def test_a_retry_waits_only_when_it_is_pulled_and_as_long_as_asked():
    sleeps = Sleeps()
    async with turn(Script([failure(retry_after=7.5), no_usage()], ANSWER), sleep=sleeps) as running:
        assert (await anext(running)).data["delay"] == 7.5
        assert sleeps == []
        await anext(running)
        assert sleeps == [7.5]


@pytest.mark.parametrize(
    ("events", "tries"),
    [
        ([failure(retryable=False), no_usage()], 1),
        ([Text("a"), failure(), no_usage()], 1),
        ([Reasoning("a"), failure(), no_usage()], 1),
        ([call(), failure(), no_usage()], 1),
        ([failure(retry_after=61), no_usage()], 1),
        ([failure(), no_usage()], 4),
        ([failure("truncated_stream"), no_usage("truncated")], 4),
    ],
    ids=["final", "after text", "after reasoning", "after a call", "too long a wait", "for ever", "cut"],
)
async def test_when_a_failure_is_final(events, tries):
    script = Script(again=events)
    tools = Tools(look="seen")
    seen = await collect(turn(script, tools))
    assert len(script.requests) == tries
    assert len(data(seen, "error")) == 1
    assert names(seen)[-2:] == ["finish", "done"]
    assert data(seen, "finish")[0]["stop_reason"] == events[-1].stop_reason
    assert tools.ran == []


async def test_error_event_is_the_providers_and_text_before_it_stays():
    running = turn(Script([Text("half"), failure("rate_limit", message="slow down"), no_usage()]))
    events = await collect(running)
    assert names(events) == ["text", "error", "finish", "done"]
    assert data(events, "error") == [
        {"type": "error", "message": "slow down", "kind": "rate_limit", "retryable": True, "status": 529}
    ]
    assert running.messages[0].parts == (Text("half"),)


async def test_a_context_overflow_stops_and_says_so():
    script = Script([failure("context_overflow", retryable=False), no_usage()])
    events = await collect(turn(script))
    assert names(events) == ["error", "finish", "done"]
    assert data(events, "finish")[0]["stop_reason"] == "context_overflow"


async def test_a_stream_without_closing_usage_counts_as_truncated():
    events = await collect(turn(Script([Text("half"), call()])))
    assert names(events) == ["text", "tool_call", "error", "tool_result", "finish", "done"]
    assert data(events, "error")[0]["kind"] == "truncated_stream"
    assert data(events, "finish")[0]["stop_reason"] == "truncated"


async def test_a_pause_is_resumed_with_its_message_and_counted():
    block = Reasoning("", {"type": "server_tool_use", "id": "s1"})
    script = Script([Text("searching"), block, usage("pause")], ANSWER)
    running = turn(script)
    events = await collect(running)
    assert names(events) == ["text", "notice", "text", "text", "finish", "done"]
    assert data(events, "notice") == [{"what": "resume", "iteration": 2}]
    assert script.requests[1]["messages"] == [user("go"), running.messages[0]]
    assert running.messages[0].parts == (Text("searching"), block)
    finish = data(events, "finish")[0]
    assert (finish["iterations"], finish["stop_reason"]) == (2, "stop")


async def test_endless_pauses_meet_the_limit():
    script = Script(again=[Text("a"), usage("pause")])
    events = await collect(turn(script, limits=Limits(max_iterations=3)))
    assert len(script.requests) == 3
    assert [notice["iteration"] for notice in data(events, "notice")] == [2, 3]
    assert data(events, "finish")[0]["stop_reason"] == "max_iterations"


def grep(keys=("q", "r")):
    return [call("c", "grep", **dict.fromkeys(keys, "x")), usage("tool_calls")]


@needs_shared
@pytest.mark.parametrize(
    ("calls", "result", "limits", "stop", "iterations"),
    [
        ([grep()] * 9, "same", Limits(), "repeated_call", 3),
        ([grep(), grep(("r", "q"))] * 4, "same", Limits(), "repeated_call", 3),
        ([grep(), grep(("q",))] * 5, "same", Limits(max_iterations=10), "max_iterations", 10),
        ([grep()] * 10, "polling", Limits(max_iterations=10), "max_iterations", 10),
        ([grep()] * 10, "same", Limits(max_iterations=10, max_repeats=0), "max_iterations", 10),
        ([grep()] * 10, "same", Limits(max_iterations=10, max_repeats=5), "repeated_call", 5),
    ],
    ids=["base", "key order", "A,B,A,B", "polling", "off", "five"],
)
async def test_handed_case_63_identical_rounds(calls, result, limits, stop, iterations):
    counter = iter(range(99))
    tools = Tools(grep=lambda _: str(next(counter)) if result == "polling" else result)
    events = await collect(turn(Script(*calls), tools, limits=limits, price=lambda *_: Decimal("0.001")))
    finish = data(events, "finish")[0]
    assert (finish["stop_reason"], finish["iterations"]) == (stop, iterations)
    assert finish["cost_usd"] == f"{iterations / 1000:.6f}", "the cost up to there is counted"
    assert len(data(events, "tool_result")) == iterations


async def test_the_request_is_trimmed_and_the_history_is_not():
    rounds = [[call(f"c{n}", n=n), usage("tool_calls")] for n in range(6)]
    script = Script(*rounds, ANSWER)
    running = turn(script, Tools(look="x" * 1_000), limits=Limits(max_request_chars=4_500, max_repeats=0))
    events = await collect(running)
    notices = data(events, "notice")
    assert [(n["what"], n["of"], n["results"], n["units"]) for n in notices] == [
        ("trim", "request", 1, 0), ("trim", "request", 2, 0), ("trim", "request", 3, 0),
    ]  # fmt: skip
    assert all(n["before"] > 4_500 >= n["after"] and n["fits"] for n in notices)
    sent = [message.text for message in script.requests[-1]["messages"] if message.role == "tool"]
    assert [text == PLACEHOLDER for text in sent] == [True] * 3 + [False] * 3
    assert all(message.text != PLACEHOLDER for message in running.messages)


async def test_a_request_that_cannot_be_trimmed_is_not_sent():
    script = Script(ANSWER)
    events = await collect(turn(script, history=[user("x" * 300_000)]))
    assert script.requests == []
    assert names(events) == ["notice", "finish", "done"]
    assert data(events, "notice")[0]["fits"] is False
    finish = data(events, "finish")[0]
    assert (finish["stop_reason"], finish["iterations"], finish["model"]) == ("context_overflow", 0, None)


@pytest.mark.parametrize(
    ("tools", "system"), [(Tools(), "s" * 1_000), (Tools(**{f"tool{n}": "" for n in range(20)}), None)],
    ids=["system", "tools"],
)  # fmt: skip
async def test_system_and_tools_count_towards_the_budget(tools, system):
    events = await collect(turn(Script(ANSWER), tools, system=system, limits=Limits(max_request_chars=900)))
    assert data(events, "finish")[0]["stop_reason"] == "context_overflow"


async def test_prices_by_the_model_that_answered_else_by_the_one_asked():
    asked = []
    now = datetime(2026, 1, 2, tzinfo=UTC)

    def price(used, provider, model, at):
        asked.append((provider, model, at))
        return Decimal(used.output_tokens) / 1000 if model in ("m", "m-2") else None

    script = Script([call(), usage("tool_calls", model="odd")], [Text("a"), usage(model="m-2")])
    events = await collect(turn(script, price=price, provider="p", clock=lambda: now))
    assert asked == [("p", "odd", now), ("p", "m", now), ("p", "m-2", now)]
    finish = data(events, "finish")[0]
    assert (finish["cost_usd"], finish["model"]) == ("0.010000", "m-2")


async def test_usage_is_null_where_no_call_reported_it():
    unknown = UsageEvent(Usage(output_tokens=3), None, "stop", "stop", True)
    events = await collect(turn(Script([Text("a"), unknown])))
    finish = data(events, "finish")[0]
    assert (finish["usage"]["input_tokens"], finish["usage"]["output_tokens"]) == (None, 3)
    assert (finish["model"], finish["cost_usd"]) == (None, None)
