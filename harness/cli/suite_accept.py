"""`harness suite accept`: golden events."""

from __future__ import annotations

import click

from harness.cli.jobs import with_progress
from harness.cli.report_options import Output, deliver, report_options
from harness.cli.suite_options import filter_option
from harness.errors import HarnessError

EXIT_CHANGES = 1
EXIT_UNUSABLE = 2


@click.command(name="accept")
@click.argument("paths", nargs=-1, required=True, metavar="PATHS...")
@filter_option
@click.option("--check", is_flag=True, help="Write nothing; exit status 1 where something would change.")
@report_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    expression: str | None,
    check: bool,
    form: str | None,
    out: str | None,
) -> None:
    """Take what is derived today from the recordings as the golden events of all cases with an `events` check.

    PATHS are suite files, folders or globs. The goldens lie beside the suite, in goldens/SUITE/CASE.json; what changes
    in them is shown. Goldens that no case has any more are removed (not with --filter). What cannot be derived is
    never accepted: exit status 2.

    \b
    harness suite accept recordings/
    harness suite accept recordings/ --check
    """
    from harness.suites.accept import goldens, stale, write
    from harness.suites.golden_report import golden_report
    from harness.suites.loading import load_suites
    from harness.suites.recordings import Recordings
    from harness.suites.running import choose

    suites = load_suites(paths)
    cases = choose(suites, expression)
    found = goldens(with_progress(cases, len(cases), "deriving"), Recordings())
    if expression is None:
        found += stale([case for suite in suites for case in suite.cases])
    if not found:
        raise HarnessError('no case has an `events` check: give one [[case.check]] with type = "events"')
    if not check:
        for golden in found:
            write(golden)
    deliver(golden_report(found, written=not check), Output(form, out), "suite-accept")
    kinds = {golden.what for golden in found}
    changes = check and kinds - {"unchanged"}
    ctx.exit(EXIT_UNUSABLE if "error" in kinds else EXIT_CHANGES if changes else 0)
