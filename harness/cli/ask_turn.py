"""The turn behind `harness ask`: recorder, transport, client, loop, tap and front end, put together."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from agent.front_ends.human import human
from agent.front_ends.jsonl import jsonl
from agent.front_ends.summary import Summary
from agent.providers.base import Target
from harness.errors import HarnessError
from harness.recorder import Recorder


@dataclass(slots=True, frozen=True)
class Asked:
    """What the command line asks for. `tools` False offers none; `system` None means the built-in prompt."""

    prompt: str
    model: str
    mode: str
    params: dict[str, Any]
    workspace: Path
    system: str | None
    tools: bool
    as_json: bool
    quiet: bool


def network(target: Target) -> Any:
    """The transport that reaches the target. Raises `HarnessError` for proxy settings that cannot be used."""
    import httpx

    from agent.network import network_transport

    try:
        return network_transport(target.base_url)
    except httpx.ProxyError as error:
        raise HarnessError(f"{error}: correct the proxy variables of the environment, or unset them") from None


async def run(
    asked: Asked, target: Target, transport: Any, recorder: Recorder | None, out: TextIO, err: TextIO
) -> Summary:
    """One turn, shown and recorded. The provider stream and a running tool have ended when this returns or raises."""
    _cancel_on_signals()
    from agent.client import Client
    from agent.loop import run_turn
    from agent.loop_types import ExecuteTool, Limits
    from agent.messages import user
    from agent.pricing import price
    from agent.prompt import system_prompt
    from agent.tools import Toolbox
    from agent.tools.registry import modes_of_tools

    toolbox = Toolbox(asked.workspace, asked.mode)
    system = asked.system
    if system is None and asked.tools:
        system = system_prompt(asked.mode, toolbox.root, datetime.now().astimezone().date())
    history = [user(asked.prompt)]
    shared: dict[str, Any] = {
        "mode": asked.mode,
        "provider": target.provider,
        "model": asked.model,
        "system": system,
        "tools": toolbox.specs() if asked.tools else [],
        "params": asked.params,
        "limits": Limits.for_mode(asked.mode),
    }
    execute: ExecuteTool = toolbox.execute
    ids = None
    tap = None
    if recorder is not None:
        transport = recorder.transport(transport)
        tap = recorder.turn(history, base_url=target.base_url, **shared)
        execute, ids = tap.tools(toolbox.execute), recorder.next_call
    async with Client(target, transport=transport) as client:
        events: Any = run_turn(
            history,
            create_stream=client.stream,
            execute_tool=execute,
            price=price,
            ids=ids,
            wire=target.wire,
            tool_modes=modes_of_tools(),
            **shared,
        )
        if tap is not None:
            events = tap.events(events)
        if asked.as_json:
            return await jsonl(events, out)
        colour = err.isatty() and "NO_COLOR" not in os.environ
        return await human(events, out, err, quiet=asked.quiet, colour=colour)


def _cancel_on_signals() -> None:
    """Let a polite kill, or a terminal that closes, end the turn and the recording as Ctrl-C does."""
    task = asyncio.current_task()
    assert task is not None
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is None or signal.getsignal(number) is signal.SIG_IGN:  # `nohup` asks for that
            continue
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
