"""A run of suites as a report. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from harness.report.figures import add_usage, known, plural
from harness.report.report import Block, Details, Report, Table
from harness.suites.results import CaseResult, count_by_status, said
from harness.suites.unexercised import Unexercised
from harness.verdicts import WORDS, Verdict

_COLUMNS = ("suite", "case", "task", "recording", "check", "status", "score", "reason")


def suite_report(results: Sequence[CaseResult], idle: Unexercised, *, quiet: bool = False) -> Report:
    """`quiet`: of the results only those that are no pass."""
    shown = [result for result in results if not quiet or result.status != "pass"]
    blocks: list[Block] = [_table(shown)]
    blocks += [_failure(result) for result in shown if result.status != "pass"]
    warned = [result for result in shown if result.run.warnings]
    blocks += [Details(f"warning {result.path}", result.run.warnings) for result in warned]
    if not quiet and idle.lines():
        blocks.append(Details("not exercised:", idle.lines()))
    totals = _totals(results)
    blocks += _summary(totals)
    return Report(blocks, _data(results, idle, totals), _COLUMNS, [*_rows(shown)])


def _table(results: Sequence[CaseResult]) -> Table:
    headers = ["verdict", "suite", "case", "recording", "checks", "score"]
    rows = [
        [WORDS[one.status], one.suite, one.case, one.path.as_posix(), _checks(one), _share(one.score)]
        for one in results
    ]
    dropped = set() if len({one.file for one in results}) > 1 else {"suite"}
    if not any(verdict.score is not None for one in results for verdict in one.verdicts):
        dropped.add("score")
    kept = [index for index, header in enumerate(headers) if header not in dropped]
    return Table(
        [headers[index] for index in kept], [[row[index] for index in kept] for row in rows], ("score",), "Results"
    )


def _checks(result: CaseResult) -> str:
    """`7 ok`, `6 ok, tools:FAIL`: those that do not pass by name."""
    wrong = [f"{verdict.check}:{WORDS[verdict.status]}" for verdict in result.verdicts if verdict.status != "pass"]
    passed = len(result.verdicts) - len(wrong)
    return ", ".join([*([f"{passed} ok"] if passed else []), *wrong])


def _failure(result: CaseResult) -> Details:
    wrong = [verdict for verdict in result.verdicts if verdict.status != "pass"]
    lines = [said(verdict) if verdict.status == result.status else f"{WORDS[verdict.status]} {said(verdict)}"
             for verdict in wrong]  # fmt: skip
    return Details(f"{WORDS[result.status]} {result.suite}: {result.case} ({result.path.as_posix()})", lines)


def _summary(totals: dict[str, Any]) -> list[Block]:
    parts = [f"{totals['pass']:,} passed", f"{totals['fail']:,} failed"]
    parts += [plural(totals["error"], "error")] if totals["error"] else []
    amounts = [plural(totals[name], name.removesuffix("s")) for name in ("cases", "recordings", "checks")]
    runs = [
        f"{plural(totals['calls'], 'call')}, {known(totals['retries'])} of them retries",
        f"answered by {', '.join(totals['models']) or 'no model'}",
    ]
    blocks: list[Block] = [f"{', '.join(parts)} · {', '.join(amounts)}", " · ".join(runs)]
    if totals["failed_tasks"]:
        blocks.append(f"tasks that did not pass: {', '.join(totals['failed_tasks'])}")
    return blocks


def _rows(results: Iterable[CaseResult]) -> Iterable[Sequence[object]]:
    for result in results:
        for verdict in result.verdicts:
            yield (
                result.suite, result.case, result.task, result.path.as_posix(), verdict.check, verdict.status,
                _share(verdict.score), verdict.reason or "",
            )  # fmt: skip


def _share(score: float | None) -> str:
    return "" if score is None else f"{score:.3f}"


def _totals(results: Sequence[CaseResult]) -> dict[str, Any]:
    runs = [result.run for result in results]
    costs = [run.cost_usd for run in runs if run.cost_usd is not None]
    return {
        "cases": len({(result.file, result.case) for result in results}),
        "recordings": len({result.path for result in results}),
        "checks": sum(len(result.verdicts) for result in results),
        **count_by_status(results),
        "calls": sum(run.calls or 0 for run in runs),
        "retries": sum(run.retries or 0 for run in runs),
        "usage": add_usage(run.usage for run in runs),
        "cost_usd": f"{sum(costs, Decimal(0)):f}" if costs else None,
        "unpriced_calls": sum(run.unpriced or 0 for run in runs),
        "models": sorted({model for run in runs for model in run.models}),
        "failed_tasks": [*dict.fromkeys(result.task for result in results if result.status != "pass")],
    }


def _data(results: Sequence[CaseResult], idle: Unexercised, totals: dict[str, Any]) -> dict[str, Any]:
    suites: dict[Path, dict[str, Any]] = {}
    for result in results:
        suite = suites.setdefault(result.file, {"name": result.suite, "path": result.file.as_posix(), "results": []})
        suite["results"].append(_result(result))
    return {
        "suites": [*suites.values()],
        "not_exercised": {
            "recordings": [path.as_posix() for path in idle.unnamed],
            "tools": [{"suite": suite, "names": [*names]} for suite, names in idle.tools],
            "checks_left_out_by_filter": idle.filtered,
            "checks_not_run": idle.skipped,
        },
        "totals": totals,
    }


def _result(result: CaseResult) -> dict[str, Any]:
    run = result.run
    return {
        "case": result.case,
        "task": result.task,
        "recording": result.path.as_posix(),
        "status": result.status,
        "score": result.score,
        "verdicts": [_verdict(one) for one in result.verdicts],
        "models": [*run.models],
        "turns": run.turns,
        "calls": run.calls,
        "retries": run.retries,
        "usage": run.usage,
        "cost_usd": None if run.cost_usd is None else f"{run.cost_usd:f}",
        "unpriced_calls": run.unpriced,
        "seconds": run.seconds,
        "tool_calls": dict(run.called),
        "warnings": [*run.warnings],
    }


def _verdict(verdict: Verdict) -> dict[str, Any]:
    data = {"check": verdict.check, "status": verdict.status, "score": verdict.score, "reason": verdict.reason}
    if not verdict.spent:
        return data
    budgets = [
        {"name": one.name, "spent": f"{one.amount:f}", "limit": f"{one.limit:f}", "more": one.more}
        for one in verdict.spent
    ]
    return {**data, "budgets": budgets}
