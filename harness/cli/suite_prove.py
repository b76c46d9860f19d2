"""`harness suite prove`: whether checks can fail, and can pass."""

from __future__ import annotations

from pathlib import Path

import click

from harness.cli.jobs import with_progress
from harness.cli.price_options import price_for, price_options
from harness.cli.report_options import Output, deliver, report_options
from harness.cli.suite_options import filter_option
from harness.config import current

EXIT_FAILED = 1
EXIT_UNUSABLE = 2


@click.command(name="prove")
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...")
@filter_option
@price_options
@report_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    expression: str | None,
    prices: Path | None,
    form: str | None,
    out: str | None,
) -> None:
    """Show that the checks of each case can fail and can pass, before they are trusted.

    They have to fail on a run in which nothing was done: an empty answer, the workspace untouched. They have to pass on
    the reference solution (`solution`, `answer`), else on a recording. Of a case with a prompt the checks of its
    outcome (text, file) are proved, of another all of them, and its recordings are its solution. What cannot be proved
    is said. Exit status: 1 when checks cannot fail, or do not pass; 2 when a suite is wrong.

    \b
    harness suite prove recordings/
    harness suite prove tasks/garden.suite.toml --filter tea
    """
    from harness.suites.loading import load_suites
    from harness.suites.proof_report import proof_report
    from harness.suites.prove import prove
    from harness.suites.recordings import Recordings
    from harness.suites.running import choose

    cases = choose(load_suites(paths), expression)
    recordings, price = Recordings(), price_for(prices, current())
    proofs = [*with_progress((prove(case, recordings, price) for case in cases), len(cases), "proving")]
    deliver(proof_report(proofs), Output(form, out), "suite-prove")
    statuses = {proved.status for proved in proofs}
    ctx.exit(EXIT_UNUSABLE if "error" in statuses else EXIT_FAILED if "fail" in statuses else 0)
