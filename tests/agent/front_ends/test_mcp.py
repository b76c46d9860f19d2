"""The MCP server around tools, with the official client: in memory, in both generations of the protocol."""

from __future__ import annotations

import asyncio
import os
from contextlib import asynccontextmanager

import pytest

from agent.front_ends.mcp_tool import Reply, Running, Tool, agent_tool
from agent.tools.tool import ToolError, properties
from tests.agent.scripts import ANSWER, WAIT, Script, Tools, call, failure, no_usage, turn, usage

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from mcp import Client, MCPError

from agent.front_ends.mcp import MCPServer
from agent.front_ends.mcp_stdin import stdin_lines

pytestmark = pytest.mark.anyio

CALL = [call(path="a"), usage("tool_calls")]


@pytest.fixture(params=["legacy", "auto"])
def mode(request):
    """`legacy`: the handshake of 2025 and before; `auto`: what the client prefers."""
    return request.param


@asynccontextmanager
async def connected(mode, *tools, heartbeat=60.0):
    server = MCPServer("test", "1.2", tools, instructions="For tests.", heartbeat=heartbeat)
    async with Client(server.sdk, mode=mode) as client:
        yield client


class Agent:
    """A tool `ask_agent` over a script. `events`: what happened to its turn."""

    def __init__(self, *calls, tools=None):
        self.script = Script(*calls)
        self.tools = tools
        self.events = []

    @asynccontextmanager
    async def run(self, prompt):
        self.events.append(prompt)
        try:
            yield Running(turn(self.script, self.tools), {"recording": "x.jsonl"})
        finally:
            await asyncio.sleep(0.01)  # a clean-up that waits
            self.events.append("left")

    @property
    def tool(self):
        return agent_tool(self.run, "It reads.", read_only=True)


def tool(work, **fields):
    async def run(arguments, report):
        return await work(arguments, report)

    return Tool("probe", "Probe", "A tool for tests.", properties(**fields), None, run)


async def until(found):
    async with asyncio.timeout(10):
        while not found():
            await asyncio.sleep(0.001)


async def test_tools_are_described(mode):
    async with connected(mode, Agent().tool) as client:
        (found,) = (await client.list_tools()).tools
        assert client.server_info.name == "test"
        assert client.server_info.version == "1.2"
        assert client.instructions == "For tests."
    assert (found.name, found.title) == ("ask_agent", "Ask the agent")
    assert found.input_schema["required"] == ["prompt"]
    assert found.input_schema["additionalProperties"] is False
    assert "answer" in found.output_schema["required"]
    assert (found.annotations.read_only_hint, found.annotations.open_world_hint) == (True, True)


async def test_a_turn_becomes_one_answer(mode):
    agent = Agent(CALL, ANSWER)
    async with connected(mode, agent.tool) as client:
        result = await client.call_tool("ask_agent", {"prompt": "go"})
    assert not result.is_error
    assert [block.text for block in result.content] == ["Hello", "recording: x.jsonl"]
    assert result.structured_content["answer"] == "Hello"
    assert result.structured_content["recording"] == "x.jsonl"
    assert agent.events == ["go", "left"]


async def test_a_failure_of_the_provider_is_an_error_result(mode):
    agent = Agent([failure("auth", retryable=False, message="wrong key"), no_usage()])
    async with connected(mode, agent.tool) as client:
        result = await client.call_tool("ask_agent", {"prompt": "go"})
    assert result.is_error
    assert result.content[0].text == "error: wrong key"
    assert result.structured_content["error"]["kind"] == "auth"
    assert agent.events[-1] == "left"


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        ({}, "argument 'prompt' is missing"),
        ({"prompt": ""}, "argument 'prompt' is empty"),
        ({"prompt": 3}, "argument 'prompt' must be a string, not the number 3"),
        ({"prompt": "x", "more": 1}, "unknown argument 'more' (known: prompt)"),
    ],
)
async def test_wrong_arguments_are_an_error_result(mode, arguments, fault):
    async with connected(mode, Agent().tool) as client:
        result = await client.call_tool("ask_agent", arguments)
    assert result.is_error
    assert result.content[0].text == f"ask_agent: {fault}"


async def test_an_unknown_tool_is_an_error_of_the_protocol(mode):
    async with connected(mode, Agent().tool) as client:
        with pytest.raises(MCPError, match=r"unknown tool 'rm'; there are ask_agent") as raised:
            await client.call_tool("rm", {})
    assert raised.value.code == -32602


async def test_a_failing_tool_is_an_error_result_and_a_crash_one_of_the_protocol(mode, caplog):
    async def work(arguments, report):
        raise ToolError("no such thing") if arguments["expected"] else KeyError("oops")

    probe = tool(work, expected={"type": "boolean", "default": False})
    async with connected(mode, probe) as client:
        result = await client.call_tool("probe", {"expected": True})
        assert (result.is_error, result.content[0].text) == (True, "probe: no such thing")
        with pytest.raises(MCPError, match="probe failed: KeyError: 'oops'") as raised:
            await client.call_tool("probe", {})
    assert raised.value.code == -32603
    assert [record.message for record in caplog.records if record.name.startswith("agent")] == [
        "the tool probe crashed"
    ]


async def test_progress_is_sent_to_a_client_that_asks_for_it(mode):
    seen = []

    async def see(progress, total, message):
        seen.append((progress, message))

    async with connected(mode, Agent(CALL, ANSWER).tool) as client:
        await client.call_tool("ask_agent", {"prompt": "go"}, progress_callback=see)
    assert seen == [(1, 'look {"path":"a"}'), (2, "look is done"), (3, "answering")]


async def test_silence_is_bridged(mode):
    """Clients count progress against their time limits."""
    seen = []
    enough = asyncio.Event()

    async def see(progress, total, message):
        seen.append((progress, message))
        if len(seen) == 3:
            enough.set()

    async def work(arguments, report):
        await report("thinking")
        await enough.wait()
        return Reply("done")

    async with connected(mode, tool(work), heartbeat=0.01) as client:
        result = await client.call_tool("probe", {}, progress_callback=see)
    assert result.content[0].text == "done"
    assert [number for number, _ in seen] == sorted({number for number, _ in seen})
    assert [message for _, message in seen[:3]] == ["thinking", "thinking (0 s)", "thinking (0 s)"]


async def test_cancelling_the_request_closes_the_turn(mode):
    tools = Tools(look=WAIT)
    agent = Agent(CALL, tools=tools)
    async with connected(mode, agent.tool) as client:
        task = asyncio.ensure_future(client.call_tool("ask_agent", {"prompt": "go"}))
        await until(lambda: tools.ran)
        task.cancel()
        await asyncio.wait([task])
        await until(lambda: "left" in agent.events)
        assert (tools.ended, agent.script.closed) == (["look"], 1)
        result = await client.call_tool("ask_agent", {})  # the server goes on
        assert result.is_error


async def test_a_tool_that_crashes_while_it_is_cancelled(mode, caplog):
    started = asyncio.Event()

    async def work(arguments, report):
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            raise KeyError("oops")

    async with connected(mode, tool(work)) as client:
        task = asyncio.ensure_future(client.call_tool("probe", {}))
        await started.wait()
        task.cancel()
        await asyncio.wait([task])
        await until(lambda: caplog.records)
    assert any("crashed while it was cancelled" in record.message for record in caplog.records)


async def test_leaving_closes_a_running_turn():
    tools = Tools(look=WAIT)
    agent = Agent(CALL, tools=tools)
    async with connected("legacy", agent.tool) as client:
        task = asyncio.ensure_future(client.call_tool("ask_agent", {"prompt": "go"}))
        await until(lambda: tools.ran)
    await asyncio.gather(task, return_exceptions=True)
    await until(lambda: "left" in agent.events)
    assert tools.ended == ["look"]


async def test_turns_run_beside_one_another(mode):
    tools = Tools(look=WAIT)
    waiting, quick = Agent(CALL, tools=tools), Agent(ANSWER)
    second = Tool(**{**_fields(quick.tool), "name": "ask_other"})
    async with connected(mode, waiting.tool, second) as client:
        task = asyncio.ensure_future(client.call_tool("ask_agent", {"prompt": "go"}))
        await until(lambda: tools.ran)
        result = await client.call_tool("ask_other", {"prompt": "go"})
        assert result.content[0].text == "Hello"
        task.cancel()
        await asyncio.wait([task])


async def test_text_that_cannot_be_encoded_does_not_break_the_protocol(mode):
    async def work(arguments, report):
        return Reply("half \ud83d", {"deep": ["\ud83d"]}, ("\ud83d",))

    async with connected(mode, tool(work)) as client:
        result = await client.call_tool("probe", {})
    assert result.content[0].text == "half \ufffd"
    assert result.structured_content == {"deep": ["\ufffd"]}


@pytest.mark.parametrize("size", [1, 3, 1000])
async def test_standard_input_as_lines(size, monkeypatch):
    """However the bytes come, the last line with or without its end."""
    sent = '{"a":1}\n\n{"é":"\u2028"}\r\nlast'.encode()
    source, sink = os.pipe()

    class Stdin:
        def fileno(self):
            return source

    monkeypatch.setattr("sys.stdin", Stdin())
    lines = []

    async def read():
        async for line in stdin_lines():
            lines.append(line)

    task = asyncio.ensure_future(read())
    for at in range(0, len(sent), size):
        os.write(sink, sent[at : at + size])
        await asyncio.sleep(0.001)
    os.close(sink)
    await task
    os.close(source)
    assert lines == ['{"a":1}', "", '{"é":"\u2028"}\r', "last"]


async def test_standard_input_that_cannot_be_waited_for(monkeypatch, tmp_path):
    (tmp_path / "in").write_text("x")
    with (tmp_path / "in").open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert stdin_lines() is None
    monkeypatch.setattr("sys.stdin", None)
    assert stdin_lines() is None


def _fields(found):
    return {name: getattr(found, name) for name in Tool.__slots__}
