from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent.tools import supervisor

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")


def start(script, **more):
    return subprocess.Popen(
        [sys.executable, "-I", "-S", supervisor.__file__, "sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
        **more,
    )


def wait_for(path: Path) -> str:
    for _ in range(500):
        if path.exists() and path.read_text().endswith("\n"):
            return path.read_text()
        time.sleep(0.02)
    raise AssertionError(f"{path} did not appear")


@linux
def test_descendants_are_found_at_any_depth():
    with subprocess.Popen(["sh", "-c", "sh -c 'sleep 60; true' & sleep 60; true"], start_new_session=True) as process:
        try:
            for _ in range(500):
                if len(found := supervisor.descendants(process.pid)) == 3:
                    break
                time.sleep(0.02)
            assert len(found) == 3
            assert process.pid in supervisor.descendants(os.getpid())
            assert os.getpid() not in supervisor.descendants(os.getpid())
        finally:
            os.killpg(process.pid, signal.SIGKILL)


@pytest.mark.parametrize("how", ["a byte", "the end of input", "the harness is killed"])
def test_it_stops_when_told_and_when_the_harness_is_gone(tmp_path, alive, how):
    script = f"sleep 60 & echo $! $$ >{tmp_path}/new; mv {tmp_path}/new {tmp_path}/pids; wait"
    if how == "the harness is killed":
        program = (
            "import subprocess, sys, time\n"
            "p = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, start_new_session=True)\ntime.sleep(60)"
        )
        command = [sys.executable, "-c", program, sys.executable, "-I", "-S", supervisor.__file__, "sh", "-c", script]
        harness = subprocess.Popen(command)
        pids = [int(pid) for pid in wait_for(tmp_path / "pids").split()]
        harness.kill()
        harness.wait()
    else:
        process = start(script)
        pids = [int(pid) for pid in wait_for(tmp_path / "pids").split()]
        if how == "a byte":
            process.stdin.write(b"x")
            process.stdin.flush()
        else:
            process.stdin.close()
        assert process.wait(20) in (143, 255)
        process.stdout.close()
        process.stdin.close() if how == "a byte" else None
    for _ in range(500):
        if not any(alive(pid) for pid in pids):
            break
        time.sleep(0.02)
    assert not [pid for pid in pids if alive(pid)]


def test_what_still_writes_at_the_end_may_finish():
    with start("(sleep 0.1; echo late) & echo early") as process:
        assert process.stdout.read() == b"early\nlate\n"
        assert process.wait(20) == 0


def test_processes_left_behind_are_told():
    with start("sleep 60 & echo done") as process:
        assert process.stdout.read() == b"done\n\n[1 background process ended with the command]\n"
        assert process.wait(20) == 0


def test_without_a_subreaper_the_process_group_ends(tmp_path, alive):
    """As on macOS: what stays in the command's process group is ended."""
    program = "import runpy, sys; sys.platform = 'darwin'; runpy.run_path(sys.argv.pop(1), run_name='__main__')"
    script = f"sleep 60 & echo $! >{tmp_path}/pids; echo done"
    command = [sys.executable, "-c", program, supervisor.__file__, "sh", "-c", script]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes, start_new_session=True) as process:
        assert process.stdout.read().startswith(b"done\n")
        assert process.wait(20) == 0
    assert not alive(int((tmp_path / "pids").read_text()))


def test_prctl_is_no_error_where_the_system_has_none(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    assert supervisor.prctl(supervisor.PR_SET_CHILD_SUBREAPER, 1) is False
