"""`harness proxy`: the record proxy by itself."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from harness.cli.saying import say
from harness.cli.server_options import Output, port_option, recording_options

EXIT_FAILED = 1


@click.command(name="proxy")
@recording_options
@port_option
@click.pass_context
def command(ctx: click.Context, /, port: int, **options: Any) -> None:
    """Run the record proxy until Ctrl-C or a polite kill; programs are pointed at it by hand.

    The variables that point the official SDKs and known agents at it are printed to stdout once it listens, ready for
    a shell. All calls, also of several programs, go into one recording.

    \b
    harness proxy --port 8123 -o session.jsonl
    harness proxy --upstream http://127.0.0.1:8080
    """
    from harness.config import current
    from harness.serving.commands import doors_for, need_extra, run_until_stopped

    need_extra()
    from harness.serving.forward import RecordProxy

    config = current()
    doors = doors_for(config, options["upstreams"])
    output = Output(config, "proxy", options)
    app = RecordProxy(output.recorder, doors)
    status = "error"

    def started(url: str) -> None:
        for name, value in doors.environment(url, {}).items():
            click.echo(f"export {name}={value}")
        say(f"record proxy at {url}, recording to {output.path}; Ctrl-C stops it")

    try:
        asyncio.run(run_until_stopped(app, port, started))
        status = "ok"
    finally:
        line = output.finish(status, app.calls)
    for fault in app.faults:
        say(fault)
    say(line)
    ctx.exit(EXIT_FAILED if output.recorder.errors or app.faults else 0)
