"""Commands beside a server: their status, their streams, and the signals that reach them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys

import pytest

from harness.errors import HarnessError
from harness.serving.child import Ended, run_child, until_stopped

pytestmark = pytest.mark.anyio

CATCHES = """
import signal, sys, time, pathlib
def caught(number, frame):
    pathlib.Path(sys.argv[1]).write_text(str(number))
    sys.exit(7)
for name in ("SIGINT", "SIGTERM", "SIGHUP"):
    signal.signal(getattr(signal, name), caught)
pathlib.Path(sys.argv[2]).touch()
time.sleep(60)
"""


def python(code, *args):
    return [sys.executable, "-c", code, *map(str, args)]


@pytest.mark.parametrize("status", [0, 3])
async def test_the_status_is_the_childs(status):
    ended = await run_child(
        python(f"import os, sys; sys.exit({status} if os.environ['ONE'] == '1' else 9)"), {"ONE": "1"}
    )
    assert ended == Ended(status, False)


async def test_a_child_that_a_signal_ended():
    ended = await run_child(python("import os; os.kill(os.getpid(), 9)"), {})
    assert ended == Ended(137, True)


async def test_a_command_that_does_not_exist():
    with pytest.raises(HarnessError, match="cannot run no-such-command: No such file"):
        await run_child(["no-such-command"], {"PATH": os.defpath})


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
async def test_signals_are_passed_on(tmp_path, name, monkeypatch):
    monkeypatch.setattr("harness.serving.child._in_foreground", lambda: False)
    running = asyncio.create_task(run_child(python(CATCHES, tmp_path / "caught", tmp_path / "ready"), {}))
    while not (tmp_path / "ready").exists():
        await asyncio.sleep(0.02)
    os.kill(os.getpid(), getattr(signal, name))
    assert await asyncio.wait_for(running, 10) == Ended(7, True)
    assert (tmp_path / "caught").read_text() == str(int(getattr(signal, name)))


async def test_a_terminal_sends_interrupts_by_itself(tmp_path, monkeypatch):
    monkeypatch.setattr("harness.serving.child._in_foreground", lambda: True)
    running = asyncio.create_task(run_child(python(CATCHES, tmp_path / "caught", tmp_path / "ready"), {}))
    while not (tmp_path / "ready").exists():
        await asyncio.sleep(0.02)
    os.kill(os.getpid(), signal.SIGINT)
    await asyncio.sleep(0.2)
    assert not (tmp_path / "caught").exists()
    os.kill(os.getpid(), signal.SIGTERM)
    assert (await asyncio.wait_for(running, 10)).status == 7


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM", "SIGHUP"])
async def test_a_server_waits_for_a_signal(name):
    before = signal.getsignal(getattr(signal, name))
    waiting = asyncio.create_task(until_stopped())
    await asyncio.sleep(0.05)
    assert not waiting.done()
    os.kill(os.getpid(), getattr(signal, name))
    await asyncio.wait_for(waiting, 10)
    assert signal.getsignal(getattr(signal, name)) == before
