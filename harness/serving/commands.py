"""What `record`, `proxy`, `serve` and `replay FILE -- COMMAND` do, once their command line is read."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from agent.providers.base_url import TargetError
from harness.config import Config
from harness.errors import HarnessError, RecordingError
from harness.recording.contents import Call
from harness.recording.opening import open as open_recording
from harness.report.figures import first_of
from harness.serving.child import Ended, run_child, until_stopped
from harness.serving.doors import Doors, plan

if TYPE_CHECKING:
    from harness.serving.answer import ReplayServer
    from harness.serving.forward import RecordProxy

Say: TypeAlias = Callable[[str], None]
"""Takes one line for people."""

Found: TypeAlias = Sequence[tuple[Path, Call]]
"""Calls, each with the recording it comes from."""

UNREAD = (
    "the program reads none of the variables it was given? Set its base URL to $HARNESS_PROXY_URL/openai/v1 "
    "(or /anthropic, /gemini); see docs/any-language.md"
)
"""The next step where a program asked for nothing."""

_SHOWN = 10
"""Unused calls that are listed; the others are counted."""

_EXTRA = ("starlette", "uvicorn")


def need_extra() -> None:
    """Raises `HarnessError` where what the servers need is not installed."""
    if any(find_spec(name) is None for name in _EXTRA):
        raise HarnessError("this command needs the extra `serve`: pip install 'trajectory-harness[serve]'")


def doors_for(config: Config, upstreams: Sequence[str] = ()) -> Doors:
    """Prefixes and variables as this process's environment and the configuration say. Raises `HarnessError`."""
    try:
        return plan(os.environ, config.providers, upstreams)
    except TargetError as error:
        raise HarnessError(f"--upstream: {error}") from None


def read_calls(files: Sequence[Path], say: Say) -> tuple[Found, list[str]]:
    """The calls of recordings, in order, and the normalizers that their headers name. Raises `RecordingError`."""
    found = []
    normalizers: dict[str, None] = {}
    for path in files:
        recording = open_recording(path)
        named = (recording.header or {}).get("normalizers") or ()
        normalizers |= dict.fromkeys(name for name in named if isinstance(name, str))
        for warning in recording.warnings:
            say(f"warning {path}: {warning}")
        found += [(path, call) for call in recording.calls]
    if not found:
        raise RecordingError("there is no call in it to answer with", files[0], todo="record it anew")
    return found, list(normalizers)


async def run_with(
    app: RecordProxy | ReplayServer, doors: Doors, port: int, command: Sequence[str], say: Say | None = None
) -> Ended:
    """Run a command to its end against `app`. Raises `HarnessError` where either cannot be started."""
    from harness.serving.server import running

    async with running(app, port) as url:
        if say is not None:
            say(f"proxy at {url}, also in HARNESS_PROXY_URL")
        warming = asyncio.create_task(app.warm())  # while the command starts
        ended = await run_child(command, {**os.environ, **doors.environment(url, os.environ)})
        await warming
        return ended


async def run_until_stopped(app: RecordProxy | ReplayServer, port: int, started: Callable[[str], None]) -> None:
    """Run `app` until a signal stops it; `started` gets its URL. Raises `HarnessError` where it cannot be started."""
    from harness.serving.server import running

    async with running(app, port) as url:
        await app.warm()
        started(url)
        await until_stopped()


def report(server: ReplayServer, calls: Found, say: Say, *, misses: bool) -> None:
    """Say what a replay came to: counts, then the calls that were not asked for, and with `misses` each miss."""
    unused = {id(call) for call in server.unused}
    counts = [f"{server.answered} answered", f"{len(server.misses)} missed", f"{len(unused)} unused"]
    say(f"calls: {', '.join(counts)}")
    for text in server.misses if misses else ():
        say(f"miss: {text}")
    left = [(path, call) for path, call in calls if id(call) in unused]
    lines = [f"unused: call {call.number} of {path}: {call.method} {call.url}" for path, call in left]
    for line in first_of(lines, _SHOWN, "unused call"):
        say(line)
    if misses and calls and not server.answered and not server.misses:
        say(f"nothing was asked for: {UNREAD}")
    for text in server.faults:
        say(f"fault: {text}")
