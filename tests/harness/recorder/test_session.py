"""A turn put together: what goes out, what is recorded, and that leaving it ends everything."""

from __future__ import annotations

import asyncio
import json
from decimal import Decimal
from pathlib import Path

import httpx
import pytest

import harness
from agent.messages import user
from agent.providers.base import Target
from harness.config import Config
from harness.errors import HarnessError
from harness.recorder.recorder import Recorder
from harness.recorder.session import Agent, find_target, network, new_path, open_turn, redactor
from tests.scripted import fixture

pytestmark = pytest.mark.anyio

TARGET = Target("openai", "openai-chat", "http://h/v1", "sk-test-key-0123456789abcdef", "OPENAI_API_KEY")
ANSWER = fixture("openai-chat/session-answer.sse").body
CALLS = fixture("openai-chat/session-parallel.sse").body


class Provider:
    """A transport that answers with the given bodies, and what it was asked."""

    def __init__(self, *bodies):
        self.bodies = list(bodies)
        self.requests = []

    @property
    def transport(self):
        return httpx.MockTransport(self._answer)

    def _answer(self, request):
        self.requests.append(json.loads(request.content))
        return httpx.Response(200, headers={"content-type": "text/event-stream"}, content=self.bodies.pop(0))


def agent(tmp_path, **more):
    return Agent(TARGET, "m", "PLAN", tmp_path, **more)


def price(usage, provider, model, at):
    return Decimal("0.5")


async def read(events):
    return [event async for event in events]


async def test_a_turn_is_run_recorded_and_replayed(tmp_path):
    (tmp_path / "plan.txt").write_text("Tea at four.\n")
    provider = Provider(CALLS, ANSWER)
    with Recorder(tmp_path / "x.jsonl") as recorder:
        async with open_turn([user("hi")], agent(tmp_path), provider.transport, recorder, price) as events:
            seen = await read(events)
    assert [event.event for event in seen][-2:] == ["finish", "done"]
    assert seen[-2].data["cost_usd"] == "1.000000"
    assert len(provider.requests) == 2
    first = provider.requests[0]
    assert first["model"] == "m"
    assert str(tmp_path) in first["messages"][0]["content"]
    assert first["messages"][1] == {"role": "user", "content": "hi"}
    assert [tool["function"]["name"] for tool in first["tools"]] == ["read_file", "list_dir", "search"]
    recording = harness.open(tmp_path / "x.jsonl")
    (turn,) = recording.turns
    assert (turn.input, turn.mode, turn.provider, turn.model, len(turn.calls)) == ("hi", "PLAN", "openai", "m", 2)


async def test_own_prompt_parameters_and_no_tools(tmp_path):
    provider = Provider(ANSWER, ANSWER)
    own = agent(tmp_path, system="Be brief.", params={"temperature": 0.5}, tools=False)
    bare = agent(tmp_path, tools=False)
    for one in (own, bare):
        async with open_turn([user("hi")], one, provider.transport, None, price) as events:
            await read(events)
    first, second = provider.requests
    assert first["messages"][0] == {"role": "system", "content": "Be brief."}
    assert first["temperature"] == 0.5
    assert "tools" not in first
    assert second["messages"] == [{"role": "user", "content": "hi"}]


async def test_leaving_early_closes_the_turn_and_says_so_in_the_recording(tmp_path):
    provider = Provider(ANSWER)
    with Recorder(tmp_path / "x.jsonl") as recorder:
        async with open_turn([user("hi")], agent(tmp_path), provider.transport, recorder, price) as events:
            await anext(aiter(events))
    (turn,) = harness.open(tmp_path / "x.jsonl").turns
    assert [record["event"] for record in turn.loop] == ["cancelled"]


async def test_cancelling_closes_the_turn(tmp_path):
    waiting = asyncio.Event()

    async def body():
        yield ANSWER[:400]
        waiting.set()
        await asyncio.Event().wait()

    transport = httpx.MockTransport(
        lambda request: httpx.Response(200, headers={"content-type": "text/event-stream"}, content=body())
    )

    async def run():
        with Recorder(tmp_path / "x.jsonl") as recorder:
            async with open_turn([user("hi")], agent(tmp_path), transport, recorder, price) as events:
                await read(events)

    task = asyncio.ensure_future(run())
    await waiting.wait()
    task.cancel()
    await asyncio.wait([task])
    recording = harness.open(tmp_path / "x.jsonl")
    assert recording.end["status"] == "cancelled"
    assert recording.calls[0].end.kind == "closed"


def test_find_target(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    target, model = find_target("llamacpp/a/b", "http://127.0.0.1:1", Config())
    assert (target.base_url, model) == ("http://127.0.0.1:1/v1", "a/b")
    for name in ("openai/m", "nobody/m", "nothing"):
        with pytest.raises(HarnessError) as raised:
            find_target(name, None, Config())
        assert "\n" not in str(raised.value)


def test_certificates_that_cannot_be_read(monkeypatch, tmp_path):
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "none.pem"))
    monkeypatch.setattr("agent.network.getproxies", dict)
    with pytest.raises(HarnessError, match="cannot be used: No such file or directory: correct the variable"):
        network(Target("x", "openai-chat", "https://h.example/v1"))


def test_a_proxy_that_cannot_be_used(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "gopher://proxy:1")
    monkeypatch.setattr("agent.network.proxy_bypass", lambda host: False)
    with pytest.raises(HarnessError, match="correct the proxy variables"):
        network(Target("openai", "openai-chat", "https://api.example.com/v1"))


def test_the_key_of_the_target_is_redacted(monkeypatch):
    monkeypatch.setenv("GROQ_API_KEY", "zq8-another-key-in-use-77")
    found = redactor(Config(), TARGET).bytes(b"a sk-test-key-0123456789abcdef b zq8-another-key-in-use-77 c")
    assert b"0123456789" not in found
    assert b"another-key" not in found


def test_names_of_new_recordings():
    names = {new_path(Path("r"), "p/m: 1/../x").name for _ in range(20)}
    assert len(names) == 20
    assert all(name.endswith(".jsonl") and "/" not in name and "p-m-1-..-x" in name for name in names)
    assert new_path(Path("r"), "x" * 500).parent == Path("r")
    assert len(new_path(Path("r"), "x" * 500).name) < 100
