"""Turns of the built-in agent, put together: tools, client, loop, and the recorder around them."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import AsyncIterator, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from agent.front_ends.summary import Events
from agent.loop_types import ExecuteTool, Limits, Price
from agent.messages import Message
from agent.providers.base import Target
from agent.providers.base_url import TargetError
from agent.providers.table import MissingKey, UnknownProvider, resolve
from harness.config import Config
from harness.errors import HarnessError
from harness.recorder.recorder import Recorder
from harness.redaction.redactor import Redactor


@dataclass(slots=True, frozen=True)
class Agent:
    """The agent that takes the turns. `model` without its provider; `system` None means the built-in prompt.

    `max_iterations` None: that of the mode.
    """

    target: Target
    model: str
    mode: str
    workspace: Path
    system: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    tools: bool = True
    max_iterations: int | None = None

    @property
    def limits(self) -> Limits:
        limits = Limits.for_mode(self.mode)
        return limits if self.max_iterations is None else replace(limits, max_iterations=self.max_iterations)


@asynccontextmanager
async def open_turn(
    history: Sequence[Message], agent: Agent, transport: Any, recorder: Recorder | None, price: Price
) -> AsyncIterator[Events]:
    """One turn over `transport`, recorded as it is read. The history's last message is the input.

    The provider stream and a running tool have ended when the context is left.
    """
    from agent.client import Client
    from agent.loop import run_turn
    from agent.prompt import system_prompt
    from agent.tools import Toolbox
    from agent.tools.registry import modes_of_tools

    toolbox = Toolbox(agent.workspace, agent.mode)
    system = agent.system
    if system is None and agent.tools:
        system = system_prompt(agent.mode, toolbox.root, datetime.now().astimezone().date())
    shared: dict[str, Any] = {
        "mode": agent.mode,
        "provider": agent.target.provider,
        "model": agent.model,
        "system": system,
        "tools": toolbox.specs() if agent.tools else [],
        "params": agent.params,
        "limits": agent.limits,
        "tool_modes": modes_of_tools(),
    }
    execute: ExecuteTool = toolbox.execute
    ids = None
    tap = None
    if recorder is not None:
        transport = recorder.transport(transport)
        tap = recorder.turn(history, base_url=agent.target.base_url, **shared)
        execute, ids = tap.tools(toolbox.execute), tap.ids()
    async with Client(agent.target, transport=transport) as client:
        events: Any = run_turn(
            history,
            create_stream=client.stream,
            execute_tool=execute,
            price=price,
            ids=ids,
            wire=agent.target.wire,
            **shared,
        )
        async with aclosing(events if tap is None else tap.events(events)) as run:
            yield run


def find_target(name: str, base_url: str | None, config: Config) -> tuple[Target, str]:
    """The target of `provider/model`, and the model's own id. Raises `HarnessError`."""
    try:
        return resolve(name, base_url=base_url, environ=os.environ, providers=config.providers)
    except TargetError as error:
        names_url = isinstance(error, MissingKey | UnknownProvider) and "base URL" in str(error)
        raise HarnessError(f"{error} (--base-url URL)" if names_url else str(error)) from None


def network(target: Target) -> Any:
    """The transport that reaches the target. Raises `HarnessError` for settings of the network that cannot be used."""
    import httpx

    from agent.network import network_transport

    try:
        return network_transport(target.base_url)
    except httpx.ProxyError as error:
        raise HarnessError(f"{error}: correct the proxy variables of the environment, or unset them") from None
    except httpx.ConnectError as error:
        raise HarnessError(f"{error}: correct the variable, or unset it") from None


def redactor(config: Config, target: Target) -> Redactor:
    """A redactor of the keys in use, the target's among them, and of the user's rules."""
    found = config.redactor()
    if target.key is not None:
        found.learn(target.key)
    return found


def new_path(folder: Path, model: str) -> Path:
    """A new recording in `folder`, named after the time and the model."""
    slug = re.sub(r"[^A-Za-z0-9.]+", "-", model).strip("-.")[:60]
    return folder / f"{datetime.now(UTC):%Y%m%d-%H%M%S}-{slug}-{secrets.token_hex(2)}.jsonl"
