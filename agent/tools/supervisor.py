"""Runs one command and ends every process it started, before it exits itself. A program of its own: it is run by path.

Arguments: the command. Standard input: a pipe from the harness; a byte or its end means stop now, so a harness that
was killed takes its tools with it. Exit status: the command's, 128 + n where signal n ended it.

On Linux it is a "child subreaper" (prctl(2)): processes that lost their parent, whatever session they moved to, become
its children, so `/proc` shows all descendants and "no child left" means none is left. Elsewhere it ends the command's
process group. What it cannot reach: processes of another user (sudo), and work given to a daemon (docker, at, cron).
"""

from __future__ import annotations

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Callable

PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36
LINGER = 0.5
"""Seconds that processes left behind by a finished command get to end by themselves (a `tee` that still writes)."""
TERM_GRACE = 0.3
"""Seconds between SIGTERM and SIGKILL."""
KILL_SECONDS = 5.0
"""Seconds after which processes that even SIGKILL does not end (stuck in the kernel, another user's) are given up."""
TICK = 0.005
IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)


def prctl(option: int, value: int) -> bool:
    """One Linux prctl call; False where the system has none."""
    if sys.platform != "linux":
        return False
    try:
        return bool(ctypes.CDLL(None).prctl(option, *map(ctypes.c_ulong, (value, 0, 0, 0))) == 0)
    except (OSError, AttributeError):
        return False


def descendants(root: int) -> list[int]:
    """All live processes below `root`, from `/proc` (proc_pid_stat(5)), zombies left out."""
    below: dict[int, list[int]] = {}
    zombies = set()
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                state, parent = file.read().rpartition(b")")[2].split()[:2]
        except (OSError, ValueError):
            continue
        below.setdefault(int(parent), []).append(int(name))
        if state in (b"Z", b"X"):
            zombies.add(int(name))
    found: list[int] = []
    todo = [root]
    while todo:
        children = below.get(todo.pop(), [])
        found += children
        todo += children
    return [pid for pid in found if pid not in zombies]


class Supervisor:
    """One command, started by `start`; `status` is None while it runs."""

    def __init__(self) -> None:
        self.subreaper = prctl(PR_SET_CHILD_SUBREAPER, 1)
        self.child = 0
        self.status: int | None = None
        for number in IGNORED:
            signal.signal(number, signal.SIG_IGN)
        self.wake, self._woken = os.pipe()
        os.set_blocking(self.wake, False)
        os.set_blocking(self._woken, False)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._woken, warn_on_full_buffer=False)

    def start(self, command: list[str]) -> None:
        self.child = os.fork()
        if self.child == 0:
            try:
                self._become(command)
            except BaseException as error:
                os.write(2, f"{command[0]}: {error}\n".encode(errors="replace"))
            os._exit(127)

    def _become(self, command: list[str]) -> None:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.setsid()
        for number in (*IGNORED, signal.SIGCHLD, signal.SIGPIPE, signal.SIGXFSZ):
            signal.signal(number, signal.SIG_DFL)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.execvp(command[0], command)

    def reap(self) -> bool:
        """Collect what has ended. True while the supervisor still has children."""
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return not self.subreaper and self._group_lives()
            if pid == 0:
                return True
            if pid == self.child:
                code = os.waitstatus_to_exitcode(status)
                self.status = code if code >= 0 else 128 - code

    def _group_lives(self) -> bool:
        try:
            os.killpg(self.child, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True

    def watch(self) -> bool:
        """Wait for the command, then a moment for what it left. True where it was told to stop."""
        while self.reap() and self.status is None:
            if 0 in select.select([0, self.wake], [], [])[0]:
                return True
            self._drain()
        end = time.monotonic() + LINGER
        while self.reap() and time.monotonic() < end:
            if select.select([0], [], [], TICK)[0]:
                return True
        return False

    def _drain(self) -> None:
        try:
            os.read(self.wake, 4096)
        except BlockingIOError:
            return

    def signal_all(self, *numbers: signal.Signals) -> int:
        """Send signals to every process below; how many there were."""
        if not self.subreaper:
            for number in numbers:
                self._send(os.killpg, self.child, number)
            return 1
        pids = descendants(os.getpid())
        for number in numbers:
            for pid in pids:
                self._send(os.kill, pid, number)
        return len(pids)

    @staticmethod
    def _send(kill: Callable[[int, int], None], target: int, number: signal.Signals) -> None:
        try:
            kill(target, number)
        except (ProcessLookupError, PermissionError):
            return

    def end(self) -> tuple[int, bool]:
        """End everything below: how many processes there were at first, and whether all are gone."""
        count = self.signal_all(signal.SIGTERM, signal.SIGCONT) if self.reap() else 0
        self._until_gone(TERM_GRACE, ())
        # Stopped first, so that processes that start new ones cannot outrun the killing.
        return count, self._until_gone(KILL_SECONDS, (signal.SIGSTOP, signal.SIGKILL))

    def _until_gone(self, seconds: float, numbers: tuple[signal.Signals, ...]) -> bool:
        end = time.monotonic() + seconds
        while self.reap():
            if time.monotonic() > end:
                return False
            if numbers:
                self.signal_all(*numbers)
            time.sleep(TICK)
        return True


def main(command: list[str]) -> int:
    supervisor = Supervisor()
    supervisor.start(command)
    stopped = supervisor.watch()
    count, gone = supervisor.end()
    if not gone:
        _say("some processes could not be ended")
    elif count and not stopped:
        _say(f"{count} background {'process' if count == 1 else 'processes'} ended with the command")
    return 255 if supervisor.status is None else supervisor.status


def _say(words: str) -> None:
    try:
        os.write(1, f"\n[{words}]\n".encode())
    except OSError:
        return


if __name__ == "__main__":
    os._exit(main(sys.argv[1:]))
