"""All runs of one task: read, judged, and those of each contender held against those of the first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from harness.diff.compare import Change, Status, compare_steps, counted, first_divergence
from harness.diff.figures import Figures, figures_of
from harness.diff.settings import setting_differences, settings_of
from harness.diff.steps import Step, steps_of
from harness.diff.success import Outcome, by_cases, by_ending
from harness.differences import Difference
from harness.errors import RecordingError
from harness.report.call_facts import models_of
from harness.report.reading import read_facts

if TYPE_CHECKING:
    from harness.costs.priced_by import PricedBy
    from harness.suites.case import Case


@dataclass(slots=True, frozen=True)
class Job:
    """A task with the recordings of each contender. `cases`: of the suite that judges them; None without a suite.

    `details`: keep every step of the comparisons. `volatile`: tell what never counts as well. `absent`: paths to pass
    over; the others keep their numbers.
    """

    task: str
    paths: tuple[tuple[Path, ...], ...]
    cases: tuple[Case, ...] | None = None
    details: bool = False
    volatile: bool = False
    absent: frozenset[Path] = frozenset()


@dataclass(slots=True, frozen=True)
class Run:
    """One run, as reports tell of it. `number`: among the runs of its task, from 0."""

    path: Path
    number: int
    outcome: Outcome
    ending: str
    models: tuple[str, ...]
    settings: Any
    steps: int
    figures: Figures
    warnings: tuple[str, ...]


@dataclass(slots=True, frozen=True)
class Comparison:
    """A run against the one of the first contender that has the same number. `first`: where they part.

    `changes`: all of them where details are kept. `volatile`: see `harness.diff.volatile`.
    """

    number: int
    counts: dict[Status, int]
    first: Change | None
    settings: tuple[Difference, ...]
    changes: tuple[Change, ...] = ()
    volatile: tuple[Difference, ...] = ()

    @property
    def same(self) -> bool:
        return self.first is None


@dataclass(slots=True)
class TaskResult:
    """`runs`: of each contender. `comparisons`: of each contender but the first. `unread`: by contender, why."""

    task: str
    runs: list[list[Run]]
    comparisons: list[list[Comparison]]
    unread: list[list[str]]

    @property
    def expected(self) -> int:
        """How many runs each contender should have: as many as the one that has most, read or not."""
        return max(len(runs) + len(unread) for runs, unread in zip(self.runs, self.unread, strict=True))

    def unknown(self, contender: int) -> set[int]:
        """The numbers of runs that nobody recorded, so that no one can tell how they would have come out; one that was
        recorded and cannot be read has failed somehow."""
        return {*range(len(self.runs[contender]) + len(self.unread[contender]), self.expected)}


def run_task(job: Job, price: PricedBy) -> TaskResult:
    """Reads the recordings of a task and compares them; for worker processes."""
    result = TaskResult(job.task, [], [], [])
    first: dict[int, tuple[Run, list[Step]]] = {}
    for contender, paths in enumerate(job.paths):
        runs: list[Run] = []
        comparisons: list[Comparison] = []
        unread: list[str] = []
        for number, path in enumerate(paths):
            if path in job.absent:
                continue
            try:
                run, steps = _read(job, path, number, price)
            except RecordingError as error:
                unread.append(str(error))
                continue
            runs.append(run)
            if contender == 0:
                first[number] = run, steps
            elif number in first:
                comparisons.append(_compare(job, *first[number], run, steps))
        result.runs.append(runs)
        result.unread.append(unread)
        if contender:
            result.comparisons.append(comparisons)
    return result


def _read(job: Job, path: Path, number: int, price: PricedBy) -> tuple[Run, list[Step]]:
    facts = read_facts(path)
    steps = steps_of(facts)
    run = Run(
        path=path,
        number=number,
        outcome=by_ending(facts) if job.cases is None else by_cases(job.cases, facts, path, price),
        ending=facts.ending,
        models=models_of(facts.calls),
        settings=settings_of(facts),
        steps=len(steps),
        figures=figures_of(facts, price),
        warnings=tuple(facts.warnings),
    )
    return run, steps


def _compare(job: Job, one: Run, steps: Sequence[Step], other: Run, other_steps: Sequence[Step]) -> Comparison:
    changes = compare_steps(steps, other_steps)
    volatile: tuple[Difference, ...] = ()
    if job.volatile:
        from harness.diff.volatile import volatile_differences

        volatile = tuple(volatile_differences(one.path, other.path, changes))
    return Comparison(
        other.number,
        counted(changes),
        first_divergence(changes),
        tuple(setting_differences(one.settings, other.settings)),
        tuple(changes) if job.details else (),
        volatile,
    )
