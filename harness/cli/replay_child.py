"""`harness replay FILE -- COMMAND...`: a program of any language, run against a recording."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from harness.cli.saying import say
from harness.cli.server_options import open_server

EXIT_FAILED = 1


def replay_child(files: Sequence[str], command: Sequence[str], port: int, **options: Any) -> int:
    """Run `command` against recordings; its exit status, or 1 where it is 0 but a request was missed.

    `options` are those of `replay_options`; with `strict`, calls that were not asked for count as well. Raises
    `HarnessError`.
    """
    from harness.serving.commands import report, run_with

    app, doors, calls = open_server(files, options)
    ended = asyncio.run(run_with(app, doors, port, command))
    report(app, calls, say, misses=True)
    failed = bool(app.misses or app.faults or (options["strict"] and app.unused))
    return ended.status or (EXIT_FAILED if failed else 0)
