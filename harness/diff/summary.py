"""What the runs of all tasks show of the contenders: success, what they took, and which differences that proves. Pure.

The denominator of every rate are the runs that should be there: as many of each task as the contender with most runs of
it has. A run that is missing, cannot be read, or cannot be judged has not succeeded, and is named.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import fsum
from typing import TYPE_CHECKING

from harness.statistics.bootstrap import RESAMPLES
from harness.statistics.holm import corrected
from harness.statistics.outcomes import OutcomeComparison, SuccessRate, compare_outcomes, success_rate
from harness.statistics.pairs import Unit
from harness.statistics.repeats import mean_over_tasks, pass_at_k, pass_hat_k
from harness.statistics.values import ValueComparison, compare_values

if TYPE_CHECKING:
    from harness.diff.tasks import Run, TaskResult

MEASURES = ("cost_usd", "input_tokens", "output_tokens", "duration", "first_chunk", "tokens_per_second")
"""Figures that are compared over tasks."""


_DRAWS = 1_000_000
_FEWEST = 2_000
"""Of many tasks fewer resamples are drawn, but never fewer than this: the intervals are narrow then anyway."""


@dataclass(slots=True, frozen=True)
class Standing:
    """One contender. `expected`: the runs it should have; `found`: those that could be read; `passed`: of these.

    `pass_at`, `pass_hat`: pass@k and pass^k by k, up to the runs that every task has. `means`: of the known values of
    the `MEASURES`, over runs; `unknown`: the runs without such a value.
    """

    expected: int
    found: int
    passed: int
    success: SuccessRate
    pass_at: dict[int, float | None]
    pass_hat: dict[int, float | None]
    means: dict[str, Decimal | float | None]
    unknown: dict[str, int]
    retries: int
    models: tuple[str, ...]


@dataclass(slots=True, frozen=True)
class Paired:
    """A contender against the first. `unit`: what a pair is; with one task alone its runs are the pairs, and the
    answer is about that task only. `missing`: runs of the first and of the other that nobody recorded."""

    unit: Unit
    success: OutcomeComparison
    values: dict[str, ValueComparison]
    missing: tuple[int, int] = (0, 0)


@dataclass(slots=True, frozen=True)
class Summary:
    """`paired`: of each contender but the first, corrected by Holm over the contenders for each measure."""

    standings: list[Standing]
    paired: list[Paired]
    repeats: int
    """The runs that every task should have at least."""


def summarize(results: Sequence[TaskResult], contenders: int, *, seed: int = 0) -> Summary:
    """`results`: at least one task."""
    outcomes = [[_outcomes(result, at) for result in results] for at in range(contenders)]
    repeats = min(result.expected for result in results)
    count = max(_FEWEST, min(RESAMPLES, _DRAWS // len(results)))
    standings = [_standing(results, at, outcomes[at], repeats, seed) for at in range(contenders)]
    unit: Unit = "repeat" if len(results) == 1 else "task"
    told = [[_told(result, at) for result in results] for at in range(contenders)]
    success = corrected([compare_outcomes(told[0], one, unit=unit, seed=seed) for one in told[1:]])
    values = {
        name: corrected(
            [compare_values(*_values(results, at, name), seed=seed, count=count) for at in range(1, contenders)]
        )
        for name in MEASURES
    }
    missing = [sum(len(result.unknown(at)) for result in results) for at in range(contenders)]
    paired = [
        Paired(unit, found, {name: values[name][at] for name in MEASURES}, (missing[0], missing[at + 1]))
        for at, found in enumerate(success)
    ]
    return Summary(standings, paired, repeats)


def _outcomes(result: TaskResult, contender: int) -> list[bool]:
    """By number; a run that is not there has not succeeded."""
    passed = {run.number for run in result.runs[contender] if run.outcome.passed}
    return [number in passed for number in range(result.expected)]


def _told(result: TaskResult, contender: int) -> list[bool | None]:
    """By number; None for a run that nobody recorded: it is in the denominator, but it proves no difference."""
    unknown = result.unknown(contender)
    return [None if at in unknown else passed for at, passed in enumerate(_outcomes(result, contender))]


def _standing(
    results: Sequence[TaskResult], contender: int, outcomes: Sequence[Sequence[bool]], repeats: int, seed: int
) -> Standing:
    runs = [run for result in results for run in result.runs[contender]]
    counts = [(len(task), sum(task)) for task in outcomes]
    known = {name: [v for run in runs if (v := _figure(run, name)) is not None] for name in MEASURES}
    return Standing(
        expected=sum(map(len, outcomes)),
        found=len(runs),
        passed=sum(map(sum, outcomes)),
        success=success_rate(outcomes, seed=seed),
        pass_at=_by_k(pass_at_k, counts, repeats),
        pass_hat=_by_k(pass_hat_k, counts, repeats),
        means={name: _mean(values) for name, values in known.items()},
        unknown={name: len(runs) - len(values) for name, values in known.items()},
        retries=sum(run.figures.retries for run in runs),
        models=tuple(dict.fromkeys(model for run in runs for model in run.models)),
    )


def _by_k(
    estimate: Callable[[int, int, int], float | None], counts: Sequence[tuple[int, int]], repeats: int
) -> dict[int, float | None]:
    return {k: mean_over_tasks(estimate, counts, k) for k in range(1, repeats + 1)}


def _figure(run: Run, name: str) -> Decimal | float | None:
    value: Decimal | float | None = getattr(run.figures, name)
    return value


def _mean(values: Sequence[Decimal | float]) -> Decimal | float | None:
    """Exact to a billionth for money."""
    if not values:
        return None
    money = [value for value in values if isinstance(value, Decimal)]
    if money:
        return round(sum(money, Decimal(0)) / len(money), 9)
    return fsum(values) / len(values)


def _values(
    results: Sequence[TaskResult], contender: int, name: str
) -> tuple[list[list[Decimal | float | None]], list[list[Decimal | float | None]]]:
    """The values of the first contender and of another, by task; of one task alone by run."""
    sides = []
    for side in (0, contender):
        tasks = [{run.number: _figure(run, name) for run in result.runs[side]} for result in results]
        if len(tasks) == 1:
            sides.append([[tasks[0].get(number)] for number in range(results[0].expected)])
        else:
            sides.append([[*task.values()] for task in tasks])
    return sides[0], sides[1]
