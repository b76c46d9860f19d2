"""The agent as a tool: a turn's events folded into one reply, and the lines it reports on the way."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager

import pytest

from agent.events import Reasoning, Text
from agent.front_ends.mcp_tool import Running, agent_tool, fold
from agent.jsonio import dumps
from tests.agent.scripts import ANSWER, WAIT, Script, Tools, call, failure, no_usage, turn, usage

pytestmark = pytest.mark.anyio

CALL = [Text("Let me look."), call(path="a"), usage("tool_calls")]


async def folded(*calls, tools=None, details=None, **options):
    lines = []

    async def report(line):
        lines.append(line)

    reply = await fold(Running(turn(Script(*calls), tools, **options), details or {}), report)
    return reply, lines


async def test_a_plain_answer():
    reply, lines = await folded(ANSWER)
    assert (reply.text, reply.failed, reply.notes) == ("Hello", False, ())
    assert lines == ["answering"]
    assert reply.data == {
        "answer": "Hello",
        "stop_reason": "stop",
        "error": None,
        "tool_calls": [],
        "model": "m-1",
        "iterations": 1,
        "usage": {
            "input_tokens": 10,
            "output_tokens": 5,
            "cache_read_tokens": None,
            "cache_write_tokens": None,
            "cache_write_1h_tokens": None,
            "reasoning_tokens": None,
        },
        "cost_usd": None,
    }


async def test_the_answer_is_what_follows_the_last_tool_result():
    reply, lines = await folded(CALL, [Reasoning("hm"), Reasoning("m"), *ANSWER])
    assert reply.text == "Hello"
    assert reply.data["tool_calls"] == [{"name": "look", "ok": True}]
    assert lines == ["answering", 'look {"path":"a"}', "look is done", "thinking", "answering"]


async def test_without_a_last_word_the_one_before_stands():
    reply, _ = await folded(CALL, [Text(" \n"), usage()])
    assert reply.data["answer"] == "Let me look."


async def test_a_paused_answer_is_one_answer():
    reply, lines = await folded([Text("Hel"), usage("pause")], [Text("lo"), usage()])
    assert reply.text == "Hello"
    assert lines == ["answering", "the provider paused; going on", "answering"]


async def test_nothing_said():
    reply, lines = await folded([usage()])
    assert (reply.text, reply.data["answer"], reply.failed) == ("The agent is done and said nothing.", "", False)
    assert lines == []


async def test_an_error_keeps_the_text_before_it_and_is_a_failed_reply():
    reply, lines = await folded([Text("Hel"), failure("overloaded", message="it broke"), no_usage()])
    assert reply.failed
    assert reply.text == "Hel\n\nerror: it broke"
    assert reply.data["error"]["kind"] == "overloaded"
    assert (reply.data["answer"], reply.data["stop_reason"]) == ("Hel", "error")
    assert lines[-1] == "error: it broke"


async def test_the_hint_of_an_error_is_told():
    error = failure("auth", retryable=False, message="wrong key")
    error.hint = "set KEY"
    reply, _ = await folded([error, no_usage()])
    assert reply.text == "error: wrong key\n-> set KEY"


async def test_an_early_stop_is_told_but_is_no_failure():
    reply, _ = await folded([Text("Hel"), usage("length")])
    assert reply.text == "Hel\n\nstopped (length): the answer was cut off at the output limit"
    assert not reply.failed


async def test_retries_and_failed_tools_are_reported():
    overloaded = [failure(message="busy"), no_usage()]
    reply, lines = await folded(overloaded, CALL, ANSWER, tools=Tools(look=ValueError("no")))
    assert not reply.failed
    assert reply.data["tool_calls"] == [{"name": "look", "ok": False}]
    assert lines[0].startswith("retry 1 in ")
    assert any(line.startswith("look failed: ") for line in lines)


async def test_details_join_the_data_and_the_notes():
    reply, _ = await folded(ANSWER, details={"recording": "x.jsonl", "more": None})
    assert reply.data["recording"] == "x.jsonl"
    assert reply.notes == ("recording: x.jsonl",)


async def test_lines_are_short_and_single():
    _, lines = await folded([call(text="x\n" * 5_000), usage("tool_calls")], ANSWER)
    assert all(len(line) <= 160 and "\n" not in line for line in lines)
    assert lines[0].endswith("...")


async def test_a_turn_that_was_closed_is_a_failed_reply():
    running = turn(Script([Text("Hel"), WAIT]))
    closing = asyncio.get_running_loop().call_later(0.05, lambda: asyncio.ensure_future(running.aclose()))
    reply = await fold(Running(running), _silent)
    closing.cancel()
    assert reply.failed
    assert reply.text == "Hel\n\nerror: the turn was closed before it was done"


async def test_cancelling_closes_the_turn():
    script, tools = Script(CALL), Tools(look=WAIT)
    task = asyncio.ensure_future(fold(Running(turn(script, tools)), _silent))
    while not tools.ran:
        await asyncio.sleep(0)
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    assert (tools.ended, script.closed) == (["look"], 1)


async def test_the_tool_runs_a_turn_over_its_prompt():
    prompts, left = [], []

    @asynccontextmanager
    async def run(prompt):
        prompts.append(prompt)
        yield Running(turn(Script(ANSWER)))
        left.append(prompt)

    tool = agent_tool(run, "It reads.", read_only=True)
    reply = await tool.call({"prompt": "go"}, _silent)
    assert (reply.text, prompts, left) == ("Hello", ["go"], ["go"])
    assert (tool.name, tool.read_only, tool.open_world) == ("ask_agent", True, True)
    assert "It reads." in tool.description


@pytest.mark.parametrize("calls", [[ANSWER], [[failure("auth", retryable=False), no_usage()]], [CALL, ANSWER]])
async def test_the_data_fits_the_declared_schema(calls):
    jsonschema = pytest.importorskip("jsonschema")
    tool = agent_tool(lambda prompt: None, "", read_only=False)
    reply, _ = await folded(*calls)
    jsonschema.validate(reply.data, tool.output)
    assert dumps(reply.data)


async def _silent(line):
    pass
