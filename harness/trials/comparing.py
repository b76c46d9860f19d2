"""The trials judged, and the models compared over them: `harness diff` of the models' folders, by the plan."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.diff.summary import summarize
from harness.diff.task_report import Compared, tasks_report
from harness.diff.tasks import Job, TaskResult, run_task
from harness.trials.outcome import as_trial

if TYPE_CHECKING:
    from harness.costs.priced_by import PricedBy
    from harness.report.report import Report
    from harness.trials.plan import Plan, Trial


@dataclass(slots=True)
class PlannedTask(TaskResult):
    """`planned`: the repeats of each model that should be there, be any of them there or not."""

    planned: int

    @property
    def expected(self) -> int:
        return self.planned


def judged(plan: Plan, trials: Sequence[Trial], price: PricedBy) -> Iterator[TaskResult]:
    """A result a case: its trials of each model in the order of the plan, the missing ones counted."""
    for case in dict.fromkeys(trial.case.task for trial in trials):
        of_case = [trial for trial in trials if trial.case.task == case]
        paths = tuple(_paths(of_case, model.name) for model in plan.models)
        found = run_task(Job(case, paths, (as_trial(of_case[0].case),)), price)
        unread = [
            [line for line in lines if not _is_missing(line, of_model)]
            for lines, of_model in zip(found.unread, paths, strict=True)
        ]
        yield PlannedTask(found.task, found.runs, found.comparisons, unread, plan.repeats)


def comparison(plan: Plan, folder: Path, tasks: Sequence[TaskResult], *, seed: int = 0) -> Report:
    """What `harness diff` says of the models' folders. `tasks`: at least one."""
    files = ", ".join(suite.file for suite in plan.suites)
    return tasks_report(
        Compared(
            names=[model.name for model in plan.models],
            paths=[(folder / model.folder).as_posix() for model in plan.models],
            results=tasks,
            summary=summarize(tasks, len(plan.models), seed=seed),
            seed=seed,
            success=f"success by {files}, and no trial may end in an error",
            suite=files,
        )
    )


def _paths(trials: Sequence[Trial], model: str) -> tuple[Path, ...]:
    """Of all repeats of a model, in order, be there a recording or not."""
    of_model = sorted((trial for trial in trials if trial.model == model), key=lambda trial: trial.repeat)
    return tuple(trial.path for trial in of_model)


def _is_missing(line: str, paths: Sequence[Path]) -> bool:
    """Whether it says no more than that there is no such recording."""
    return any(line.startswith(f"{path}: ") for path in paths if not path.exists())
