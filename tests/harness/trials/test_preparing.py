from __future__ import annotations

import json

import pytest

from harness.errors import HarnessError
from harness.suites.loading import load_suite
from harness.trials.preparing import live_cases
from tests.harness.sessions import Turn, chat, record
from tests.harness.trials.trial_runs import SUITE, model, prepared, write_suite


@pytest.fixture
def suite(tmp_path):
    return load_suite(write_suite(tmp_path))


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "trials").mkdir()
    return tmp_path / "trials"


def finish(trial):
    trial.workspace.mkdir(parents=True, exist_ok=True)
    trial.path.unlink(missing_ok=True)
    record(trial.path, Turn([chat("Tea at four.")]))


def test_the_plan_is_written_first(suite, folder):
    found = prepared([suite], [model()], 2, folder)
    assert (len(found.trials), found.results, found.notes) == (4, {}, [])
    plan = json.loads((folder / "trials.json").read_bytes())
    assert [case["task"] for case in plan["cases"]] == ["tea", "seeds"]
    assert plan["models"][0]["name"] == "one"
    assert plan["suites"][0]["sha256"]


def test_whole_trials_are_kept_and_half_ones_put_aside(suite, folder):
    first, second, *_ = prepared([suite], [model()], 2, folder).trials
    finish(first)
    finish(second)
    lines = second.path.read_bytes().splitlines(keepends=True)
    second.path.write_bytes(b"".join(lines[:-1]) + lines[-1][:20])
    found = prepared([suite], [model()], 2, folder)
    assert [trial.path for trial in found.results] == [first.path]
    assert sorted(path.name for path in first.path.parent.iterdir()) == [
        "seeds.1.jsonl.set-aside-1", "tea.1.jsonl", "tea.1.workspace",
    ]  # fmt: skip


def test_a_model_without_a_recording_is_forgotten(suite, folder):
    prepared([suite], [model(name="typo")], 1, folder)
    found = prepared([suite], [model()], 1, folder)
    assert [model.name for model in found.plan.models] == ["one"]
    finish(found.trials[0])
    found = prepared([suite], [model(name="two")], 1, folder)
    assert [model.name for model in found.plan.models] == ["one", "two"]


def test_starting_over(suite, folder):
    finish(prepared([suite], [model()], 3, folder).trials[0])
    found = prepared([suite], [model("http://127.0.0.1:8")], 1, folder, fresh=True)
    assert (found.results, found.plan.repeats) == ({}, 1)


def test_the_workspace_may_not_hold_the_trials(suite, tmp_path):
    inside = tmp_path / "garden" / "trials"
    inside.mkdir()
    with pytest.raises(HarnessError, match=r'case\[0\].workspace \(case "When is tea\?"\): .* would see one another'):
        prepared([suite], [model()], 1, inside)


@pytest.mark.parametrize(
    ("second", "problem"),
    [
        (SUITE, 'two of the suites have the name "garden"'),
        (SUITE.replace('"garden"', '"other"', 1), 'have the same task "tea"'),
    ],
)
def test_suites_that_cannot_be_told_apart(tmp_path, suite, second, problem):
    other = load_suite(write_suite(tmp_path, second, "other"))
    with pytest.raises(HarnessError, match=problem):
        live_cases([suite, other])


def test_a_suite_without_prompts(tmp_path):
    with pytest.raises(HarnessError, match="no case has a `prompt`"):
        live_cases([load_suite(write_suite(tmp_path, SUITE.replace("prompt", "answer")))])
