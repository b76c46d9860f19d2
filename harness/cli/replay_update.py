"""`harness replay --update`: what today's adapters would change in old recordings, and changing it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from harness.cli.jobs import in_processes, with_progress
from harness.cli.report_options import Output, deliver
from harness.replaying.update_report import update_report
from harness.replaying.updating import Updated, update

EXIT_CHANGES = 1
EXIT_UNUSABLE = 2


def replay_update(files: Sequence[Path], jobs: int, *, accept: bool, as_json: bool, quiet: bool) -> int:
    """Show the changes, or make them; the exit status."""
    updates = in_processes(partial(update, accept=accept), files, jobs, hold=True)
    results: list[Updated] = [*with_progress(updates, len(files), "deriving")]
    deliver(update_report(results, quiet=quiet), Output("json" if as_json else None, None), "update")
    statuses = {result.status for result in results}
    if "unusable" in statuses:
        return EXIT_UNUSABLE
    return EXIT_CHANGES if statuses & {"would change", "record again"} else 0
