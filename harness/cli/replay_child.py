"""`harness replay FILE -- COMMAND...`: a program of any language, run against a recording."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from harness.cli.server_options import match_rules, say

EXIT_FAILED = 1


def replay_child(files: Sequence[str], command: Sequence[str], port: int, **options: Any) -> int:
    """Run `command` against recordings; its exit status, or 1 where it is 0 but a request was missed.

    `options` are those of `replay_options`; with `strict`, calls that were not asked for count as well. Raises
    `HarnessError`.
    """
    from harness.config import current
    from harness.paths import find_recordings
    from harness.serving.commands import doors_for, need_extra, read_calls, report, run_with

    need_extra()
    from harness.serving.answer import ReplayServer

    config = current()
    doors = doors_for(config)
    calls, normalizers = read_calls(find_recordings(files), say)
    app = ReplayServer(
        [call for _, call in calls],
        doors,
        rules=match_rules(config, options, normalizers),
        redactor=config.redactor(),
        speed=options["speed"],
    )
    ended = asyncio.run(run_with(app, doors, port, command))
    report(app, calls, say, misses=True)
    failed = bool(app.misses or app.faults or (options["strict"] and app.unused))
    return ended.status or (EXIT_FAILED if failed else 0)
