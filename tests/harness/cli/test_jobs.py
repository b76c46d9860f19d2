from __future__ import annotations

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
