"""`harness suite run`: recordings, judged by the cases of suites."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import click

from harness.cli.jobs import in_processes, jobs_option, with_progress
from harness.cli.price_options import price_for, price_options
from harness.cli.report_options import Output, deliver, report_options, writable, write
from harness.cli.suite_options import filter_option
from harness.config import current

EXIT_FAILED = 1
EXIT_UNUSABLE = 2


@click.command(name="run")
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...")
@filter_option
@click.option("--fail-fast", is_flag=True, help="Stop at the first recording that does not pass.")
@jobs_option
@click.option(
    "--junit",
    type=click.Path(path_type=Path),
    callback=writable("report.xml"),
    help="Write the verdicts as JUnit XML too.",
)
@click.option("--json", "as_json", is_flag=True, help="Short for --format json.")
@click.option("-q", "--quiet", is_flag=True, help="Only what did not pass, and the totals.")
@price_options
@report_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    expression: str | None,
    fail_fast: bool,
    jobs: int,
    junit: Path | None,
    as_json: bool,
    quiet: bool,
    prices: Path | None,
    form: str | None,
    out: str | None,
) -> None:
    """Judge recordings by the cases of suites.

    PATHS are suite files (*.suite.toml), folders that are searched for them, or globs. Each case judges each of its
    recordings. EXPR is held against the names of recordings too. What the run did not exercise is
    listed. Exit status: 1 when a check fails, 2 when a suite is wrong, matches nothing, or a check cannot be made.

    \b
    harness suite run recordings/
    harness suite run recordings/ --jobs 2 --junit report.xml --fail-fast
    harness suite run recordings/ --format markdown --out reports/suite.md
    """
    if as_json and form not in (None, "json"):
        raise click.UsageError(f"--json and --format {form} exclude one another")
    from harness.suites.loading import load_suites
    from harness.suites.report import suite_report
    from harness.suites.running import plan_run, run_job
    from harness.suites.unexercised import unexercised

    plan = plan_run(load_suites(paths), expression)
    output = Output("json" if as_json else form, out)
    work = partial(run_job, price=price_for(prices, current()), costs=output.tells_all)
    judged = in_processes(work, plan.jobs, jobs, hold=True)
    results = []
    for result in with_progress(judged, len(plan.jobs), "judging"):
        results.append(result)
        if fail_fast and result.status != "pass":
            break
    if junit is not None:
        from harness.suites.junit import junit as junit_of

        write(junit, junit_of(results))
    report = suite_report(results, unexercised(plan, results), quiet=quiet)
    deliver(report, output, "suite")
    statuses = {result.status for result in results}
    ctx.exit(EXIT_UNUSABLE if "error" in statuses else EXIT_FAILED if "fail" in statuses else 0)
