"""The plain course of a turn: what is sent, what comes out, what is left for the next turn."""

from __future__ import annotations

import asyncio
import itertools

import pytest

from agent.events import Reasoning, Text, ToolCall
from agent.loop_types import Limits, LoopEvent
from agent.messages import note, tool_result, user
from tests.agent.scripts import ANSWER, Script, Tools, call, collect, data, names, no_usage, turn, usage
from tests.shared import SHARED, needs_shared

pytestmark = pytest.mark.anyio


async def test_an_answer_streams_as_it_comes():
    events = await collect(turn(Script([Reasoning("hm"), *ANSWER])))
    assert events == [
        LoopEvent("reasoning", {"delta": "hm"}),
        LoopEvent("text", {"delta": "Hel"}),
        LoopEvent("text", {"delta": "lo"}),
        LoopEvent(
            "finish",
            {
                "usage": {
                    "input_tokens": 10, "output_tokens": 5, "cache_read_tokens": None, "cache_write_tokens": None,
                    "cache_write_1h_tokens": None, "reasoning_tokens": None,
                },
                "cost_usd": None,
                "model": "m-1",
                "stop_reason": "stop",
                "iterations": 1,
            },
        ),
        LoopEvent("done", {}),
    ]  # fmt: skip


async def test_a_call_is_run_and_its_result_goes_back():
    first = [Text("Let me look."), call("c1", path="a"), usage("tool_calls")]
    script = Script(first, ANSWER)
    tools = Tools(look=lambda call: f"contents of {call.input['path']}")
    running = turn(script, tools, ids=itertools.count(7).__next__, wire="anthropic")
    events = await collect(running)
    assert names(events) == ["text", "tool_call", "tool_result", "text", "text", "finish", "done"]
    assert data(events, "tool_call") == [{"id": "c1", "name": "look", "input": {"path": "a"}}]
    assert data(events, "tool_result") == [{"id": "c1", "name": "look", "ok": True, "output": "contents of a"}]
    assert tools.ran == [("look", 7, 0)]
    assert [request["call"] for request in script.requests] == [7, 8]
    asked, result, answer = running.messages
    assert (asked.role, asked.wire, asked.parts) == ("assistant", "anthropic", tuple(first[:2]))
    assert result == tool_result(first[1], "contents of a")
    assert answer.parts == (Text("Hello"),)
    assert script.requests[1]["messages"] == [user("go"), asked, result]
    assert data(events, "finish")[0]["usage"]["input_tokens"] == 20


async def test_what_a_call_is_given():
    script = Script(ANSWER)
    history = [user("one"), note("local"), user("two")]
    await collect(turn(script, history=history, system="be brief", params={"temperature": 0}))
    request = script.requests[0]
    assert request["messages"] == [user("one"), user("two")], "notes never go out"
    assert [spec.name for spec in request["tools"]] == ["look"]
    rest = {key: request[key] for key in ("model", "system", "params", "call", "retry_of")}
    assert rest == {"model": "m", "system": "be brief", "params": {"temperature": 0}, "call": 0, "retry_of": None}


async def test_the_next_turn_goes_on_from_the_messages():
    history = [user("go")]
    first = turn(Script([call(), usage("tool_calls")], ANSWER), history=history)
    await collect(first)
    script = Script(ANSWER)
    history = [*history, *first.messages, user("and now?")]
    await collect(turn(script, history=history))
    assert [message.role for message in script.requests[0]["messages"]] == [
        "user", "assistant", "tool", "assistant", "user",
    ]  # fmt: skip


async def test_opaque_reasoning_gives_no_event_but_stays_in_the_message():
    opaque = Reasoning("", {"type": "redacted_thinking", "data": "x"})
    signed = Text("", "signature")
    running = turn(Script([opaque, Text("a"), signed, usage()]))
    events = await collect(running)
    assert names(events) == ["text", "finish", "done"]
    assert running.messages[0].parts == (opaque, Text("a"), signed)


async def test_nothing_is_sent_before_the_first_pull_and_a_slow_reader_slows_the_stream():
    script = Script([Text(str(n)) for n in range(100)] + [usage()])
    running = turn(script)
    await asyncio.sleep(0)
    assert script.requests == []
    async with running:
        for pulls in range(1, 50):
            assert (await anext(running)).data == {"delta": str(pulls - 1)}
            await asyncio.sleep(0)
            assert script.pulled == pulls


async def test_it_writes_nothing(capfd):
    tools = Tools(look=RuntimeError("no"))
    await collect(turn(Script([call(), call("c2", "gone"), usage("tool_calls")], ANSWER), tools))
    assert capfd.readouterr() == ("", "")


@needs_shared
async def test_handed_case_61_each_call_gets_one_result_in_call_order():
    from agent.jsonio import loads

    case = loads((SHARED / "cases/61-unanswered-parallel-calls.json").read_bytes())
    expected = loads((SHARED / "cases/61-unanswered-parallel-calls.expect.json").read_bytes())["expected"]
    calls = [
        ToolCall(c["id"], c["name"], {"_raw": c["_raw"]} if "_raw" in c else c["input"], "_raw" in c)
        for c in case["assistant_calls"]
    ]
    tools = Tools(ok_slow="slow", raises=ValueError("broken"), ok_fast="fast")
    assert sorted(tools.results) == sorted(case["tools"])
    running = turn(Script([*calls, usage("tool_calls")], ANSWER), tools)
    events = await collect(running)
    results = data(events, "tool_result")
    assert len(results) == len(expected["results_in_order"])
    for result, right in zip(results, expected["results_in_order"], strict=True):
        assert (result["id"], not result["ok"]) == (right["id"], right["is_error"])
        assert right.get("mentions", "") in result["output"]
        if right.get("executed") is False:
            assert not [position for _, _, position in tools.ran if position == results.index(result)]
    assert [message.id for message in running.messages if message.role == "tool"] == [r["id"] for r in results]
    assert data(events, "finish")[0]["stop_reason"] == "stop"


async def test_error_results_say_what_to_do():
    modes = {"look": ["PLAN", "FIX"], "shell": ["BUILD", "SWE"]}
    calls = [
        call("c1", "shell"),
        call("c2", "fly"),
        call("c3", "look", unparsed=True),
        call("c4", "look"),
        usage("tool_calls"),
    ]
    tools = Tools(look=ValueError("broken"))
    events = await collect(turn(Script(calls, ANSWER), tools, tool_modes=modes))
    texts = [result["output"] for result in data(events, "tool_result")]
    assert texts == [
        "unknown tool 'shell' in PLAN mode (it exists in BUILD and SWE mode); the tools here are: look",
        "unknown tool 'fly'; the tools here are: look",
        "not run: the arguments of look could not be parsed; send them again as one whole JSON object",
        "ValueError: broken",
    ]
    assert tools.ran == [("look", 0, 3)]


async def test_long_results_are_capped_and_lone_surrogates_replaced():
    tools = Tools(look="x" * 50_000, odd="a\ud800b")
    events = await collect(turn(Script([call(), call("c2", "odd"), usage("tool_calls")], ANSWER), tools))
    assert names(events)[2:5] == ["tool_result", "notice", "tool_result"]
    notice = data(events, "notice")[0]
    assert (notice["what"], notice["of"], notice["id"], notice["before"]) == ("trim", "result", "c1", 50_000)
    first, second = data(events, "tool_result")
    assert len(first["output"]) == notice["after"] <= 20_000
    assert second["output"] == "a\ufffdb"


@pytest.mark.parametrize("stop", ["length", "truncated", "error", "cancelled", "content_filter", "refusal"])
async def test_calls_of_an_answer_that_did_not_end_normally_are_not_run_but_answered(stop):
    tools = Tools(look="seen")
    running = turn(Script([Text("a"), call("c1"), call("c2"), usage(stop)]), tools)
    events = await collect(running)
    assert tools.ran == []
    assert names(events)[3:] == ["tool_result", "tool_result", "finish", "done"]
    assert [message.id for message in running.messages[1:]] == ["c1", "c2"]
    assert not any(message.ok for message in running.messages[1:])
    assert f"not run: the response ended with {stop}" in running.messages[1].text
    assert data(events, "finish")[0]["stop_reason"] == stop


async def test_reasoning_that_nothing_follows_is_not_kept_of_a_cut_answer():
    running = turn(Script([Text("a"), Reasoning("b"), Reasoning("", {"id": "rs_1"}), usage("length")]))
    await collect(running)
    assert running.messages[0].parts == (Text("a"),)
    running = turn(Script([Reasoning("b"), no_usage("truncated")]))
    await collect(running)
    assert running.messages == []


async def test_the_limits_follow_the_mode():
    again = [call(), usage("tool_calls")]
    for mode, limit in (("PLAN", 25), ("BUILD", 25), ("SWE", 60)):
        counter = itertools.count()
        tools = Tools(look=lambda _, n=counter: str(next(n)))
        events = await collect(turn(Script(again=again), tools, mode=mode))
        finish = data(events, "finish")[0]
        assert (finish["stop_reason"], finish["iterations"]) == ("max_iterations", limit)
        assert len(data(events, "tool_result")) == limit


async def test_without_iterations_nothing_is_sent():
    script = Script(ANSWER)
    events = await collect(turn(script, limits=Limits(max_iterations=0)))
    assert (names(events), script.requests) == (["finish", "done"], [])
