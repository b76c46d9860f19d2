"""A run of suites: which case judges which recording, what a filter leaves out, and what the run did not exercise."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from harness.errors import HarnessError, SuiteError
from harness.report.figures import plural
from harness.suites.case import Case, Suite
from harness.suites.judging import CaseResult, judge
from harness.suites.recordings import Recordings, is_pattern

if TYPE_CHECKING:
    from harness.costs.priced_by import PricedBy


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


@dataclass(slots=True, frozen=True)
class Unexercised:
    """What a run did not show anything of.

    `filtered`, `skipped`: checks that the filter left out, and that `--fail-fast` did not come to. `tools`: those that
    recorded turns offered and no judged recording called, by suite. `unnamed`: see `Plan`.
    """

    unnamed: tuple[Path, ...] = ()
    tools: tuple[tuple[str, tuple[str, ...]], ...] = ()
    filtered: int = 0
    skipped: int = 0

    def lines(self) -> list[str]:
        """One line each; none where all was exercised."""
        found = []
        if self.unnamed:
            names = ", ".join(path.as_posix() for path in self.unnamed[:_SHOWN])
            more = f" and {len(self.unnamed) - _SHOWN:,} more" if len(self.unnamed) > _SHOWN else ""
            found.append(f"{plural(len(self.unnamed), 'recording')} that no case names: {names}{more}")
        found += [f"{suite}: tools offered but never called: {', '.join(names)}" for suite, names in self.tools]
        for number, why in ((self.filtered, "left out by the filter"), (self.skipped, "not run after the failure")):
            if number:
                found.append(f"{plural(number, 'check')} {why}")
        return found


_SHOWN = 10


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


def unexercised(plan: Plan, results: Sequence[CaseResult]) -> Unexercised:
    """`results`: those of the first jobs of the plan, in order."""
    names: dict[Path, str] = {}
    offered: dict[Path, dict[str, None]] = {}
    called: dict[Path, set[str]] = {}
    for result in results:
        names[result.file] = result.suite
        offered.setdefault(result.file, {}).update(dict.fromkeys(result.run.offered))
        called.setdefault(result.file, set()).update(result.run.called)
    idle = {file: tuple(tool for tool in tools if tool not in called[file]) for file, tools in offered.items()}
    return Unexercised(
        tuple(plan.unnamed),
        tuple((names[file], tools) for file, tools in idle.items() if tools),
        sum(len(job.case.checks) for job in plan.left_out),
        sum(len(job.case.checks) for job in plan.jobs[len(results) :]),
    )


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
    names = ", ".join(case.name for case in cases[:5])
    return f"there are {names}{f' and {len(cases) - 5} more cases' if len(cases) > 5 else ''}"
