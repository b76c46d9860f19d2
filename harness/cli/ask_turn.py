"""The turn behind `harness ask`: a turn of `harness.recorder.session` and the front end that shows it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from agent.front_ends.human import human
from agent.front_ends.jsonl import jsonl
from agent.front_ends.summary import Summary
from agent.messages import Message, user
from agent.providers.base import Target
from harness.config import Config
from harness.recorder.recorder import Recorder
from harness.recorder.session import Agent, open_turn


@dataclass(slots=True, frozen=True)
class Asked:
    """What the command line asks for. `tools` False offers none; `system` None means the built-in prompt.

    `history`: the messages before the prompt.
    """

    config: Config
    history: Sequence[Message]
    prompt: str
    model: str
    mode: str
    params: dict[str, Any]
    workspace: Path
    system: str | None
    tools: bool
    as_json: bool
    quiet: bool


async def run(
    asked: Asked, target: Target, transport: Any, recorder: Recorder | None, out: TextIO, err: TextIO
) -> Summary:
    """One turn, shown and recorded. The provider stream and a running tool have ended when this returns or raises."""
    cancel_on_signals()
    from harness.costs.priced_by import configured

    agent = Agent(target, asked.model, asked.mode, asked.workspace, asked.system, asked.params, asked.tools)
    history = [*asked.history, user(asked.prompt)]
    async with open_turn(history, agent, transport, recorder, configured(asked.config)) as events:
        if asked.as_json:
            return await jsonl(events, out)
        colour = err.isatty() and "NO_COLOR" not in os.environ
        return await human(events, out, err, quiet=asked.quiet, colour=colour)


def cancel_on_signals() -> None:
    """Let a polite kill, or a terminal that closes, end this task, and so turn and recording, as Ctrl-C does."""
    task = asyncio.current_task()
    assert task is not None
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is None or signal.getsignal(number) is signal.SIG_IGN:  # `nohup` asks for that
            continue
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            asyncio.get_running_loop().add_signal_handler(number, task.cancel)
