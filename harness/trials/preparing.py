"""Before the first call is paid for: what is to be run, whether it can be, and what of it is there already."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path

from harness.errors import HarnessError, SuiteError
from harness.report.facts import RecordingFacts
from harness.report.rendering import NAME
from harness.suites.case import Case, Suite
from harness.suites.workspaces import workspace_digest
from harness.trials.folder import read_plan, result_of, set_aside, start_over, write_plan
from harness.trials.live_models import LiveModel
from harness.trials.plan import (
    Plan,
    PlannedModel,
    PlannedSuite,
    Trial,
    changed_suites,
    check_tasks,
    merged,
    planned_case,
    trials_of,
)


@dataclass(slots=True)
class Prepared:
    """`trials`: all of the plan, in their order. `results`: of those that came to their end. `notes`: for people."""

    plan: Plan
    trials: list[Trial]
    results: dict[Trial, RecordingFacts]
    notes: list[str]


def live_cases(suites: Sequence[Suite]) -> list[Case]:
    """The cases that can be run. Raises `HarnessError` where there is none, or two could not be told apart."""
    cases = [case for suite in suites for case in suite.cases if case.prompt is not None]
    if not cases:
        files = ", ".join(str(suite.path) for suite in suites)
        raise HarnessError(f"{files}: no case has a `prompt`, so there is nothing to run")
    named = [suite.name for suite in suites]
    twice = next((name for name in named if named.count(name) > 1), None)
    if twice is not None:
        raise HarnessError(f'two of the suites have the name "{twice}": give each a `name` of its own')
    check_tasks(cases)
    return cases


def plan_of(suites: Sequence[Suite], models: Sequence[LiveModel], repeats: int, folder: Path) -> Plan:
    """What is asked for now. `folder`: where the trials are to go; it is not touched.

    Raises `HarnessError` for what cannot be run as it is asked for.
    """
    cases = live_cases(suites)
    digests = {case.workspace: _digest(case, folder) for case in cases}
    return Plan(
        version(NAME),
        tuple(PlannedSuite(suite.name, suite.path.as_posix(), _sha256(suite.path)) for suite in suites),
        tuple(planned_case(case, digests[case.workspace]) for case in cases),
        tuple(PlannedModel(**model.to_dict()) for model in models),
        repeats,
    )


def prepare(plan: Plan, cases: Sequence[Case], folder: Path, *, fresh: bool = False) -> Prepared:
    """`plan` together with that of `folder`, which is made to hold it. Half trials are put aside.

    `cases`: those of the plan. `fresh`: the trials that are in `folder` go. Raises `HarnessError` for what does not go
    with what is there.
    """
    old = read_plan(folder)
    if old is not None:
        old = _without_unused(old, {model.name for model in plan.models}, folder)
    notes = []
    if old is not None and fresh:
        start_over(folder, old)
    elif old is not None:
        try:
            plan = merged(old, plan)
        except HarnessError as error:
            raise HarnessError(f"{folder}: {error}") from None
        notes = [
            f"{file} has changed since the first trials, but not what it asks: all are judged by it as it is now."
            for file in changed_suites(plan)
        ]
    write_plan(folder, plan)
    trials = trials_of(plan, cases, folder)
    results = {}
    for trial in trials:
        facts = result_of(trial)
        if facts is None:
            set_aside(trial)
        else:
            results[trial] = facts
    return Prepared(plan, trials, results, notes)


def _without_unused(plan: Plan, named: set[str], folder: Path) -> Plan:
    """Without the models that are not named now and have no recording, such as a misspelt one."""
    used = [model for model in plan.models if model.name in named or any((folder / model.folder).glob("*.jsonl*"))]
    return replace(plan, models=tuple(used))


def _digest(case: Case, folder: Path) -> str | None:
    """Of the workspace of a case. Raises `SuiteError` for one of which no copy can be made for each trial alone."""
    if case.workspace is None:
        return None
    key = f"case[{case.number}].workspace"
    if folder.resolve().is_relative_to(case.workspace.resolve()):
        problem = f"{folder}, where the trials go, lies in it: the trials would see one another"
        raise SuiteError(case.file, key, problem, case.name)
    try:
        return workspace_digest(case.workspace)
    except HarnessError as error:
        raise SuiteError(case.file, key, str(error), case.name) from None


def _sha256(path: Path) -> str:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise SuiteError(path, None, f"cannot read it: {error.strerror or error}") from None
