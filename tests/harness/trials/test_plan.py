from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from harness.errors import HarnessError
from harness.trials.plan import (
    Plan,
    PlannedModel,
    PlannedSuite,
    changed_suites,
    check_tasks,
    merged,
    planned_case,
    trials_of,
)
from tests.harness.trials.trial_runs import cases

MODELS = tuple(PlannedModel(name, "openai", name, "http://h/v1") for name in ("a", "b", "c"))


@pytest.fixture
def found(tmp_path):
    return cases(tmp_path)


def plan_of(found, **more):
    planned = tuple(planned_case(case, "digest") for case in found)
    return replace(Plan("1", (PlannedSuite("garden", "g", "00"),), planned, MODELS[:2], 2), **more)


def test_it_is_the_same_after_the_file(found):
    plan = plan_of(found)
    assert Plan.from_dict(json.loads(json.dumps(plan.to_dict()))) == plan
    assert "tea" in json.dumps(plan.to_dict())
    assert "When is tea? Which" not in json.dumps(plan.to_dict())


@pytest.mark.parametrize("data", [{}, [], 1, {"format": "trials", "version": 2}, {"format": "x", "version": 1}])
def test_what_is_no_plan(data):
    with pytest.raises((KeyError, TypeError, ValueError)):
        Plan.from_dict(data)


def test_models_take_turns_and_each_is_first(found):
    order = trials_of(plan_of(found, models=MODELS, repeats=3), found, Path("t"))
    assert len(order) == len({trial.path for trial in order}) == 18
    assert [trial.model for trial in order] == [*"abc", *"bca", *"bca", *"cab", *"cab", *"abc"]
    assert [trial.repeat for trial in order] == [1] * 6 + [2] * 6 + [3] * 6
    assert order[0].path == Path("t/a/tea.1.jsonl")
    assert order[0].workspace == Path("t/a/tea.1.workspace")


def test_more_is_added(found):
    old = plan_of(found[:1], models=MODELS[:2], repeats=3)
    new = plan_of(found, models=MODELS[1:], repeats=2)
    both = merged(old, new)
    assert ([model.name for model in both.models], both.repeats, len(both.cases)) == (["a", "b", "c"], 3, 2)


def test_a_suite_whose_checks_changed(found):
    old = plan_of(found)
    new = replace(old, suites=(PlannedSuite("garden", "g", "11"), PlannedSuite("new", "n", "22")))
    both = merged(old, new)
    assert [(suite.name, suite.sha256, suite.begun) for suite in both.suites] == [
        ("garden", "11", "00"), ("new", "22", None),
    ]  # fmt: skip
    assert changed_suites(both) == changed_suites(merged(both, new)) == ["g"]
    assert changed_suites(merged(both, replace(old, suites=(*old.suites, new.suites[1])))) == []


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (lambda plan, one: replace(plan, harness="2"), "begun with version 1 of this program, and this is 2"),
        (lambda plan, one: replace(plan, cases=plan.cases[1:]), 'trials of the case "When is tea?" of garden'),
        (lambda plan, one: _asks(plan, one, prompt="Else"), '"When is tea?" of garden `prompt` changed'),
        (lambda plan, one: _asks(plan, one, mode="FIX", params={"seed": 1}), "`mode`, `params` changed"),
        (lambda plan, one: _asks(plan, one, task="else"), 'was "tea", and is "else" now'),
        (
            lambda plan, one: replace(plan, models=(replace(MODELS[0], base_url="http://other/v1"),)),
            "a is openai/a at http://h/v1 there, and openai/a at http://other/v1 now",
        ),
        (
            lambda plan, one: replace(plan, models=(replace(MODELS[0], name="A!"),)),
            "A! would be kept where a is",
        ),
    ],
    ids=["version", "case gone", "prompt", "settings", "task", "server", "folder"],
)
def test_another_plan_is_refused(found, change, difference):
    old = plan_of(found)
    with pytest.raises(HarnessError) as caught:
        merged(old, change(old, found[0]))
    assert difference in str(caught.value)
    assert str(caught.value).endswith("take another --out, or --fresh to start over")


def _asks(plan, case, **more):
    return replace(plan, cases=(planned_case(replace(case, **more), "digest"), *plan.cases[1:]))


def test_two_cases_with_one_task(found):
    check_tasks(found)
    with pytest.raises(HarnessError, match='have the same task "Tea!": give each a `task` of its own'):
        check_tasks([*found, replace(found[1], task="Tea!")])
