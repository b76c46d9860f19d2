"""Runs a child process on the event loop: bounded output, a time limit, and no process left when it returns."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from agent.tools.text import Capture
from agent.tools.waiting import see_through

MARK = "TRAJECTORY_TOOL"
"""Environment variable that marks the processes of one run, for finding them should their supervisor be killed."""

_SUPERVISOR = str(Path(__file__).with_name("supervisor.py"))
_STOP_SECONDS = 8.0
"""More than the supervisor's own limits together."""


@dataclass(slots=True, frozen=True)
class Outcome:
    """How a child ended. `status` is its exit status, 128 + n after signal n; None where the time limit ended it."""

    status: int | None
    output: Capture


async def run(
    command: Sequence[str],
    *,
    cwd: str,
    environ: Mapping[str, str],
    seconds: float,
    head: int,
    tail: int,
) -> Outcome:
    """Run a command in a session of its own: no input, both output streams in one, the first and last bytes kept.

    When it returns or raises (cancellation too), the command and all processes it started have ended. Raises
    `OSError` where the command line is too long for the system.
    """
    child = _Child(command, cwd, environ, Capture(head, tail))
    finished = False
    try:
        finished = bool((await asyncio.wait({child.ended}, timeout=seconds))[0])
    finally:
        await child.close(stop=not finished)
    return Outcome(child.status() if finished else None, child.output)


class _Child:
    """A supervised process whose output pipe the event loop reads. The pipe ends when the supervisor has exited."""

    def __init__(self, command: Sequence[str], cwd: str, environ: Mapping[str, str], output: Capture) -> None:
        loop = asyncio.get_running_loop()
        self.output = output
        self.ended: asyncio.Future[None] = loop.create_future()
        self._loop = loop
        self._mark = os.urandom(8).hex()
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", _SUPERVISOR, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            cwd=cwd,
            env={**environ, MARK: self._mark},
            start_new_session=True,
            bufsize=0,
        )
        assert self._process.stdout is not None
        self._pipe = self._process.stdout.fileno()
        os.set_blocking(self._pipe, False)
        loop.add_reader(self._pipe, self._read)

    def _read(self) -> None:
        try:
            chunk = os.read(self._pipe, 1 << 16)
        except BlockingIOError:
            return
        if chunk:
            self.output.add(chunk)
            return
        self._loop.remove_reader(self._pipe)
        if not self.ended.done():
            self.ended.set_result(None)

    def status(self) -> int | None:
        code = self._process.poll()
        return code if code is None or code >= 0 else 128 - code

    async def close(self, *, stop: bool) -> None:
        """Have everything ended and collected, however often the task is cancelled meanwhile."""
        try:
            gone = not stop or await self._stop()
            if not (gone and await self._collected()):
                self._kill()
        finally:
            self._loop.remove_reader(self._pipe)
            for stream in (self._process.stdin, self._process.stdout):
                if stream is not None:
                    stream.close()

    async def _stop(self) -> bool:
        if self._process.poll() is not None:
            return False
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            os.write(self._process.stdin.fileno(), b"x")
        return await see_through(self.ended, _STOP_SECONDS)

    async def _collected(self) -> bool:
        """The pipe has ended, so the supervisor is exiting: a matter of microseconds. False where it was killed."""
        end = self._loop.time() + 1
        while self._process.poll() is None and self._loop.time() < end:
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.sleep(0.001)
        return self._process.returncode is not None and self._process.returncode >= 0

    def _kill(self) -> None:
        """The supervisor itself was killed, or hangs: end what bears the mark of this run."""
        for _ in range(100):
            pids = list(_marked(self._mark))
            for pid in pids:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    os.kill(pid, signal.SIGKILL)
            if not pids:
                break
        self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(1)


def _marked(mark: str) -> Iterator[int]:
    """Live processes whose environment holds the mark (Linux's `/proc`; elsewhere none)."""
    wanted = f"{MARK}={mark}".encode()
    for name in os.listdir("/proc") if sys.platform == "linux" else ():
        if not name.isdigit():
            continue
        with contextlib.suppress(OSError), open(f"/proc/{name}/environ", "rb") as file:
            if wanted in file.read().split(b"\0"):
                yield int(name)
