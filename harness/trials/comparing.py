"""The trials judged, and the models compared over them: `harness diff` of the models' folders, by the plan."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from harness.diff.success import Outcome
from harness.diff.summary import summarize
from harness.diff.task_data import Compared
from harness.diff.task_report import tasks_report
from harness.diff.tasks import Job, TaskResult, run_task
from harness.trials.outcome import TrialError, as_trial, error_of

if TYPE_CHECKING:
    from harness.costs.priced_by import PricedBy
    from harness.diff.tasks import Run
    from harness.report.facts import RecordingFacts
    from harness.report.report import Report
    from harness.trials.plan import Plan, Trial


@dataclass(slots=True)
class PlannedTask(TaskResult):
    """`planned`: the repeats of each model that should be there, be any of them there or not. `not_run`: the numbers
    of those that are not, by model."""

    planned: int
    not_run: list[set[int]]

    @property
    def expected(self) -> int:
        return self.planned

    def unknown(self, contender: int) -> set[int]:
        return self.not_run[contender]


def judged(
    plan: Plan, trials: Sequence[Trial], results: Mapping[Trial, RecordingFacts], price: PricedBy
) -> Iterator[TaskResult]:
    """A result a case: its trials of each model in the order of the plan. Those without one of `results` were not run,
    be there half a recording or none."""
    for task in dict.fromkeys(trial.case.task for trial in trials):
        of_task = [trial for trial in trials if trial.case.task == task]
        by_model = [[trial for trial in of_task if trial.model == model.name] for model in plan.models]
        paths = tuple(tuple(trial.path for trial in sorted(some, key=_repeat)) for some in by_model)
        absent = {trial.path for trial in of_task if trial not in results}
        found = run_task(Job(task, paths, (as_trial(of_task[0].case),), absent=frozenset(absent)), price)
        failed = {trial.path: error for trial, facts in results.items() if (error := error_of(facts))}
        runs = [[_as_ended(run, failed.get(run.path)) for run in some] for some in found.runs]
        not_run = [{at for at, path in enumerate(some) if path in absent} for some in paths]
        yield PlannedTask(found.task, runs, found.comparisons, found.unread, plan.repeats, not_run)


def comparison(plan: Plan, folder: Path, tasks: Sequence[TaskResult], *, seed: int = 0) -> Report:
    """What `harness diff` says of the models' folders. `tasks`: at least one."""
    files = ", ".join(suite.file for suite in plan.suites)
    return tasks_report(
        Compared(
            names=[model.name for model in plan.models],
            paths=[(folder / model.folder).as_posix() for model in plan.models],
            results=tasks,
            summary=summarize(sorted(tasks, key=lambda one: one.task), len(plan.models), seed=seed),
            seed=seed,
            success=f"success by {files}, and no trial may end in an error",
            suite=files,
        )
    )


def _repeat(trial: Trial) -> int:
    return trial.repeat


def _as_ended(run: Run, error: TrialError | None) -> Run:
    """One that ended in an error has failed, also where its checks cannot be computed for just that."""
    if error is None or run.outcome.status != "error":
        return run
    return replace(run, outcome=Outcome("fail", f"no_error: {error}"))
