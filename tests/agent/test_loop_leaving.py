"""Leaving a turn early: by `async with`, by `aclose()` from either side, by cancelling the reading task."""

from __future__ import annotations

import asyncio

import pytest

from agent.events import Reasoning, Text
from agent.loop_types import ToolResult
from tests.agent.scripts import ANSWER, WAIT, Script, Tools, call, collect, data, failure, names, no_usage, turn, usage

pytestmark = pytest.mark.anyio


def waiting_stream():
    return Script([Text("a"), call("c1"), Reasoning("b"), WAIT])


def waiting_tool():
    script = Script([Text("a"), call("c0", "look"), call("c1", "slow"), call("c2", "look"), usage("tool_calls")])
    return script, Tools(look="seen", slow=WAIT)


async def read_until_it_waits(running, seen):
    """A task that reads until the provider or the tool is silent, and the loop events it saw."""

    async def read():
        async with running:
            async for event in running:
                seen.append(event)

    task = asyncio.create_task(read())
    for _ in range(50):
        await asyncio.sleep(0)
    return task


async def no_more(running):
    with pytest.raises(StopAsyncIteration):
        await anext(running)


async def test_leaving_the_context_closes_the_stream():
    script = Script([Text("a"), Text("b"), WAIT])
    async with turn(script) as running:
        async for event in running:
            assert event.data == {"delta": "a"}
            break
        assert (script.open, script.closed) == (1, 0)
    assert script.closed == 1
    assert [message.parts for message in running.messages] == [(Text("a"),)]
    await no_more(running)


async def test_an_exception_in_the_reader_closes_the_stream():
    script = Script([Text("a"), WAIT])

    async def read():
        async with turn(script) as running:
            async for _ in running:
                raise KeyError

    with pytest.raises(KeyError):
        await read()
    assert script.closed == 1


async def test_aclose_by_the_reader_and_twice():
    script = Script([Text("a"), WAIT])
    running = turn(script)
    await anext(running)
    await running.aclose()
    assert script.closed == 1
    await running.aclose()
    await no_more(running)


async def test_aclose_before_the_first_pull_sends_nothing():
    script = Script(ANSWER)
    running = turn(script)
    await running.aclose()
    await no_more(running)
    assert (script.requests, running.messages) == ([], [])


@pytest.mark.parametrize("how", ["cancel", "aclose"])
async def test_leaving_while_the_provider_is_silent(how):
    script = waiting_stream()
    seen = []
    running = turn(script)
    task = await read_until_it_waits(running, seen)
    assert (names(seen), script.closed) == (["text", "tool_call", "reasoning"], 0)
    if how == "cancel":
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        await asyncio.gather(running.aclose(), running.aclose())
        assert script.closed == 1, "closed before aclose returns"
        await task
        assert task.cancelling() == 0
    assert script.closed == 1
    assert len(seen) == 3
    answer, result = running.messages
    assert answer.parts == (Text("a"), call("c1")), "reasoning that nothing follows is left out"
    assert (result.id, result.ok, result.text) == ("c1", False, "not run: the turn was cancelled")
    await no_more(running)


@pytest.mark.parametrize("how", ["cancel", "aclose"])
async def test_leaving_while_a_tool_runs(how):
    script, tools = waiting_tool()
    seen = []
    running = turn(script, tools)
    task = await read_until_it_waits(running, seen)
    assert (tools.ran[-1], tools.ended) == (("slow", 0, 1), ["look"])
    if how == "cancel":
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        await running.aclose()
        assert tools.ended == ["look", "slow"], "ended before aclose returns"
        await task
    assert tools.ended == ["look", "slow"]
    assert names(seen)[-1] == "tool_result"
    assert [(m.id, m.ok, m.text) for m in running.messages[1:]] == [
        ("c0", True, "seen"),
        ("c1", False, "stopped while it ran: the turn was cancelled"),
        ("c2", False, "not run: the turn was cancelled"),
    ]


async def test_leaving_between_two_results():
    script, tools = waiting_tool()
    async with turn(script, tools) as running:
        async for event in running:
            if event.event == "tool_result":
                break
    assert [(m.id, m.ok) for m in running.messages[1:]] == [("c0", True), ("c1", False), ("c2", False)]
    assert tools.ran == [("look", 0, 0)]


async def test_cancelling_a_wait_before_a_retry():
    async def sleep(seconds):
        await asyncio.Event().wait()

    seen = []
    task = await read_until_it_waits(turn(Script([failure(), no_usage()]), sleep=sleep), seen)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert names(seen) == ["notice"]


async def test_a_real_cancellation_is_not_lost_beside_aclose():
    running = turn(waiting_stream())
    task = await read_until_it_waits(running, [])
    task.cancel()
    await running.aclose()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_aclose_lets_the_closing_of_a_cancelled_reader_end():
    closing, go = asyncio.Event(), asyncio.Event()
    closed = []

    async def stream(*_, **__):
        try:
            yield Text("a")
            await asyncio.Event().wait()
        finally:
            closing.set()
            await go.wait()
            closed.append(True)

    running = turn(stream)
    task = await read_until_it_waits(running, [])
    task.cancel()
    await closing.wait()
    other = asyncio.create_task(running.aclose())
    await asyncio.sleep(0)
    assert not other.done()
    go.set()
    await other
    assert closed == [True]
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_tool_that_swallows_the_cancellation_does_not_save_the_turn():
    async def stubborn(tool_call, *, call, position):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return ToolResult(True, "I went on")

    stubborn.specs = Tools(look="").specs
    script = Script([call(), usage("tool_calls")], ANSWER)
    seen = []
    running = turn(script, stubborn)
    task = await read_until_it_waits(running, seen)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (names(seen), len(script.requests)) == (["tool_call"], 1)
    assert [m.text for m in running.messages if m.role == "tool"] == ["I went on"]


async def test_a_cancellation_of_the_tools_own_is_a_crash():
    tools = Tools(look=asyncio.CancelledError("mine"))
    events = await collect(turn(Script([call(), usage("tool_calls")], ANSWER), tools))
    assert data(events, "tool_result")[0]["output"] == "CancelledError: mine"
    assert names(events)[-1] == "done"


async def test_a_time_out_of_the_reader_passes_through():
    running = turn(waiting_stream())
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(collect(running), 0.01)
    await no_more(running)


async def test_a_fault_in_the_stream_source_is_raised_and_closes():
    script = Script([call(), RuntimeError("a bug")])
    running = turn(script)
    with pytest.raises(RuntimeError, match="a bug"):
        async for _ in running:
            pass
    assert script.closed == 1
    assert running.messages[-1].text == "not run: the turn broke off"
    await no_more(running)


async def test_only_one_reader_at_a_time():
    running = turn(waiting_stream())
    task = await read_until_it_waits(running, [])
    with pytest.raises(RuntimeError, match="read already"):
        await anext(running)
    await running.aclose()
    await task
