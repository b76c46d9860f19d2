"""`harness diff`: runs side by side, step by step, and what many of them show."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.jobs import in_processes, jobs_option, with_progress
from harness.cli.price_options import price_for, price_options
from harness.cli.report_options import Output, deliver, report_options
from harness.cli.saying import say
from harness.cli.terminal import terminal_width
from harness.errors import HarnessError
from harness.report.figures import listed
from harness.report.rendering import NAME, render

if TYPE_CHECKING:
    from harness.diff.contenders import Contender
    from harness.diff.tasks import TaskResult
    from harness.report.report import Report
    from harness.suites.case import Case

EXIT_DIFFERENT = 1
EXIT_UNUSABLE = 2


@click.command(name="diff")
@click.argument("paths", nargs=-1, required=True, metavar="A B [C]...", type=click.Path())
@click.option("--suite", type=click.Path(path_type=Path, dir_okay=False), help="Its cases say which runs succeeded.")
@click.option("--task", "only", multiple=True, metavar="NAME", help="Only this task, with its details.")
@click.option("--details", is_flag=True, help="Of folders: every task step by step.")
@click.option("--all", "volatile", is_flag=True, help="Show what never counts too: ids, dates, times, chunk borders.")
@click.option("--full", is_flag=True, help="Shorten and fold nothing.")
@click.option(
    "--seed", default=0, show_default=True, type=int, help="Of the bootstrap, and of the test on more than 30 tasks."
)
@price_options
@jobs_option
@report_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    suite: Path | None,
    only: tuple[str, ...],
    details: bool,
    volatile: bool,
    full: bool,
    seed: int,
    prices: Path | None,
    jobs: int,
    form: str | None,
    out: str | None,
) -> None:
    """Compare runs: what an agent did differently, and what that took.

    Each of A, B, C is a contender, a recording or a folder of them; all are held against A. Two recordings give an
    account step by step. Folders are paired by the task that recordings name, else by file name; what has no partner is
    named. With repeated runs of a task there are success rates with intervals and paired tests; "no difference shown"
    means that. Ids, dates, request ids and chunk borders never count; tokens, cost and time are shown, and do not
    either. Exit status: 0 no step differs; 1 one does, or a run has no partner, or, with repeated runs, a difference
    in success is shown; 2 a recording cannot be read.

    \b
    harness diff before.jsonl after.jsonl
    harness diff runs/model-a runs/model-b --suite tasks.suite.toml
    harness diff before/ after/ --task list --format markdown --out reports/diff.md
    """
    if len(paths) < 2:
        raise click.UsageError("name two recordings or folders at least")
    from harness.config import current
    from harness.diff.contenders import find_contenders
    from harness.diff.tasks import Job, run_task

    contenders = find_contenders(paths)
    files = all(contender.is_file for contender in contenders)
    if files and (only or details):
        raise click.UsageError("--task and --details are for folders; recordings are told step by step anyway")
    unread = [line for contender in contenders for line in contender.unread]
    cases = None if suite is None else _cases(suite)
    kept = files or details or bool(only)
    jobs_of_tasks = [
        Job(task, tuple(tuple(one.tasks.get(task, ())) for one in contenders), _judges(cases, task), kept, volatile)
        for task in _tasks(contenders, only)
    ]
    work = partial(run_task, price=price_for(prices, current()))
    running = in_processes(work, jobs_of_tasks, jobs)
    results = [*with_progress(running, len(jobs_of_tasks), "comparing")]
    inside = [line for result in results for lines in result.unread for line in lines]
    if unread + inside and (files or not any(runs for result in results for runs in result.runs)):
        raise HarnessError((unread + inside)[0])
    if files:
        from harness.diff.run_report import runs_report

        report = runs_report([contender.name for contender in contenders], results[0], full=full)
        different = _steps_differ(results)
    else:
        report, different = _of_folders(contenders, results, cases, unread, seed, kept, full)
    _deliver(report, Output(form, out))
    for line in unread + inside:
        say(line)
    ctx.exit(EXIT_UNUSABLE if unread + inside else EXIT_DIFFERENT if different else 0)


def _cases(suite: Path) -> list[Case]:
    from harness.suites.loading import load_suite

    return [*load_suite(suite).cases]


def _judges(cases: Sequence[Case] | None, task: str) -> tuple[Case, ...] | None:
    return None if cases is None else tuple(case for case in cases if case.task == task)


def _tasks(contenders: Sequence[Contender], only: Sequence[str]) -> list[str]:
    from harness.diff.contenders import all_tasks

    tasks = all_tasks(contenders)
    for name in only:
        if name not in tasks:
            raise HarnessError(f'no contender has a run of the task "{name}": there are {listed(tasks)}')
    return [task for task in tasks if not only or task in only]


def _of_folders(
    contenders: Sequence[Contender],
    results: Sequence[TaskResult],
    cases: Sequence[Case] | None,
    unread: Sequence[str],
    seed: int,
    details: bool,
    full: bool,
) -> tuple[Report, bool]:
    """The report, and whether it tells of a difference."""
    from harness.diff.success import BY_ENDING
    from harness.diff.summary import summarize
    from harness.diff.task_data import Compared
    from harness.diff.task_report import tasks_report

    summary = summarize(results, len(contenders), seed=seed)
    here = {result.task for result in results}
    every = {task for contender in contenders for task in contender.tasks}
    compared = Compared(
        names=[contender.name for contender in contenders],
        paths=[str(contender.path) for contender in contenders],
        results=results,
        summary=summary,
        seed=seed,
        success=BY_ENDING if not cases else f"success by {cases[0].file}",
        suite=None if not cases else str(cases[0].file),
        alone=[*dict.fromkeys(case.task for case in cases or () if case.task not in every | here)],
        unread=unread,
        details=details,
        full=full,
    )
    if any(result.expected > len(runs) for result in results for runs in result.runs):
        return tasks_report(compared), True
    if any(result.expected > 1 for result in results):
        return tasks_report(compared), any(one.success.verdict != "no difference shown" for one in summary.paired)
    return tasks_report(compared), _steps_differ(results)


def _steps_differ(results: Sequence[TaskResult]) -> bool:
    return any(not one.same for result in results for comparisons in result.comparisons for one in comparisons)


_GONE = re.compile(r"\[-.*?-\]")
_NEW = re.compile(r"\{\+.*?\+\}")
_SIGNED = {"    - ": "red", "    + ": "green"}


def _deliver(report: Report, output: Output) -> None:
    """As `deliver`, with colours on a terminal."""
    if output.out is not None or output.form not in (None, "text") or not _takes_colours():
        deliver(report, output, "diff")
        return
    from importlib.metadata import version

    text = render(report, "text", version(NAME), terminal_width())
    click.echo("".join(map(_painted, text.splitlines(keepends=True))), nl=False)


def _takes_colours() -> bool:
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def _painted(line: str) -> str:
    colour = _SIGNED.get(line[:6])
    if colour is not None:
        return click.style(line, fg=colour)
    for pattern, ink in ((_GONE, "red"), (_NEW, "green")):
        line = pattern.sub(partial(_inked, ink), line)
    return line


def _inked(ink: str, match: re.Match[str]) -> str:
    return click.style(match[0], fg=ink)
