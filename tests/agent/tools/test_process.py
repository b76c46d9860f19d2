from __future__ import annotations

import asyncio
import os
import sys
import threading

import pytest

from agent.tools.process import MARK, run

pytestmark = pytest.mark.anyio


def start(root, *command, seconds=30.0, head=1000, tail=1000, environ=None):
    environ = {"PATH": os.environ["PATH"]} if environ is None else environ
    return run(command, cwd=str(root), environ=environ, seconds=seconds, head=head, tail=tail)


@pytest.mark.parametrize(
    ("script", "status", "output"),
    [
        ("echo out; echo err >&2", 0, b"out\nerr\n"),
        ("exit 7", 7, b""),
        ("kill -9 $$", 137, b""),
        ("kill -TERM $$", 143, b""),
        ("cat; echo end of input", 0, b"end of input\n"),
        ("kill -TERM $PPID; kill -INT $PPID; echo still watched", 0, b"still watched\n"),
    ],
)
async def test_status_and_output(root, script, status, output):
    outcome = await start(root, "sh", "-c", script)
    assert (outcome.status, outcome.output.data()) == (status, output)


async def test_a_command_that_does_not_exist(root):
    outcome = await start(root, "no-such-command-here")
    assert outcome.status == 127
    assert b"no-such-command-here" in outcome.output.data()


async def test_folder_and_environment(root):
    outcome = await start(root, "sh", "-c", "pwd; echo $A; env", environ={"PATH": os.environ["PATH"], "A": "é"})
    lines = outcome.output.data().decode().split("\n")
    assert lines[:2] == [str(root), "é"]
    assert any(line.startswith(f"{MARK}=") for line in lines)


async def test_a_command_line_that_is_too_long(root):
    with pytest.raises(OSError, match="too long"):
        await start(root, "sh", "-c", "x" * 10_000_000)


async def test_much_output_is_bounded(root):
    script = "import sys\nfor n in range(300): sys.stdout.write(f'{n:03}' + 'x' * 99_997)"
    outcome = await start(root, sys.executable, "-c", script)
    assert outcome.output.total == 30_000_000
    assert len(outcome.output.data()) == 2000
    assert outcome.output.data().startswith(b"000xxx")


async def test_the_event_loop_stays_live_and_no_thread_is_used(root):
    before = threading.active_count()
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            await asyncio.sleep(0.01)
            ticks += 1

    ticking = asyncio.create_task(tick())
    await start(root, "sleep", "0.3")
    ticking.cancel()
    assert ticks > 5
    assert threading.active_count() == before


async def test_many_at_once(root):
    outcomes = await asyncio.gather(*(start(root, "sh", "-c", f"echo {n}") for n in range(12)))
    assert [outcome.output.data() for outcome in outcomes] == [f"{n}\n".encode() for n in range(12)]


async def test_no_descriptor_is_left_open(root):
    await start(root, "true")
    before = len(os.listdir("/dev/fd"))
    await start(root, "true")
    await start(root, "sleep", "60", seconds=0.05)
    assert len(os.listdir("/dev/fd")) == before
