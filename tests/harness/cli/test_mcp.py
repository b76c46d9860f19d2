"""`harness mcp` with the official client: over stdio as a process, and over streamable HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import sys
from contextlib import asynccontextmanager

import pytest

import harness
from harness.replaying.replayer import replay_recording
from tests.command import ROOT, environment, is_running, started, wait_for
from tests.harness.cli.cli import refusal
from tests.scripted import error, fixture, scripted

pytestmark = pytest.mark.anyio

ANSWER = fixture("openai-chat/session-answer.sse")
CALLS = fixture("openai-chat/session-parallel.sse")
STALLED = fixture("openai-chat/session-answer.sse", ending="stall")
TEXT = "The folder holds a plan and a list of seeds; tea is at four. ☕"
RECORDING_TOOLS = ["list_recordings", "show_recording", "replay_recording", "recording_cost"]


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "garden").mkdir()
    (tmp_path / "garden" / "plan.txt").write_text("Tea at four.\n", "utf-8")
    return tmp_path


def agent(server, *more):
    return ["mcp", "-m", "openai/gpt-4.1-mini", "--base-url", server.url, "--workspace", "garden", *more]


def recorded(folder):
    return [harness.open(path) for path in sorted((folder / "recordings").glob("*.jsonl"))]


mcp = pytest.importorskip("mcp", reason="the extra `mcp` is not installed")


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        (["--port", "1"], "harness mcp: --port goes with --transport http"),
        (["-m", "nothing"], "nothing"),
        (["-m", "openai/m"], "OPENAI_API_KEY"),
        (["--workspace", "none"], "none"),
        (["--transport", "smoke"], "smoke"),
    ],
)
def test_what_cannot_begin_is_told_in_one_line(folder, monkeypatch, args, fault):
    monkeypatch.chdir(folder)
    assert fault in refusal("mcp", *args)


@asynccontextmanager
async def over_stdio(folder, *args, mode="auto"):
    server = mcp.StdioServerParameters(
        command=sys.executable,
        args=["-c", "from harness.cli import main; main()", *args],
        env={**environment(folder), "PYTHONPATH": str(ROOT)},
        cwd=folder,
    )
    async with mcp.Client(mcp.stdio_client(server), mode=mode) as client:
        yield client


@asynccontextmanager
async def over_http(folder, *args, mode="auto"):
    with started(*args, "--transport", "http", cwd=folder) as process:
        async with mcp.Client(url_of(process), mode=mode) as client:
            yield client


def url_of(process):
    """The address that the server tells on stderr."""
    for line in process.stderr:
        found = re.fullmatch(rb"harness: MCP server at (http://127\.0\.0\.1:[0-9]+/mcp)\n", line)
        if found:
            return found[1].decode()
    raise AssertionError("the server told no address")


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("connect", [over_stdio, over_http])
async def test_the_agent_and_its_recordings(folder, connect, mode):
    lines = []

    async def see(progress, total, message):
        lines.append(message)

    with scripted([CALLS, ANSWER]) as server:
        async with connect(folder, *agent(server), mode=mode) as client:
            assert client.server_info.name == "trajectory-harness"
            tools = (await client.list_tools()).tools
            assert [tool.name for tool in tools] == ["ask_agent", *RECORDING_TOOLS]
            assert "changes nothing" in tools[0].description
            result = await client.call_tool("ask_agent", {"prompt": "hi"}, progress_callback=see)
            assert (result.is_error, result.content[0].text) == (False, TEXT)
            assert 'list_dir {"path":"."}' in lines
            name = result.structured_content["recording"]
            listed = await client.call_tool("list_recordings", {})
            assert [row["recording"] for row in listed.structured_content["recordings"]] == [name]
            shown = await client.call_tool("show_recording", {"recording": name})
            assert TEXT.split(";")[0] in shown.content[0].text
            replayed = await client.call_tool("replay_recording", {"recording": name})
            assert replayed.structured_content["status"] == "pass"
            cost = await client.call_tool("recording_cost", {"recording": name})
            assert cost.structured_content["cost_usd"] == result.structured_content["cost_usd"]
    (recording,) = recorded(folder)
    assert (recording.path.name, recording.end["status"]) == (name, "ok")


@pytest.mark.parametrize("connect", [over_stdio, over_http])
async def test_a_refusal_of_the_provider(folder, connect):
    with scripted([error(401, "wrong key")]) as server:
        async with connect(folder, *agent(server)) as client:
            result = await client.call_tool("ask_agent", {"prompt": "hi"})
    assert result.is_error
    assert "wrong key" in result.content[0].text
    assert recorded(folder)[0].end["status"] == "error"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("connect", [over_stdio, over_http])
async def test_cancelling_the_request_closes_the_turn(folder, connect, mode):
    with scripted([STALLED, ANSWER]) as server:
        async with connect(folder, *agent(server), mode=mode) as client:
            task = asyncio.ensure_future(client.call_tool("ask_agent", {"prompt": "hi"}))
            await until(lambda: server.exchanges)
            await asyncio.sleep(0.2)
            task.cancel()
            await asyncio.wait([task])
            await until(lambda: server.closed_by_client == 1)
            result = await client.call_tool("ask_agent", {"prompt": "again"})
            assert result.content[0].text == TEXT
            await until(lambda: all(recording.end for recording in recorded(folder)))
    assert sorted(recording.end["status"] for recording in recorded(folder)) == ["cancelled", "ok"]


async def until(found):
    async with asyncio.timeout(20):
        while not found():
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("how", ["cancel", "leave"])
@pytest.mark.parametrize("connect", [over_stdio, over_http])
async def test_a_running_command_ends_with_all_it_started(folder, connect, how):
    files = [folder / "garden" / name for name in ("shell.pid", "background.pid")]
    with scripted([fixture("openai-chat/session-shell.sse")]) as server:
        async with connect(folder, *agent(server, "--mode", "build")) as client:
            assert "run commands" in (await client.list_tools()).tools[0].description
            task = asyncio.ensure_future(client.call_tool("ask_agent", {"prompt": "hi"}))
            await until(lambda: all(path.exists() and path.read_text().strip() for path in files))
            pids = [int(path.read_text()) for path in files]
            assert all(map(is_running, pids))
            if how == "cancel":
                task.cancel()
                await asyncio.wait([task])
                await until(lambda: recorded(folder)[0].end)
                assert not any(map(is_running, pids))
        await asyncio.gather(task, return_exceptions=True)
        await until(lambda: not any(map(is_running, pids)))
    if how == "cancel" or connect is over_stdio:
        (recording,) = recorded(folder)
        assert recording.end["status"] == "cancelled"
        assert (await asyncio.to_thread(replay_recording, recording.path)).status == "pass"


async def test_without_a_model_only_recordings_are_offered(folder):
    async with over_stdio(folder, "mcp", "--recordings", str(ROOT / "recordings")) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == RECORDING_TOOLS
        listed = await client.call_tool("list_recordings", {"limit": 200})
        assert listed.structured_content["total"] == len(list((ROOT / "recordings").glob("*.jsonl")))


async def test_several_folders_the_first_gets_new_recordings(folder):
    with scripted([ANSWER]) as server:
        more = ("--recordings", "new/ones", "--recordings", str(ROOT / "recordings"))
        async with over_stdio(folder, *agent(server, *more)) as client:
            result = await client.call_tool("ask_agent", {"prompt": "hi"})
            name = result.structured_content["recording"]
            assert name.startswith("new/ones/")
            for known in (name, str(ROOT / "recordings" / "gemini-text.jsonl"), "gemini-text.jsonl"):
                replayed = await client.call_tool("replay_recording", {"recording": known})
                assert replayed.structured_content["status"] == "pass"


class Raw:
    """A client that writes lines and reads lines."""

    def __init__(self, process):
        self.process = process
        self.number = 0

    def send(self, method, wait=True, **params):
        message = {"jsonrpc": "2.0", "method": method, "params": params}
        if wait is not None:
            self.number += 1
            message["id"] = self.number
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline()) if wait else None

    def begin(self):
        self.send(
            "initialize", protocolVersion="2025-06-18", capabilities={}, clientInfo={"name": "raw", "version": "1"}
        )
        self.send("notifications/initialized", wait=None)


def test_nothing_but_the_protocol_on_stdout(folder):
    with scripted([CALLS, ANSWER]) as server, started(*agent(server), cwd=folder) as process:
        raw = Raw(process)
        raw.begin()
        answer = raw.send("tools/call", name="ask_agent", arguments={"prompt": "hi"})
        assert answer["result"]["content"][0]["text"] == TEXT
        wrong = raw.send("tools/call", name="rm", arguments={})
        assert wrong["error"]["code"] == -32602
        rest, err = process.communicate(b"this is no JSON\n", timeout=20)
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in rest.splitlines())
        assert process.returncode == 0
        assert b"harness: MCP server on standard input and output\n" in err


def stalled(folder, server):
    """A server process with a turn that waits for its provider."""
    raw = Raw(folder)
    raw.begin()
    raw.send("tools/call", wait=False, name="ask_agent", arguments={"prompt": "hi"})
    wait_for(lambda: bool(server.exchanges), "the request")


def test_a_client_that_closes_its_end(folder):
    with scripted([STALLED]) as server, started(*agent(server), cwd=folder) as process:
        stalled(process, server)
        process.stdin.close()
        assert process.wait(20) == 0
        assert b"Traceback" not in process.stderr.read()
    assert recorded(folder)[0].end["status"] == "cancelled"


def test_a_client_that_is_gone(folder):
    """Nobody reads stdout any more either."""
    with scripted([STALLED, ANSWER]) as server, started(*agent(server), cwd=folder) as process:
        stalled(process, server)
        process.stdout.close()
        raw = Raw(process)
        raw.send("tools/call", wait=False, name="list_recordings", arguments={})
        assert process.wait(20) == 0
        assert b"Traceback" not in process.stderr.read()
    assert recorded(folder)[0].end["status"] == "cancelled"


@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
@pytest.mark.parametrize("busy", [True, False], ids=["busy", "idle"])
def test_a_signal_ends_it_at_once(folder, name, busy):
    """Its client still holds standard input open."""
    with scripted([STALLED]) as server, started(*agent(server), cwd=folder) as process:
        if busy:
            stalled(process, server)
        else:
            Raw(process).begin()
        process.send_signal(getattr(signal, name))
        assert process.wait(20) == 130
        assert b"Traceback" not in process.stderr.read()
    if busy:
        assert recorded(folder)[0].end["status"] == "cancelled"


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT"])
async def test_a_signal_ends_an_http_server(folder, name, mode):
    with scripted([STALLED]) as server, started(*agent(server), "--transport", "http", cwd=folder) as process:
        async with mcp.Client(url_of(process), mode=mode) as client:
            task = asyncio.ensure_future(client.call_tool("ask_agent", {"prompt": "hi"}))
            await until(lambda: server.exchanges)
            process.send_signal(getattr(signal, name))
            await asyncio.to_thread(process.wait, 20)
            with pytest.raises(mcp.MCPError, match="the server is ending"):
                await task
        assert process.returncode in (130, -signal.SIGTERM)
        assert b"Traceback" not in process.stderr.read()
    assert recorded(folder)[0].end["status"] == "cancelled"


async def test_the_port_that_was_asked_for_or_one_line(folder):
    with started("mcp", "--transport", "http", cwd=folder) as process:
        url = url_of(process)
        port = url.split(":")[2].split("/")[0]
        with started("mcp", "--transport", "http", "--port", port, cwd=folder) as second:
            _, err = second.communicate(timeout=20)
            assert second.returncode == 2
            assert err.decode().splitlines()[-1].startswith(f"harness: port {port}: ")


@pytest.mark.parametrize(
    "header", [{"host": "evil.example"}, {"origin": "http://evil.example"}], ids=["host", "origin"]
)
async def test_requests_of_web_pages_are_refused(folder, header):
    import httpx

    with started("mcp", "--transport", "http", cwd=folder) as process:
        url = url_of(process)
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        async with httpx.AsyncClient() as client:
            accept = {"accept": "application/json, text/event-stream"}
            response = await client.post(url, json=body, headers={**accept, **header})
    assert response.status_code in (403, 421)


def test_a_file_as_standard_input(folder):
    (folder / "in").write_text('{"jsonrpc":"2.0","id":1,"method":"nothing"}\n')
    with (folder / "in").open() as file, started("mcp", cwd=folder, stdin=file) as process:
        out, _ = process.communicate(timeout=20)
        assert process.returncode == 0
        assert all(json.loads(line)["jsonrpc"] == "2.0" for line in out.splitlines())
        assert os.path.exists(folder)
