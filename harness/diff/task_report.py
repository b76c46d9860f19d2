"""Contenders over many tasks: one table of all, what the comparison shows, then task by task. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from harness.diff.evidence import evidence_lines, interval_text, percent
from harness.diff.run_report import account, figures_table, rate, unpriced_tools, verdict
from harness.diff.task_data import CSV_HEADERS, Compared, tasks_data, tasks_rows
from harness.report.figures import cost, known, plural, seconds
from harness.report.report import Block, Details, Heading, Report, Table
from harness.report.values import number

if TYPE_CHECKING:
    from harness.diff.summary import Standing
    from harness.diff.tasks import Comparison, Run, TaskResult


def tasks_report(found: Compared) -> Report:
    models = [
        f"{name}: {', '.join(one.models) or '?'}"
        for name, one in zip(found.names, found.summary.standings, strict=True)
    ]
    runs = [[run for result in found.results for run in result.runs[at]] for at in range(len(found.names))]
    blocks: list[Block] = [
        _opening(found),
        *_standings(found),
        *unpriced_tools(found.names, runs),
        Details("Models that answered", models),
    ]
    for name, paired in zip(found.names[1:], found.summary.paired, strict=True):
        where = f", in the task {found.results[0].task} alone" if paired.unit == "repeat" else ""
        blocks.append(Details(f"{name} against {found.names[0]}{where}", evidence_lines(paired)))
    blocks.append(_tasks(found))
    blocks += [Details(title, lines) for title, lines in notes(found) if lines]
    if found.details:
        for result in found.results:
            blocks += _details(found, result)
    return Report(blocks, tasks_data(found), CSV_HEADERS, tasks_rows(found))


def _opening(found: Compared) -> str:
    tasks, repeats = plural(len(found.results), "task"), found.summary.repeats
    whole = all(len(runs) == result.expected for result in found.results for runs in result.runs)
    each = "" if repeats < 2 else f", {_repeats(found.results)}{'' if whole else ' expected'} of each"
    means = "" if whole else "; means are of the runs that are there"
    return f"{plural(len(found.names), 'contender')}, {tasks}{each}; {found.success}{means}; seed {found.seed}"


def _repeats(results: Sequence[TaskResult]) -> str:
    """`5 runs`, `2 to 5 runs`"""
    counts = [result.expected for result in results]
    return plural(min(counts), "run") if min(counts) == max(counts) else f"{min(counts)} to {max(counts)} runs"


def _standings(found: Compared) -> list[Block]:
    """Success, then what a run took: as one table they are too wide to read."""
    k = found.summary.repeats
    ks = (f"pass@{k}", f"pass^{k}") if k > 1 else ()
    success = ("passed", "rate", "95%", *ks, "retries")
    took = ("in", "out", "cost", "time", "first", "tok/s")
    rows, means = [], []
    for name, one in zip(found.names, found.summary.standings, strict=True):
        over = [percent(one.pass_at[k]), percent(one.pass_hat[k])] if k > 1 else []
        rows.append((
            name, f"{one.passed} of {one.expected}", percent(one.success.rate),
            interval_text(one.success.interval), *over, str(one.retries),
        ))  # fmt: skip
        means.append((name, *_means(one)))
    return [
        Table(("contender", *success), rows, success, "Contenders"),
        Table(("contender", *took), means, took, "What a run took, on average"),
    ]


def _means(one: Standing) -> list[str]:
    """Means of the runs; where some do not tell, over how many."""
    says: list[tuple[str, Any]] = [
        ("input_tokens", _whole), ("output_tokens", _whole), ("cost_usd", _money), ("duration", seconds),
        ("first_chunk", seconds), ("tokens_per_second", rate),
    ]  # fmt: skip
    cells = []
    for name, say in says:
        value = one.means[name]
        cells.append((say(value) if one.found else "?") + _some(value, one.found - one.unknown[name], one.found))
    return cells


def _some(value: Any, told: int, runs: int) -> str:
    """Of how many runs a mean is, where some do not tell."""
    return f" ({told} of {runs})" if value is not None and told < runs else ""


def _whole(value: Any) -> str:
    return known(None if value is None else round(value))


def _money(value: Any) -> str:
    return cost(value if isinstance(value, Decimal) else None)


def _tasks(found: Compared) -> Table:
    headers = ("task", "contender", "passed", "ended", "in", "out", "cost", "time", f"against {found.names[0]}")
    rows = []
    for result in found.results:
        for at, name in enumerate(found.names):
            runs = result.runs[at]
            against = "" if at == 0 else _against(result.comparisons[at - 1], len(runs))
            rows.append((
                "" if at else result.task, name, f"{sum(run.outcome.passed for run in runs)} of {result.expected}",
                ", ".join(dict.fromkeys(run.ending for run in runs)) or "no run",
                _mean(result, at, "input_tokens", _whole), _mean(result, at, "output_tokens", _whole),
                _mean(result, at, "cost_usd", _money) if runs else "?",
                _mean(result, at, "duration", _seconds), against,
            ))  # fmt: skip
    return Table(headers, rows, ("passed", "in", "out", "cost", "time"), "Tasks")


def _mean(result: TaskResult, contender: int, name: str, say: Callable[[Any], str]) -> str:
    """Of the runs that tell; how many these are where others do not."""
    values = [value for run in result.runs[contender] if (value := getattr(run.figures, name)) is not None]
    value = sum(values) / len(values) if values else None
    return say(value) + _some(value, len(values), len(result.runs[contender]))


def _seconds(value: Any) -> str:
    return seconds(number(value))


def _against(comparisons: Sequence[Comparison], runs: int) -> str:
    if not comparisons:
        return "nothing to compare with" if runs else ""
    if len(comparisons) == 1 and runs == 1:
        return _in_short(comparisons[0])
    same = sum(comparison.same for comparison in comparisons)
    return f"{same} of {plural(len(comparisons), 'pair')} of runs without a difference"


def _in_short(comparison: Comparison) -> str:
    if comparison.first is None:
        return verdict(comparison)
    parts = [f"{n} {status}" for status, n in comparison.counts.items() if n and status != "same"]
    return f"{', '.join(parts)}, from step {comparison.first.number} on"


def notes(found: Compared) -> list[tuple[str, list[str]]]:
    """What did not succeed, and what is not there, by name."""
    failed, missing = [], []
    for result in found.results:
        for name, runs, unread in zip(found.names, result.runs, result.unread, strict=True):
            failed += _failed(name, result, [run for run in runs if not run.outcome.passed])
            lacking = result.expected - len(runs) - len(unread)
            missing += [f"{name}: {plural(lacking, 'run')} of {result.task}"] if lacking else []
    unread = [line for result in found.results for lines in result.unread for line in lines]
    return [
        ("No run has a partner:", _pairing(found)),
        ("Runs that did not succeed:", failed),
        ("Runs that are missing; they count as not passed:", missing),
        ("Recordings that cannot be read:", [*found.unread, *unread]),
        ("Tasks of the suite that no contender ran; they do not count:", [*found.alone]),
    ]


def _pairing(found: Compared) -> list[str]:
    """How runs are paired, where all contenders have some and none of them are."""
    runs = [result.runs for result in found.results]
    there = all(any(one[at] for one in runs) for at in range(len(found.names)))
    if len(found.names) < 2 or not there or any(sum(map(bool, one)) > 1 for one in runs):
        return []
    return ["runs are of one task where their headers name it, else where their file names are the same"]


def _failed(name: str, result: TaskResult, runs: Sequence[Run]) -> list[str]:
    """One line for a task, with the reason of its first run; the others stand in CSV and JSON."""
    if not runs:
        return []
    first = runs[0]
    count = "" if result.expected == 1 else f", {len(runs)} of {result.expected}"
    reason = first.outcome.reason or "no reason given"
    return [f"{name}: {result.task}{count}: {first.outcome.status}: {reason} ({first.path})"]


def _details(found: Compared, result: TaskResult) -> list[Block]:
    blocks: list[Block] = [Heading(result.task)]
    runs = [(name, run) for name, runs in zip(found.names, result.runs, strict=True) for run in runs]
    if all(len(one) <= 1 for one in result.runs):
        blocks.append(figures_table([name for name, _ in runs], [run for _, run in runs]))
    for name, comparisons in zip(found.names[1:], result.comparisons, strict=True):
        for comparison in comparisons:
            ends = "" if len(comparisons) == 1 else f", run {comparison.number}"
            blocks += account(found.names[0], f"{name}{ends}", comparison, full=found.full)
    return blocks
