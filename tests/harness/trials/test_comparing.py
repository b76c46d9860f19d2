from __future__ import annotations

import pytest

from harness.costs.priced_by import PricedBy
from harness.report.rendering import render
from harness.suites.loading import load_suite
from harness.trials.comparing import comparison, judged
from harness.trials.preparing import prepare
from tests.harness.sessions import Turn, chat, failure, record
from tests.harness.trials.trial_runs import contender, write_suite


@pytest.fixture
def prepared(tmp_path):
    (tmp_path / "trials").mkdir()
    models = [contender(name="one"), contender(name="two")]
    return prepare([load_suite(write_suite(tmp_path))], models, 3, tmp_path / "trials")


def finish(trial, reply):
    trial.workspace.mkdir(parents=True, exist_ok=True)
    record(trial.path, Turn([reply]), task=trial.case.task)


def found(prepared, model, task, repeat):
    return next(t for t in prepared.trials if (t.model, t.case.task, t.repeat) == (model, task, repeat))


def test_what_was_not_run_counts_and_keeps_its_place(tmp_path, prepared):
    finish(found(prepared, "one", "tea", 3), chat("tea is at four"))
    finish(found(prepared, "two", "tea", 1), chat("tea is at four"))
    tea, seeds = judged(prepared.plan, prepared.trials, PricedBy())
    assert (tea.task, tea.expected, seeds.expected) == ("tea", 3, 3)
    assert [[run.number for run in runs] for runs in tea.runs] == [[2], [0]]
    assert tea.comparisons == [[]]
    assert (tea.unread, seeds.unread) == ([[], []], [[], []])
    text = render(comparison(prepared.plan, tmp_path / "trials", [tea, seeds]), "text", "1")
    assert "1 of 6" in text
    assert "one: 2 runs of tea" in text
    assert "two: 3 runs of seeds" in text


def test_a_trial_that_ended_in_an_error_has_failed(prepared):
    finish(found(prepared, "one", "tea", 1), failure(400))
    tea, _ = judged(prepared.plan, prepared.trials, PricedBy())
    assert tea.runs[0][0].outcome.status == "fail"
    assert tea.runs[0][0].outcome.reason.startswith("no_error: ")


def test_a_recording_that_cannot_be_read_is_told(prepared):
    broken = found(prepared, "one", "tea", 1)
    finish(broken, chat("tea is at four"))
    broken.path.write_bytes(b"no recording\n")
    tea, _ = judged(prepared.plan, prepared.trials, PricedBy())
    assert len(tea.unread[0]) == 1
    assert tea.expected == 3
