from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import anyio
import pytest

from agent.events import ToolCall
from agent.tools import Toolbox
from agent.tools.tool import OUTPUT_CHARACTERS

pytestmark = [pytest.mark.anyio, pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")]


@pytest.mark.parametrize(
    ("command", "ok", "output"),
    [
        ("echo hi", True, "hi\n[exit code 0]"),
        ("printf hi", True, "hi\n[exit code 0]"),
        ("echo a; echo b >&2; exit 3", False, "a\nb\n[exit code 3]"),
        ("true", True, "[exit code 0]"),
        ("read x; echo \"[$x]\"", True, "[]\n[exit code 0]"),
        ("printf 'caf\\351'", True, "caf\ufffd\n[exit code 0]"),
        ("(exec 3>/dev/tty) 2>/dev/null || echo no terminal", True, "no terminal\n[exit code 0]"),
        ("kill -9 $$", False, "[exit code 137]"),
    ],
)  # fmt: skip
async def test_commands(run, command, ok, output):
    result = await run("shell", command=command)
    assert (result.ok, result.output) == (ok, output)


async def test_it_runs_in_the_workspace_root(root, run):
    assert (await run("shell", command="pwd; echo $PWD")).output == f"{root}\n{root}\n[exit code 0]"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"command": "a\0b"}, "argument 'command' holds a NUL byte"),
        ({"command": ""}, "argument 'command' is empty"),
        ({"command": "true", "timeout": 0}, "argument 'timeout' must be at least 0.1 and at most 600"),
        ({"command": "true", "timeout": "1"}, "argument 'timeout' must be a number, not a string"),
        ({"command": "true", "cwd": "/"}, "unknown argument 'cwd'"),
    ],
)
async def test_refusals(run, arguments, words):
    result = await run("shell", **arguments)
    assert not result.ok
    assert words in result.output


async def test_secrets_do_not_reach_the_child(root):
    environ = {"PATH": os.environ["PATH"], "OPENAI_API_KEY": "sk-1", "PGPASSWORD": "pw", "PLAIN": "seen"}
    result = await Toolbox(root, "BUILD", environ=environ).execute(ToolCall("c", "shell", {"command": "env"}))
    assert "PLAIN=seen" in result.output
    assert "sk-1" not in result.output
    assert "pw" not in result.output.replace("pwd", "")


async def test_long_output_keeps_its_beginning_and_end(run):
    output = (await run("shell", command="echo first; yes 0123456789 | head -c 50000000; echo; echo last")).output
    assert len(output) <= OUTPUT_CHARACTERS
    assert output.startswith("first\n0123456789\n")
    assert "bytes left out ...]" in output
    assert output.endswith("last\n[exit code 0]")


TREES = {
    "children": "sleep 60 & echo $! >>pids; sleep 60 & echo $! >>pids",
    "nohup": "nohup sleep 60 >/dev/null 2>&1 & echo $! >>pids",
    "setsid": "setsid sh -c 'echo $$ >>pids; exec sleep 60' >/dev/null 2>&1 &",
    "orphan": "(setsid sh -c 'echo $$ >>pids; sleep 60 & echo $! >>pids; exec sleep 60' >/dev/null 2>&1 &)",
    "no environment": "(env -i setsid /bin/sh -c 'echo $$ >>pids; exec /bin/sleep 60' >/dev/null 2>&1 &)",
    "deaf": "(trap '' TERM HUP INT; setsid sh -c 'echo $$ >>pids; while :; do sleep 1; done' &)",
    "stopped": "sleep 60 & echo $! >>pids; kill -STOP $!",
    "respawning": "(setsid sh -c 'echo $$ >>pids; while :; do sleep 9 & echo $! >>pids; sleep 0.01; done' &)",
}
READY = "while [ ! -s pids ]; do sleep 0.01; done; sleep 0.05; "


def pids_of(root):
    return [int(line) for line in (root / "pids").read_text().split()]


@pytest.mark.parametrize("tree", TREES)
@pytest.mark.parametrize("ending", ["time-out", "cancellation", "normal end", "exit on signal"])
async def test_no_process_is_left(root, run, alive, tree, ending):
    rest = {"normal end": "echo done", "exit on signal": "kill -9 $$"}.get(ending, "touch ready; sleep 60")
    seconds = 1.5 if ending == "time-out" else 60
    task = asyncio.create_task(run("shell", command=f"{TREES[tree]}\n{READY}{rest}", timeout=seconds))
    if ending == "cancellation":
        while not (root / "ready").exists():
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    else:
        result = await task
        words = {"time-out": "[timed out after 1.5 seconds", "normal end": "[exit code 0]", "exit on signal": "137]"}
        assert words[ending] in result.output
    assert pids_of(root)
    assert not [pid for pid in pids_of(root) if alive(pid)]


async def test_no_process_is_left_when_the_command_kills_its_supervisor(root, run, alive):
    result = await run("shell", command=f"{TREES['orphan']}\n{READY} kill -9 $PPID; sleep 60")
    assert not result.ok
    assert not [pid for pid in pids_of(root) if alive(pid)]


async def test_cancelling_again_and_again_changes_nothing(root, run, alive):
    task = asyncio.create_task(run("shell", command=f"{TREES['deaf']}\n{READY} touch ready; sleep 60"))
    while not (root / "ready").exists():
        await asyncio.sleep(0.02)
    for _ in range(20):
        task.cancel()
        await asyncio.sleep(0.005)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not [pid for pid in pids_of(root) if alive(pid)]


async def test_an_anyio_cancel_scope_leaves_no_process(root, run, alive):
    with anyio.move_on_after(0.3) as scope:
        await run("shell", command=f"{TREES['deaf']}\n{READY}sleep 60")
    assert scope.cancelled_caught
    assert not [pid for pid in pids_of(root) if alive(pid)]


@pytest.mark.parametrize("delay", [0, 0.005, 0.01, 0.02, 0.04])
async def test_cancelling_at_any_time_after_the_start(root, run, alive, delay):
    task = asyncio.create_task(run("shell", command="echo $$ >>pids; exec sleep 60"))
    await asyncio.sleep(delay)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    time.sleep(0.02)
    assert not [pid for pid in (pids_of(root) if (root / "pids").exists() else []) if alive(pid)]


def test_ctrl_c_at_the_event_loop_leaves_no_process(root, alive):
    """`asyncio.run` turns SIGINT into cancellation of the main task."""
    program = (
        "import asyncio, sys\nfrom agent.events import ToolCall\nfrom agent.tools import Toolbox\n"
        "box = Toolbox(sys.argv[1], 'BUILD')\n"
        "call = ToolCall('c', 'shell', {'command': 'setsid sleep 60 & echo $! >pids; touch ready; sleep 60'})\n"
        "asyncio.run(box.execute(call))"
    )
    repository = Path(__file__).resolve().parents[3]
    process = subprocess.Popen([sys.executable, "-c", program, str(root)], cwd=repository, stderr=subprocess.DEVNULL)
    while not (root / "ready").exists():
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert process.wait(20) != 0
    assert not [pid for pid in pids_of(root) if alive(pid)]
