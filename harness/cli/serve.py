"""`harness serve`: recordings as a server, for programs in any language."""

from __future__ import annotations

import asyncio
from typing import Any

import click

from harness.cli.saying import say
from harness.cli.server_options import open_server, port_option, replay_options

EXIT_FAILED = 1


@click.command(name="serve")
@click.argument("files", nargs=-1, required=True, type=click.Path(readable=False))
@replay_options
@click.option("--repeat", is_flag=True, help="Calls that are used up answer again.")
@port_option
@click.pass_context
def command(ctx: click.Context, /, files: tuple[str, ...], port: int, **options: Any) -> None:
    """Answer from recordings until Ctrl-C or a polite kill: same bytes, same chunk borders, same endings, no network.

    FILES are recordings, folders or globs. The variables that point programs at the server are printed to stdout once
    it listens. A request that no recorded call answers gets status 400 and the nearest call with all differences. At
    the end the calls that were not asked for are listed.

    \b
    harness serve session.jsonl --port 8123
    harness serve recordings/ --repeat --speed 1
    """
    from harness.serving.commands import report, run_until_stopped

    app, doors, calls = open_server(files, options, repeat=options["repeat"], on_miss=lambda text: say(f"miss: {text}"))

    def started(url: str) -> None:
        for name, value in doors.environment(url, {}).items():
            click.echo(f"export {name}={value}")
        recorded = "1 recorded call" if len(calls) == 1 else f"{len(calls)} recorded calls"
        say(f"answering from {recorded} at {url}; Ctrl-C stops it")

    asyncio.run(run_until_stopped(app, port, started))
    report(app, calls, say, misses=False)
    ctx.exit(EXIT_FAILED if app.faults or (options["strict"] and (app.misses or app.unused)) else 0)
