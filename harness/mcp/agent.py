"""The built-in agent behind an MCP server: each prompt is one turn with a recording of its own."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any

from agent.front_ends.mcp_tool import Run, Running
from agent.front_ends.summary import Events, Summary
from agent.loop_types import LoopEvent
from agent.messages import user
from agent.providers.base import Target
from agent.tools.tool import ToolError
from harness.config import Config
from harness.costs.priced_by import configured
from harness.errors import HarnessError
from harness.mcp.folders import Folders
from harness.recorder.recorder import Recorder
from harness.recorder.session import Agent, network, new_path, open_turn, redactor

_MAY = {
    "PLAN": "It may read there, and changes nothing.",
    "FIX": "It may read and write files there.",
    "BUILD": "It may read and write files there, and run commands.",
    "SWE": "It may read and write files there, and run commands.",
}


def introduce(agent: Agent) -> str:
    """What the agent works on and may do, for the model of a client."""
    return f"It is {agent.target.provider}/{agent.model}, working in the folder {agent.workspace}. {_MAY[agent.mode]}"


def agent_runner(
    agent: Agent,
    folders: Folders,
    config: Config,
    *,
    warn: Callable[[str], None],
    transport: Callable[[Target], Any] = network,
) -> Run:
    """Runs turns of `agent`, each recorded in a new file of the first folder.

    `warn` gets a line when something could not be recorded. `transport` makes what reaches the target, once a turn.
    """
    price = configured(config)

    @asynccontextmanager
    async def run(prompt: str) -> AsyncIterator[Running]:
        path = new_path(folders.folders[0], f"{agent.target.provider}/{agent.model}")
        try:
            inner = transport(agent.target)
            recorder = Recorder(path, redactor=redactor(config, agent.target), warn=warn)
        except HarnessError as error:
            raise ToolError(str(error)) from error
        summary = Summary()
        status = "cancelled"
        try:
            async with open_turn([user(prompt)], agent, inner, recorder, price) as events:
                yield Running(_watched(events, summary), {"recording": folders.name(path)})
            status = "error" if summary.failed else "ok"
        except Exception:
            status = "error"
            raise
        finally:
            recorder.close(status)

    return run


async def _watched(events: Events, summary: Summary) -> AsyncGenerator[LoopEvent, None]:
    async with aclosing(events):
        async for event in events:
            summary.see(event)
            yield event
