"""The agent behind an MCP server: each prompt a turn with a recording of its own, however it ends."""

from __future__ import annotations

import asyncio

import httpx
import pytest

import harness
from agent.front_ends.mcp_tool import fold
from agent.providers.base import Target
from agent.tools.tool import ToolError
from harness.config import Config
from harness.errors import HarnessError
from harness.mcp.agent import agent_runner, introduce
from harness.mcp.folders import Folders
from harness.recorder.session import Agent
from tests.scripted import fixture

pytestmark = pytest.mark.anyio

TARGET = Target("openai", "openai-chat", "http://h/v1", "sk-test-key-0123456789abcdef", "OPENAI_API_KEY")
ANSWER = fixture("openai-chat/session-answer.sse").body
SSE = {"content-type": "text/event-stream"}


def runner(tmp_path, answer, **more):
    agent = Agent(TARGET, "m", "PLAN", tmp_path)
    warned = []
    folders = more.pop("folders", [tmp_path / "recordings"])
    run = agent_runner(
        agent,
        Folders(folders),
        Config(),
        warn=warned.append,
        transport=more.pop("transport", lambda target: httpx.MockTransport(answer)),
    )
    return run, warned


def says(body, status=200, headers=SSE):
    return lambda request: httpx.Response(status, headers=headers, content=body)


async def ask(run, prompt="hi"):
    async with run(prompt) as running:
        return await fold(running, _silent)


async def _silent(line):
    pass


async def test_each_prompt_has_a_recording_of_its_own(tmp_path):
    run, warned = runner(tmp_path, says(ANSWER))
    replies = [await ask(run, prompt) for prompt in ("one", "two")]
    names = [reply.data["recording"] for reply in replies]
    assert len(set(names)) == 2
    recordings = [harness.open(tmp_path / "recordings" / name) for name in names]
    assert [recording.turns[0].input for recording in recordings] == ["one", "two"]
    assert [recording.end["status"] for recording in recordings] == ["ok", "ok"]
    assert [reply.notes for reply in replies] == [(f"recording: {name}",) for name in names]
    assert not warned


async def test_turns_beside_one_another_do_not_mix(tmp_path):
    run, _ = runner(tmp_path, says(ANSWER))
    replies = await asyncio.gather(*(ask(run, str(n)) for n in range(5)))
    for n, reply in enumerate(replies):
        recording = harness.open(tmp_path / "recordings" / reply.data["recording"])
        assert recording.turns[0].input == str(n)
        assert not recording.warnings


async def test_a_failure_is_recorded_as_one(tmp_path):
    run, _ = runner(tmp_path, says(b'{"error": {"message": "wrong key"}}', 401, {"content-type": "application/json"}))
    reply = await ask(run)
    assert reply.failed
    assert "wrong key" in reply.text
    assert harness.open(tmp_path / "recordings" / reply.data["recording"]).end["status"] == "error"


async def test_a_cancelled_turn_is_recorded_as_one(tmp_path):
    waiting = asyncio.Event()

    async def body():
        yield ANSWER[:400]
        waiting.set()
        await asyncio.Event().wait()

    run, _ = runner(tmp_path, lambda request: httpx.Response(200, headers=SSE, content=body()))
    task = asyncio.ensure_future(ask(run))
    await waiting.wait()
    task.cancel()
    await asyncio.wait([task])
    assert task.cancelled()
    (path,) = (tmp_path / "recordings").iterdir()
    assert harness.open(path).end["status"] == "cancelled"


async def test_a_reader_that_crashes_leaves_a_recording_that_ends_in_an_error(tmp_path):
    run, _ = runner(tmp_path, says(ANSWER))
    with pytest.raises(KeyError):
        async with run("hi"):
            raise KeyError("reader")
    (path,) = (tmp_path / "recordings").iterdir()
    assert harness.open(path).end["status"] == "error"


async def test_a_recording_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "recordings").write_text("a file")
    run, _ = runner(tmp_path, says(ANSWER))
    with pytest.raises(ToolError, match="recordings") as raised:
        await ask(run)
    assert "\n" not in str(raised.value)


async def test_a_transport_that_cannot_be_made_is_told_and_nothing_is_recorded(tmp_path):
    def refuse(target):
        raise HarnessError("no proxy")

    run, _ = runner(tmp_path, None, transport=refuse)
    with pytest.raises(ToolError, match="no proxy"):
        await ask(run)
    assert not (tmp_path / "recordings").exists()


async def test_no_key_reaches_the_recording(tmp_path):
    run, _ = runner(tmp_path, says(ANSWER))
    reply = await ask(run, f"the key is {TARGET.key}")
    assert b"0123456789abcdef" not in (tmp_path / "recordings" / reply.data["recording"]).read_bytes()


@pytest.mark.parametrize(
    ("mode", "may"),
    [("PLAN", "changes nothing"), ("FIX", "write files"), ("BUILD", "run commands"), ("SWE", "run commands")],
)
def test_the_introduction_says_what_it_may(tmp_path, mode, may):
    text = introduce(Agent(TARGET, "m", mode, tmp_path))
    assert may in text
    assert f"openai/m, working in the folder {tmp_path}" in text
