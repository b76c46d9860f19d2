"""All runs of one task, read and compared."""

from __future__ import annotations

import pickle

import harness.diff.tasks
import harness.suites.judging
from harness.costs.priced_by import PricedBy
from harness.diff.tasks import Job, run_task
from harness.report.reading import read_facts
from harness.suites.loading import load_suite
from tests.harness.diff.runs import run, text, tool


def compared(*paths, **fields):
    result = run_task(Job("t", tuple(paths), **fields), PricedBy())
    return pickle.loads(pickle.dumps(result))


def test_runs_are_compared_with_that_of_the_same_number(tmp_path):
    a = tuple(run(tmp_path / f"a{n}.jsonl", [tool("read", path=f"{n}")], [text("end")]) for n in range(2))
    b = tuple(run(tmp_path / f"b{n}.jsonl", [tool("read", path=f"{n}")], [text("end")]) for n in range(3))
    result = compared(a, b, (), details=True)
    assert [len(runs) for runs in result.runs] == [2, 3, 0]
    assert result.expected == 3
    assert [[(one.number, one.same) for one in found] for found in result.comparisons] == [[(0, True), (1, True)], []]
    assert [change.status for change in result.comparisons[0][0].changes] == ["same"] * 4
    assert not compared(a, b).comparisons[0][0].changes


def test_a_recording_that_cannot_be_read_keeps_its_number(tmp_path):
    good = [run(tmp_path / f"{n}.jsonl", [text(f"end {n}")]) for n in range(2)]
    bad = tmp_path / "bad.jsonl"
    bad.touch()
    result = compared((good[0], good[1]), (bad, good[1]))
    assert [len(unread) for unread in result.unread] == [0, 1]
    assert [(found.number, found.same) for found in result.comparisons[0]] == [(1, True)]
    assert result.expected == 2


def test_what_a_suite_judges_is_read_once(tmp_path, monkeypatch):
    path = run(tmp_path / "a.jsonl", [text("the end")], task="t")
    suite = tmp_path / "s.suite.toml"
    suite.write_text('[[case]]\ntask = "t"\n[[case.check]]\ntype = "text"\ncontains = "end"\n')
    read = []
    monkeypatch.setattr(harness.diff.tasks, "read_facts", lambda path: read.append(path) or read_facts(path))
    monkeypatch.setattr(harness.suites.judging, "read_facts", read.append)
    (found,) = compared((path,), cases=load_suite(suite).cases).runs[0]
    assert (read, found.outcome.status) == ([path], "pass")


def test_settings_and_volatile(tmp_path):
    one = run(tmp_path / "a.jsonl", [text("end")])
    other = run(tmp_path / "b.jsonl", [text("end")], model="n")
    (found,) = compared((one,), (other,), volatile=True).comparisons[0]
    assert [difference.path for difference in found.settings] == ["model"]
    assert "header.id" in [difference.path for difference in found.volatile]
