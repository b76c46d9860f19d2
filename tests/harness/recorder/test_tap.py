from __future__ import annotations

import asyncio

import pytest

from agent.client import Client
from agent.events import ToolCall
from agent.loop import run_turn
from agent.loop_types import Limits, LoopEvent, ToolResult
from agent.messages import ToolSpec, user
from agent.providers.table import resolve
from harness.recording.opening import open as open_recording
from harness.replaying.replayer import replay_recording
from tests.harness.sessions import LOOK, chat
from tests.harness.transports import URL, Scripted, family, recorder, records

SHARED = {
    "mode": "PLAN", "provider": "openai", "model": "m", "system": None,
    "tools": [ToolSpec("look", "", {"type": "object"})], "params": {}, "limits": Limits(), "tool_modes": {},
}  # fmt: skip
TARGET, _ = resolve("openai/m", base_url="https://api.test/v1", environ={})


class Run:
    """A turn that yields the given loop events."""

    def __init__(self, *events):
        self.events = [LoopEvent(name, data) for name, data in events]
        self.closed = 0

    def __aiter__(self):
        return self

    async def __anext__(self):
        if not self.events:
            raise StopAsyncIteration
        event = self.events.pop(0)
        if event.event == "raise":
            raise event.data
        return event

    async def aclose(self):
        self.closed += 1


def tapped(made, text="go"):
    return made.turn([user(text)], base_url=TARGET.base_url, **SHARED)


def loops(path):
    return [(r["event"], r["data"]) for r in records(path) if r["kind"] == "loop"]


@pytest.mark.anyio
async def test_text_reasoning_and_calls_are_not_repeated(tmp_path):
    finish = {"usage": {}, "cost_usd": None, "model": "m", "stop_reason": "stop", "iterations": 1}
    run = Run(
        ("text", {"delta": "a"}), ("reasoning", {"delta": "b"}), ("tool_call", {"id": "c", "name": "n", "input": {}}),
        ("notice", {"what": "resume", "iteration": 2}), ("error", {"message": "m"}), ("finish", finish), ("done", {}),
    )  # fmt: skip
    with recorder(tmp_path / "r") as made:
        async with tapped(made).events(run) as events:
            assert len([event async for event in events]) == 7
    assert run.closed == 1
    assert loops(tmp_path / "r") == [
        ("notice", {"what": "resume", "iteration": 2}), ("error", {"message": "m"}), ("finish", finish), ("done", {}),
    ]  # fmt: skip


@pytest.mark.anyio
@pytest.mark.parametrize("times", [1, 2])
async def test_leaving_is_noted_once(tmp_path, times):
    run = Run(("text", {"delta": "a"}), ("text", {"delta": "b"}))
    with recorder(tmp_path / "r") as made:
        events = tapped(made).events(run)
        await anext(events)
        for _ in range(times):
            await events.aclose()
    assert loops(tmp_path / "r") == [("cancelled", {"events": 1, "pulling": False})]
    assert run.closed == times


@pytest.mark.anyio
async def test_a_turn_that_raises(tmp_path):
    run = Run(("text", {"delta": "a"}), ("raise", ZeroDivisionError()))
    with recorder(tmp_path / "r") as made:
        async with tapped(made).events(run) as events:
            await anext(events)
            with pytest.raises(ZeroDivisionError):
                await anext(events)
    assert loops(tmp_path / "r") == [("cancelled", {"events": 1, "pulling": True})]


@pytest.mark.anyio
async def test_results_are_recorded_whole_with_call_position_and_time(tmp_path):
    async def execute(tool_call, *, call, position):
        if tool_call.name == "odd":
            raise ZeroDivisionError("x")
        return ToolResult(True, f"whole output of {position}")

    def result(name, output="cut"):
        return "tool_result", {"id": "c", "name": name, "ok": True, "output": output}

    with recorder(tmp_path / "r") as made:
        tap = tapped(made)
        ids, tools = tap.ids(), tap.tools(execute)
        for number in (0, 1):
            assert ids() == number
            await tools(ToolCall("c", "look", {}), call=number, position=0)
            with pytest.raises(ZeroDivisionError):
                await tools(ToolCall("c", "odd", {}), call=number, position=1)
            for event in Run(result("look"), result("odd", "ZeroDivisionError: x"), result("not run", "why")).events:
                tap.see(event)
    found = [r for r in records(tmp_path / "r") if r["kind"] == "tool_result"]
    assert [(r["call"], r["position"], r["name"], r["output"]) for r in found] == [
        (number, position, name, output)
        for number in (0, 1)
        for position, (name, output) in enumerate(
            [("look", "whole output of 0"), ("odd", "ZeroDivisionError: x"), ("not run", "why")]
        )
    ]
    assert all(r["duration"] >= 0 for r in found)


@pytest.mark.anyio
@pytest.mark.parametrize("event", ["finish", "tool_result"])
async def test_an_event_that_cannot_be_recorded_passes(tmp_path, event):
    made = recorder(tmp_path / "r", warn=None)
    seen = [one.event async for one in tapped(made).events(Run((event, {object(): 1}), ("done", {})))]
    assert seen == [event, "done"]
    assert len(made.errors) == 1
    made.close()
    assert loops(tmp_path / "r") == [("done", {})]


async def turn(made, script, execute, text="go"):
    tap = tapped(made, text)
    async with Client(TARGET, transport=made.transport(script)) as client:
        run = run_turn(
            [user(text)], create_stream=client.stream, execute_tool=tap.tools(execute), ids=tap.ids(),
            wire=TARGET.wire, **SHARED,
        )  # fmt: skip
        async with tap.events(run) as events:
            return [event.event async for event in events]


@pytest.mark.anyio
async def test_calls_that_a_tool_makes_are_not_of_the_turn(tmp_path):
    """A tool may ask a model itself, through the same recorder, in whatever way."""
    lib = family("httpx")
    inner = Scripted([chat("inner")] * 4)

    async def execute(tool_call, *, call, position):
        async with lib.AsyncClient(transport=made.transport(inner)) as client:
            await client.post(URL, content=b'{"q":1}')
        async with Client(TARGET, transport=made.transport(inner)) as client:
            return ToolResult(True, str([event async for event in client.stream([user("sub")], model="m")]))

    with recorder(tmp_path / "r.jsonl") as made:
        calls = chat(calls=[LOOK, ("c2", "look", "{}")])
        assert (await turn(made, Scripted([calls, chat("done")]), execute))[-1] == "done"
    recording = open_recording(tmp_path / "r.jsonl", strict=True)
    assert [(one.number, one.turn) for one in recording.calls] == [(0, 0), *((n, None) for n in range(1, 5)), (5, 0)]
    assert [(r["call"], r["position"]) for r in recording.turns[0].tool_results] == [(0, 0), (0, 1)]
    found = await asyncio.to_thread(replay_recording, tmp_path / "r.jsonl")
    assert (found.status, found.reason) == ("pass", None)


@pytest.mark.anyio
async def test_turns_at_the_same_time(tmp_path):
    async def execute(tool_call, *, call, position):
        await asyncio.sleep(0)
        return ToolResult(True, f"of {call}")

    with recorder(tmp_path / "r.jsonl") as made:
        await asyncio.gather(
            *(turn(made, Scripted([chat(calls=[LOOK]), chat(text)]), execute, text) for text in ("a", "b", "c"))
        )
    recording = open_recording(tmp_path / "r.jsonl", strict=True)
    assert [[one.number for one in each.calls] for each in recording.turns] == [[0, 3], [1, 4], [2, 5]]
    found = await asyncio.to_thread(replay_recording, tmp_path / "r.jsonl")
    assert (found.status, found.reason) == ("pass", None)
