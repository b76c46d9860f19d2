from __future__ import annotations

import gc
import io
import operator
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from harness.cli import jobs
from harness.cli.jobs import in_processes, with_progress
from harness.errors import HarnessError


@pytest.mark.parametrize("processes", [1, 2])
def test_results_in_order(processes):
    assert list(in_processes(operator.neg, [1, 2, 3], processes)) == [-1, -2, -3]
    assert list(in_processes(operator.neg, [], processes)) == []


@pytest.mark.parametrize("stop", [False, True])
def test_garbage_is_looked_for_afterwards_as_before(stop):
    found = in_processes(lambda item: (gc.isenabled(), gc.get_freeze_count() > 0), [1, 2], 1, hold=True)
    assert next(found) == (False, True)
    found.close() if stop else list(found)
    assert (gc.isenabled(), gc.get_freeze_count()) == (True, 0)


def _noted(path: str) -> None:
    Path(path).touch()
    time.sleep(0.01)


def _killed(item: int) -> int:
    if item == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def test_a_worker_that_is_killed_is_one_line():
    with pytest.raises(HarnessError, match="a worker process is gone: killed, or out of memory; try again with fewer"):
        list(in_processes(_killed, [1, 2, 3, 4], 2))


class Unpicklable:
    def __init__(self, *_: object) -> None:
        self.held = lambda: None


class Unreadable:
    """It can be sent, and not be read."""

    def __reduce__(self):
        return int, ("no number",)


class NeedsTwo(Exception):
    """An exception whose arguments are not those that it takes: pickle sends it, and cannot make it again."""

    def __init__(self, one: str, two: str) -> None:
        super().__init__(one)


class HoldsCode(Exception):
    def __init__(self, *words: str) -> None:
        super().__init__(words[0])
        self.held = lambda: None


def _fails(make: type[Exception]) -> None:
    raise make("one", "two")


def _made(make: type) -> object:
    return make()


MOVING = "this cannot be handed to another process"
"""How the line begins that says so."""


@pytest.mark.parametrize(
    ("work", "item", "said"),
    [
        (operator.neg, Unpicklable(), MOVING),
        (Unpicklable().held, 1, MOVING),
        (operator.neg, Unreadable(), MOVING),
        (_made, Unpicklable, MOVING),
        (_made, Unreadable, MOVING),
        (_fails, NeedsTwo, "a worker process failed: NeedsTwo: one"),
        (_fails, HoldsCode, "a worker process failed: HoldsCode: one"),
        (sys.exit, 3, "a worker process failed: SystemExit: 3"),
        (_fails, HarnessError, r"\('one', 'two'\)"),
    ],
    ids=["item", "work", "read item", "result", "read result", "read exception", "exception", "exit", "error of ours"],
)
@pytest.mark.parametrize("count", [2, 300])
def test_what_cannot_be_handed_over_is_one_line(work, item, said, count):
    with pytest.raises(HarnessError, match=said) as raised:
        list(in_processes(work, [item] * count, 2))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("stop", ["closed", "interrupted"])
def test_whoever_has_seen_enough_does_not_wait_for_the_rest(tmp_path, stop):
    items = [str(tmp_path / str(index)) for index in range(640)]
    results = in_processes(_noted, items, 2)
    next(results)
    if stop == "closed":
        results.close()
    else:
        with pytest.raises(KeyboardInterrupt):
            results.throw(KeyboardInterrupt)
    assert len([*tmp_path.iterdir()]) < 320
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_pool_that_ends_is_not_interrupted():
    with jobs._interrupts_ignored():
        signal.raise_signal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_bar_once_a_second_has_gone_by(monkeypatch):
    moments = iter([0.0, 0.5, 1.5, 2.0])
    monkeypatch.setattr(jobs.time, "monotonic", lambda: next(moments, 9.0))
    monkeypatch.setattr(sys, "stderr", Terminal())
    results = with_progress(iter("abc"), 3, "working")
    assert next(results) == "a"
    assert sys.stderr.getvalue() == ""
    assert [*results] == ["b", "c"]
    assert "working" in sys.stderr.getvalue()


def test_no_bar_elsewhere(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert [*with_progress(iter("abc"), 3, "working")] == ["a", "b", "c"]
    assert sys.stderr.getvalue() == ""


def test_an_interrupt_is_held_and_a_second_one_is_not():
    before = signal.getsignal(signal.SIGINT)
    with jobs._interrupts_held() as check:
        check()
        signal.raise_signal(signal.SIGINT)
        for stop in (check, lambda: signal.raise_signal(signal.SIGINT)):
            with pytest.raises(KeyboardInterrupt):
                stop()
    assert signal.getsignal(signal.SIGINT) is before


def test_a_process_with_threads_is_not_forked():
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert jobs._start_method() == "spawn"
    finally:
        done.set()
        thread.join()
