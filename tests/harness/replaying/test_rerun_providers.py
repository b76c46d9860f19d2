"""Sessions with providers that only a configuration knows are replayed without it."""

from __future__ import annotations

import asyncio

import pytest

from agent.messages import user
from agent.providers.base import Target
from harness.recorder.recorder import Recorder
from harness.recorder.session import Agent, open_turn
from harness.replaying.replayer import replay_recording
from tests.harness.leaky import WIRES, answer
from tests.harness.transports import Scripted


@pytest.mark.parametrize("params", [{}, {"max_tokens": 77}, {"max_tokens": 77, "seed": 77}], ids=["none", "one", "two"])
@pytest.mark.parametrize("limit", ["max_tokens", "max_new_tokens"])
@pytest.mark.parametrize("wire", WIRES)
def test_wire_format_and_output_limit_are_those_recorded(wire, limit, params, tmp_path):
    target = Target("lab", wire, "http://127.0.0.1:9/v1", "not-a-key", "LAB_KEY", max_tokens_param=limit)
    path = tmp_path / "x.jsonl"

    async def run() -> None:
        agent = Agent(target, "m", "PLAN", tmp_path, "You help.", params)
        with Recorder(path) as recorder:
            transport = Scripted([answer(wire, ["hello"])])
            async with open_turn([user("hi")], agent, transport, recorder, lambda *_: None) as events:
                async for _ in events:
                    pass

    asyncio.run(run())
    found = replay_recording(path)
    assert (found.status, found.reason) == ("pass", None)
