"""A comparison of contenders over many tasks: all that a report tells of it, as JSON and as CSV. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from harness.diff.data import comparison_data, run_data
from harness.diff.evidence import evidence_data, interval_data

if TYPE_CHECKING:
    from harness.diff.summary import Standing, Summary
    from harness.diff.tasks import TaskResult

CSV_HEADERS = (
    "contender", "task", "number", "path", "status", "reason", "ending", "models", "input_tokens", "output_tokens",
    "cache_read_tokens", "cache_write_tokens", "reasoning_tokens", "cost_usd", "calls", "retries", "iterations",
    "tool_calls", "failed_tools", "errors", "duration", "first_chunk", "tokens_per_second", "provider_tools", "same",
    "changed", "removed", "added",
)  # fmt: skip


@dataclass(slots=True, frozen=True)
class Compared:
    """All that a report tells. `suite`: the file that judged, None where the ending did; `success`: that in words.

    `alone`: lines on tasks of the suite that no contender ran. `unread`: recordings that have no place.
    """

    names: Sequence[str]
    paths: Sequence[str]
    results: Sequence[TaskResult]
    summary: Summary
    seed: int
    success: str
    suite: str | None = None
    alone: Sequence[str] = ()
    unread: Sequence[str] = ()
    details: bool = False
    full: bool = False


def tasks_data(found: Compared) -> dict[str, Any]:
    """The JSON object: docs/diff.md describes the fields."""
    return {
        "kind": "tasks",
        "seed": found.seed,
        "suite": found.suite,
        "contenders": [
            {"name": name, "path": path, **_standing_data(one)}
            for name, path, one in zip(found.names, found.paths, found.summary.standings, strict=True)
        ],
        "comparisons": [
            {"one": found.names[0], "other": name, **evidence_data(paired)}
            for name, paired in zip(found.names[1:], found.summary.paired, strict=True)
        ],
        "tasks": [
            {
                "task": result.task,
                "expected": result.expected,
                "runs": [[run_data(run) for run in runs] for runs in result.runs],
                "comparisons": [
                    [comparison_data(comparison, steps=found.details) for comparison in comparisons]
                    for comparisons in result.comparisons
                ],
                "unread": result.unread,
            }
            for result in found.results
        ],
        "unread": list(found.unread),
        "not_run": list(found.alone),
    }


def _standing_data(one: Standing) -> dict[str, Any]:
    means = {name: f"{value:f}" if isinstance(value, Decimal) else value for name, value in one.means.items()}
    return {
        "models": list(one.models),
        "expected": one.expected,
        "found": one.found,
        "passed": one.passed,
        "success": {"rate": one.success.rate, "interval": interval_data(one.success.interval)},
        "pass_at_k": {str(k): value for k, value in one.pass_at.items()},
        "pass_hat_k": {str(k): value for k, value in one.pass_hat.items()},
        "means": means,
        "unknown": one.unknown,
        "retries": one.retries,
    }


def tasks_rows(found: Compared) -> list[Sequence[object]]:
    """The CSV, below `CSV_HEADERS`: a line a run."""
    rows: list[Sequence[object]] = []
    for result in found.results:
        for at, (name, runs) in enumerate(zip(found.names, result.runs, strict=True)):
            against = {one.number: one.counts for one in result.comparisons[at - 1]} if at else {}
            for run in runs:
                counts = against.get(run.number)
                rows.append((
                    name, result.task, run.number, run.path, run.outcome.status, run.outcome.reason or "", run.ending,
                    " ".join(run.models),
                    *map(_cell, run.figures.to_dict().values()),
                    *([""] * 4 if counts is None else counts.values()),
                ))  # fmt: skip
    return rows


def _cell(value: Any) -> Any:
    """A figure; uses of tools as `web_search=2`."""
    if isinstance(value, dict):
        return " ".join(f"{name}={number}" for name, number in value.items())
    return "" if value is None else value
