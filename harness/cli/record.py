"""`harness record`: any program, in any language, with its model calls recorded."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import click

from harness.cli.saying import say
from harness.cli.server_options import Output, port_option, recording_options

EXIT_FAILED = 1


@click.command(name="record", context_settings={"allow_interspersed_args": False})
@recording_options
@port_option
@click.option("-q", "--quiet", is_flag=True, help="Say nothing but errors.")
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED, metavar="-- COMMAND...")
@click.pass_context
def command(ctx: click.Context, /, command: tuple[str, ...], port: int, quiet: bool, **options: Any) -> None:
    """Run a program and record its model calls, whatever language it is written in.

    A proxy on a free loopback port forwards to the providers; the program is pointed at it by the base-URL variables
    of the official SDKs and known agents (OPENAI_BASE_URL, ANTHROPIC_BASE_URL, GOOGLE_GEMINI_BASE_URL and more), and by
    HARNESS_PROXY_URL for others. A base URL that is set already stays the upstream. Keys pass through and are not
    recorded. The exit status is the program's; 1 where it is 0 but not all could be recorded, 2 where it cannot start.

    \b
    harness record -- python my_agent.py
    harness record -o fix.jsonl -- claude -p "Fix the tests"
    harness record --upstream http://127.0.0.1:8080 -- node agent.mjs
    """
    from harness.config import current
    from harness.serving.commands import UNREAD, doors_for, need_extra, run_with

    need_extra()
    from harness.serving.forward import RecordProxy

    config = current()
    doors = doors_for(config, options["upstreams"])
    output = Output(config, Path(command[0]).name, options)
    app = RecordProxy(output.recorder, doors)
    status = "error"
    try:
        ended = asyncio.run(run_with(app, doors, port, command, None if quiet else say))
        status = "cancelled" if ended.cancelled else "ok" if ended.status == 0 else "error"
    finally:
        line = output.finish(status, app.calls)
    for fault in app.faults:
        say(fault)
    if app.calls == 0:
        say(f"{line}; {UNREAD}")
    elif not quiet:
        say(line)
    ctx.exit(ended.status or (EXIT_FAILED if output.recorder.errors or app.faults else 0))
