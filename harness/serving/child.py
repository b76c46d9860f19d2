"""Runs a command beside a local server, and waits for signals where there is none."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from harness.errors import HarnessError

_PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
_STOPS = ("SIGINT", "SIGTERM", "SIGHUP")
_FROM_TERMINAL = ("SIGINT", "SIGQUIT")
_SIGNALLED = 128
"""Added to the number of the signal that ended a child, as shells do."""


@dataclass(slots=True, frozen=True)
class Ended:
    """`status`: the child's exit status. `cancelled`: a signal ended it, or it ended after one was passed on."""

    status: int
    cancelled: bool


async def run_child(command: Sequence[str], environ: Mapping[str, str]) -> Ended:
    """Run a command to its end, with this process's standard streams. Signals are passed on to it.

    Raises `HarnessError` where it cannot be started.
    """
    try:
        child = await asyncio.create_subprocess_exec(*command, env=environ)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise HarnessError(f"cannot run {command[0]}: {reason}") from None
    passed: list[int] = []

    def pass_on(number: int) -> None:
        passed.append(number)
        if number not in _numbers(_FROM_TERMINAL) or not _in_foreground():
            with contextlib.suppress(ProcessLookupError):
                child.send_signal(number)

    with _handling(_PASSED_ON, pass_on):
        status = await child.wait()
    if status < 0:
        return Ended(_SIGNALLED - status, True)
    return Ended(status, bool(passed))


async def until_stopped() -> None:
    """Wait for Ctrl-C, a polite kill, or a terminal that closes."""
    stopped = asyncio.Event()
    with _handling(_STOPS, lambda number: stopped.set()):
        await stopped.wait()


@contextlib.contextmanager
def _handling(names: Sequence[str], handle: Callable[[int], None]) -> Iterator[None]:
    """Call `handle` for these signals, but not for one that this process was told to ignore (`nohup`)."""
    loop = asyncio.get_running_loop()
    handled = []
    for number in _numbers(names):
        if signal.getsignal(number) is signal.SIG_IGN:
            continue
        with contextlib.suppress(NotImplementedError, RuntimeError, ValueError):
            loop.add_signal_handler(number, handle, number)
            handled.append(number)
    try:
        yield
    finally:
        for number in handled:
            loop.remove_signal_handler(number)


def _numbers(names: Sequence[str]) -> list[int]:
    return [getattr(signal, name) for name in names if hasattr(signal, name)]


def _in_foreground() -> bool:
    """Whether a terminal has sent the signal to the child already: it sends to the whole foreground process group."""
    try:
        terminal = os.open(os.ctermid(), os.O_RDONLY | os.O_NOCTTY)
    except (OSError, AttributeError):
        return False
    try:
        return os.tcgetpgrp(terminal) == os.getpgrp()
    except OSError:
        return False
    finally:
        os.close(terminal)
