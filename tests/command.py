"""Runs the `harness` command as a user does: another process, in a folder of its own, with a minimal environment."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_SCRIPT = Path(sys.executable).with_name("harness")
_COMMAND = [str(_SCRIPT)] if _SCRIPT.exists() else [sys.executable, "-c", "from harness.cli import main; main()"]


def environment(home: Path, **more: str) -> dict[str, str]:
    """A minimal environment: nothing of this machine but where programs are."""
    found = {"PATH": os.defpath, "HOME": str(home), **more}
    return found if _SCRIPT.exists() else {**found, "PYTHONPATH": str(ROOT)}


def harness(
    *args: str | Path,
    cwd: Path,
    stdin: str | bytes = b"",
    environ: Mapping[str, str] | None = None,
    timeout: float = 60,
) -> subprocess.CompletedProcess[str]:
    """Run it to its end."""
    done = subprocess.run(
        [*_COMMAND, *map(str, args)],
        cwd=cwd,
        env=environment(cwd, **(environ or {})),
        input=stdin.encode() if isinstance(stdin, str) else stdin,
        capture_output=True,
        timeout=timeout,
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode("utf-8", "replace")
    )


@contextmanager
def started(*args: str | Path, cwd: Path, redirect: str = "", **more: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start it, with pipes for all three streams; `more` goes to `Popen`. It has ended when this returns.

    `redirect` is what a shell is given behind the command, such as `2>&-`.
    """
    by_shell = ["/bin/sh", "-c", f'exec "$@" {redirect}', "sh"] if redirect else []
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen(
        [*by_shell, *_COMMAND, *map(str, args)], cwd=cwd, env=environment(cwd), start_new_session=True, **pipes | more
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(found: Callable[[], bool], what: str, seconds: float = 20) -> None:
    """Wait until `found()` holds."""
    end = time.monotonic() + seconds
    while not found():
        assert time.monotonic() < end, f"waited {seconds:g} s for {what}"
        time.sleep(0.02)


def is_running(pid: int) -> bool:
    """Whether a process lives (one that has ended and waits to be collected does not)."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return not Path("/proc/self").exists()
