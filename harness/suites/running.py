"""A run of suites: which case judges which recording, and what a filter leaves out."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import HarnessError, SuiteError
from harness.report.figures import listed
from harness.suites.case import Case, Suite
from harness.suites.judging import judge
from harness.suites.recordings import Recordings, is_pattern

if TYPE_CHECKING:
    from harness.costs.priced_by import PricedBy
    from harness.suites.results import CaseResult


@dataclass(slots=True, frozen=True)
class Job:
    """A recording that a case is to judge."""

    case: Case
    path: Path


@dataclass(slots=True)
class Plan:
    """`left_out`: what the filter did not choose. `unnamed`: recordings beside the suites that no case names."""

    jobs: list[Job]
    left_out: list[Job] = field(default_factory=list)
    unnamed: list[Path] = field(default_factory=list)


def plan_run(suites: Iterable[Suite], expression: str | None = None) -> Plan:
    """Every case with each of its recordings.

    `expression`: choose by a part of a suite's, case's, task's or recording's name, or by a pattern that is all of it.
    Raises `SuiteError` for a case that is chosen and has no recording, `HarnessError` where nothing is chosen.
    """
    recordings = Recordings()
    cases = [case for suite in suites for case in suite.cases]
    plan = Plan([])
    for case in cases:
        whole = is_chosen(case, expression)
        try:
            paths = recordings.of(case)
        except SuiteError:
            if whole:
                raise
            continue
        for path in paths:
            wanted = whole or matches(_inside(path, case.folder), expression or "")
            (plan.jobs if wanted else plan.left_out).append(Job(case, path))
    if not plan.jobs:
        raise HarnessError(f'no suite, case, task or recording fits "{expression}": {_some(cases)}')
    named = {os.path.abspath(job.path) for job in (*plan.jobs, *plan.left_out)}
    beside = dict.fromkeys(path for case in cases for path in recordings.inside(case.folder))
    plan.unnamed = [path for path in beside if os.path.abspath(path) not in named]
    return plan


def run_job(job: Job, price: PricedBy, costs: bool) -> CaseResult:
    """The verdicts of one job; for worker processes."""
    return judge(job.case, job.path, price=price, costs=costs)


def choose(suites: Iterable[Suite], expression: str | None = None) -> list[Case]:
    """The cases whose suite, task or own name fits. Raises `HarnessError` where none does."""
    cases = [case for suite in suites for case in suite.cases]
    chosen = [case for case in cases if is_chosen(case, expression)]
    if not chosen:
        raise HarnessError(f'no suite, case or task fits "{expression}": {_some(cases)}')
    return chosen


def is_chosen(case: Case, expression: str | None) -> bool:
    return expression is None or any(matches(name, expression) for name in (case.suite, case.name, case.task))


def matches(name: str, expression: str) -> bool:
    """Whether a filter chooses what has this name."""
    name, expression = name.casefold(), expression.casefold()
    return fnmatchcase(name, expression) if is_pattern(expression) else expression in name


def _inside(path: Path, folder: Path) -> str:
    """The name of a recording as a suite in `folder` writes it."""
    return (path.relative_to(folder) if path.is_relative_to(folder) else path).as_posix()


def _some(cases: Sequence[Case]) -> str:
    return f"there are {listed([case.name for case in cases])}"
