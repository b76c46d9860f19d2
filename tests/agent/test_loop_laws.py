"""Laws of the loop over random scripts."""

from __future__ import annotations

import asyncio

from hypothesis import given
from hypothesis import strategies as st

from agent.events import Reasoning, Text, ToolCall
from agent.loop_types import Limits, ToolResult
from agent.messages import user
from tests.agent.scripts import Script, Sleeps, data, failure, names, no_usage, tool, turn, usage

pieces = st.one_of(
    st.builds(Text, st.sampled_from(["a", "b\n", "é"])),
    st.builds(Reasoning, st.sampled_from(["", "hm"]), st.sampled_from([None, {"x": 1}])).filter(
        lambda piece: piece.text or piece.opaque
    ),
    st.builds(
        ToolCall,
        st.sampled_from(["c1", "c2", "c3"]),
        st.sampled_from(["look", "crash", "huge", "none"]),
        st.sampled_from([{}, {"a": 1}, {"_raw": "{"}]),
        st.booleans(),
    ),
)
stops = st.sampled_from(["stop", "tool_calls", "pause", "length", "content_filter", "refusal", "cancelled"])
endings = st.one_of(
    st.builds(lambda stop: [usage(stop)], stops),
    st.builds(
        lambda kind, retryable: [failure(kind, retryable=retryable), no_usage()],
        st.sampled_from(["overloaded", "context_overflow", "truncated_stream"]),
        st.booleans(),
    ),
    st.just([]),
)
answers = st.builds(lambda body, ending: body + ending, st.lists(pieces, max_size=4), endings)
scripts = st.lists(answers, max_size=5)
limits = st.builds(
    Limits,
    max_iterations=st.integers(0, 6),
    max_repeats=st.integers(0, 3),
    max_request_chars=st.sampled_from([150, 3_000, 200_000]),
)


async def execute(tool_call, *, call, position):
    await asyncio.sleep(0)
    if tool_call.name == "crash":
        raise ValueError("crash")
    return ToolResult(True, "x" * (30_000 if tool_call.name == "huge" else 10))


def answered(messages):
    """Whether each call has exactly one result, in order, right after its message."""
    waiting = []
    for message in messages:
        if message.role == "tool":
            if not waiting or (message.id, message.name) != (waiting[0].id, waiting[0].name):
                return False
            waiting.pop(0)
        else:
            if waiting:
                return False
            waiting = message.tool_calls
    return not waiting


def play(script, bounds, stop_after=None):
    execute.specs = lambda: [tool(name) for name in ("look", "crash", "huge")]
    source = Script(*[list(answer) for answer in script], again=[Text("end"), usage()])
    running = turn(source, execute, limits=bounds, sleep=Sleeps())

    async def read():
        events = []
        async with running:
            async for event in running:
                events.append(event)
                if len(events) == stop_after:
                    break
        return events

    return asyncio.run(read()), running, source


@given(scripts, limits)
def test_one_finish_then_done_and_each_call_one_result_in_order(script, bounds):
    events, running, source = play(script, bounds)
    assert names(events)[-2:] == ["finish", "done"]
    assert names(events).count("finish") == names(events).count("done") == 1
    calls = [(call["id"], call["name"]) for call in data(events, "tool_call")]
    assert [(result["id"], result["name"]) for result in data(events, "tool_result")] == calls
    assert answered(running.messages)
    assert source.open == source.closed
    assert data(events, "finish")[0]["iterations"] <= bounds.max_iterations
    for request in source.requests:
        assert answered(request["messages"])
        assert request["messages"][0] == user("go")


@given(scripts, limits, st.integers(1, 12))
def test_a_turn_that_is_left_gives_a_prefix_and_leaves_a_valid_history(script, bounds, stop_after):
    whole, _, _ = play(script, bounds)
    events, running, source = play(script, bounds, stop_after)
    assert events == whole[:stop_after]
    assert answered(running.messages)
    assert source.open == source.closed
