from __future__ import annotations

import pytest

from harness.costs.priced_by import PricedBy
from harness.report.rendering import render
from harness.suites.loading import load_suite
from harness.trials.comparing import comparison, judged
from harness.trials.folder import result_of
from tests.harness.sessions import Turn, chat, failure, record
from tests.harness.trials.trial_runs import SUITE, model, write_suite
from tests.harness.trials.trial_runs import prepared as prepare

STRICT = """
[[case.check]]
type = "budget"
output_tokens = 100
"""
"""A check, of the last case, that cannot be computed where a call tells no tokens."""


def results(prepared):
    found = {trial: result_of(trial) for trial in prepared.trials}
    return {trial: facts for trial, facts in found.items() if facts is not None}


def judge(prepared):
    return [*judged(prepared.plan, prepared.trials, results(prepared), PricedBy())]


@pytest.fixture
def prepared(tmp_path):
    (tmp_path / "trials").mkdir()
    models = [model(name="one"), model(name="two")]
    suite = write_suite(tmp_path, SUITE + STRICT)
    return prepare([load_suite(suite)], models, 3, tmp_path / "trials")


def finish(trial, reply):
    trial.workspace.mkdir(parents=True, exist_ok=True)
    record(trial.path, Turn([reply]), task=trial.case.task)


def found(prepared, model, task, repeat):
    return next(t for t in prepared.trials if (t.model, t.case.task, t.repeat) == (model, task, repeat))


def test_what_was_not_run_counts_and_keeps_its_place(tmp_path, prepared):
    finish(found(prepared, "one", "tea", 3), chat("tea is at four"))
    finish(found(prepared, "two", "tea", 1), chat("tea is at four"))
    tea, seeds = judge(prepared)
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
    tea, _ = judge(prepared)
    assert tea.runs[0][0].outcome.status == "fail"
    assert tea.runs[0][0].outcome.reason.startswith("no_error: ")


def test_a_recording_that_cannot_be_read_is_told(prepared):
    broken = found(prepared, "one", "tea", 1)
    finish(broken, chat("tea is at four"))
    read = results(prepared)[broken]
    broken.path.write_bytes(b"no recording\n")
    tea, _ = judged(prepared.plan, prepared.trials, {broken: read}, PricedBy())
    assert len(tea.unread[0]) == 1
    assert tea.expected == 3
    assert tea.not_run == [{1, 2}, {0, 1, 2}]


def test_half_a_recording_is_no_run(prepared):
    """Such as a full disk leaves."""
    half = found(prepared, "one", "tea", 1)
    finish(half, chat("tea is at four"))
    half.path.write_bytes(b"".join(half.path.read_bytes().splitlines(keepends=True)[:-1]))
    tea, _ = judge(prepared)
    assert (tea.runs, tea.unread, tea.not_run) == ([[], []], [[], []], [{0, 1, 2}, {0, 1, 2}])


def test_an_error_is_a_failure_also_where_that_leaves_a_check_without_an_answer(prepared):
    cut = found(prepared, "two", "seeds", 2)
    finish(cut, chat("tomatoes", finish=None))
    (_, before), facts = judge(prepared), results(prepared)[cut]
    assert before.runs[1][0].outcome.status == "error"
    facts.status = "error"
    _, seeds = judged(prepared.plan, prepared.trials, {cut: facts}, PricedBy())
    assert seeds.runs[1][0].outcome.status == "fail"
    assert seeds.runs[1][0].outcome.reason.startswith("no_error: truncated_stream: ")


def test_what_was_never_run_proves_no_difference(tmp_path, prepared):
    """It counts as not passed, but no model is better because the other was not asked."""
    for repeat in (1, 2, 3):
        finish(found(prepared, "one", "tea", repeat), chat("tea is at four"))
        finish(found(prepared, "one", "seeds", repeat), chat("tomatoes"))
    text = render(comparison(prepared.plan, tmp_path / "trials", judge(prepared)), "text", "1")
    assert "6 of 6" in text
    assert "0 of 6" in text
    assert "success: no difference shown (won 0, lost 0, 0 alike of 0 tasks, 2 unknown, p 1)" in text
    assert "2 tasks, 3 runs expected of each" in text
