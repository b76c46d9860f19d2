from __future__ import annotations

import io
import operator
import signal
import sys

import pytest

from harness.cli import jobs
from harness.cli.jobs import in_processes, with_progress


@pytest.mark.parametrize("processes", [1, 2])
def test_results_in_order(processes):
    assert list(in_processes(operator.neg, [1, 2, 3], processes)) == [-1, -2, -3]
    assert list(in_processes(operator.neg, [], processes)) == []


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
