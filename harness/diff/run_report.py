"""Single runs side by side: their figures, then the account of what differs, step by step. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.costs.calls import sum_tools
from harness.costs.figures import not_priced, tools_text
from harness.diff.data import comparison_data, run_data
from harness.diff.said import difference_lines, place, step_lines
from harness.differences import MISSING, Difference
from harness.report.figures import cost, known, plural, seconds
from harness.report.report import Block, Details, Heading, Quoted, Report, Table
from harness.report.values import any_text

if TYPE_CHECKING:
    from harness.diff.tasks import Comparison, Run, TaskResult

CSV_HEADERS = ("one", "other", "number", "status", "kind", "turn", "call", "path", "one_value", "other_value")


def runs_report(names: Sequence[str], result: TaskResult, *, full: bool = False) -> Report:
    """`result`: of one task with one run of each contender, its details kept."""
    runs = [found[0] for found in result.runs]
    pairs = list(zip(names[1:], (found[0] for found in result.comparisons), strict=True))
    blocks: list[Block] = [figures_table(names, runs), *unpriced_tools(names, [[run] for run in runs])]
    for name, comparison in pairs:
        blocks += account(names[0], name, comparison, full=full)
    blocks += [f"warning: {warning}" for run in runs for warning in run.warnings]
    return Report(
        blocks,
        {
            "kind": "runs",
            "contenders": [{"name": name, **run_data(run)} for name, run in zip(names, runs, strict=True)],
            "comparisons": [
                {"one": names[0], "other": name, **comparison_data(comparison, steps=True)}
                for name, comparison in pairs
            ],
        },
        CSV_HEADERS,
        [row for name, comparison in pairs for row in _rows(names[0], name, comparison)],
    )


def figures_table(names: Sequence[str], runs: Sequence[Run]) -> Table:
    rows = [(label, *(say(run) for run in runs)) for label, say in _FIGURES]
    return Table(("", *names), rows, title="Figures")


def unpriced_tools(names: Sequence[str], runs: Sequence[Sequence[Run]]) -> list[Block]:
    """What the costs leave out, of all runs of each contender; nothing where they leave out nothing."""
    uses = [sum_tools(run.figures.provider_tools for run in found) for found in runs]
    told = [f"{name}: {tools_text(used)}" for name, used in zip(names, uses, strict=True) if used]
    return [Details(not_priced(sum_tools(uses)), told if len(names) > 1 else ())] if told else []


def account(one: str, other: str, comparison: Comparison, *, full: bool = False) -> list[Block]:
    """What differs between two runs."""
    blocks: list[Block] = [Heading(f"{one} and {other}"), verdict(comparison)]
    settings = difference_lines(comparison.settings, full=full)
    if settings:
        blocks += ["What they were given differs:", Quoted(settings, "diff")]
    if not comparison.same:
        blocks.append(Quoted(step_lines(comparison.changes, full=full), "diff"))
    if comparison.volatile:
        blocks += ["What never counts differs in:", Quoted(difference_lines(comparison.volatile, full=full), "diff")]
    return blocks


def verdict(comparison: Comparison) -> str:
    """`no step differs (12 steps)`, or how many do and where the runs part."""
    counts = comparison.counts
    if comparison.first is None:
        return f"no step differs ({plural(counts['same'], 'step')})"
    parts = [f"{counts[status]} {status}" for status in ("changed", "removed", "added") if counts[status]]
    first = comparison.first
    return f"{', '.join(parts)}, {counts['same']} the same; they part at step {first.number} ({place(first.step)})"


def rate(value: float | None) -> str:
    return "?" if value is None else f"{value:,.1f}"


_FIGURES: tuple[tuple[str, Any], ...] = (
    ("model", lambda run: ", ".join(run.models) or "?"),
    ("outcome", lambda run: run.outcome.status + (f": {run.outcome.reason}" if run.outcome.reason else "")),
    ("ending", lambda run: run.ending),
    ("steps", lambda run: known(run.steps)),
    ("input tokens", lambda run: known(run.figures.input_tokens)),
    ("of these cached", lambda run: known(run.figures.cache_read_tokens)),
    ("output tokens", lambda run: known(run.figures.output_tokens)),
    ("of these reasoning", lambda run: known(run.figures.reasoning_tokens)),
    ("cost", lambda run: cost(run.figures.cost_usd)),
    ("calls", lambda run: known(run.figures.calls)),
    ("retries", lambda run: known(run.figures.retries)),
    ("errors", lambda run: known(run.figures.errors)),
    ("iterations", lambda run: known(run.figures.iterations)),
    ("tool calls", lambda run: known(run.figures.tool_calls)),
    ("failed tools", lambda run: known(run.figures.failed_tools)),
    ("duration", lambda run: seconds(run.figures.duration)),
    ("first chunk after", lambda run: seconds(run.figures.first_chunk)),
    ("output tokens a second", lambda run: rate(run.figures.tokens_per_second)),
)


def _rows(one: str, other: str, comparison: Comparison) -> list[Sequence[object]]:
    """A line for each difference; for a step without a partner one with the step."""
    rows: list[Sequence[object]] = []
    for path, left, right in comparison.settings:
        rows.append((one, other, "", "changed", "setting", "", "", path, _cell(left), _cell(right)))
    for change in comparison.changes:
        step = change.step
        if change.status == "same":
            continue
        head = (one, other, change.number, change.status, step.kind, _blank(step.turn), _blank(step.call))
        differences = change.differences or (
            Difference("", *(None if side is None else side.text or side.name for side in (change.one, change.other))),
        )
        rows += [(*head, path, _cell(left), _cell(right)) for path, left, right in differences]
    return rows


def _cell(value: Any) -> str:
    return "" if value is MISSING else any_text(value)


def _blank(value: int | None) -> object:
    return "" if value is None else value
