"""`harness replay`: recordings, replayed offline and judged."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import click

from agent.jsonio import dumps
from harness.cli.jobs import in_processes, jobs_option, with_progress
from harness.cli.server_options import port_option, replay_options
from harness.cli.terminal import terminal_width
from harness.errors import HarnessError
from harness.paths import find_recordings
from harness.replaying.replayer import Replayed, replay_recording
from harness.report.figures import plural
from harness.report.light_grid import light_grid
from harness.verdicts import WORDS

EXIT_FAILED = 1
EXIT_UNUSABLE = 2
_CHILD = "harness.child"
_OF_REPLAY = ("jobs", "as_json", "quiet", "update", "accept")


class _Replay(click.Command):
    """Takes what follows `--` as a command, where click would see further paths."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if "--" in args:
            at = args.index("--")
            ctx.meta[_CHILD] = args[at + 1 :]
            args = args[:at]
        return super().parse_args(ctx, args)


@click.command(name="replay", cls=_Replay)
@click.argument("paths", nargs=-1, required=True, metavar="PATHS... [-- COMMAND...]", type=click.Path(readable=False))
@jobs_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object a recording, then one with the totals.")
@click.option("-q", "--quiet", is_flag=True, help="Only what did not pass, and the totals.")
@click.option("--update", is_flag=True, help="Show what the adapters of today would change in the recordings.")
@click.option("--accept", is_flag=True, help="With --update: write it in their place.")
@replay_options
@port_option
@click.pass_context
def command(
    ctx: click.Context, /, paths: tuple[str, ...], jobs: int, as_json: bool, quiet: bool, update: bool, accept: bool,
    **options: Any,
) -> None:  # fmt: skip
    """Replay recordings offline: no network, no key, no cost.

    PATHS are files, folders or globs. For each recording the events are derived anew from the recorded frames, and the
    agent loop runs again over them with the recorded tool results; both must come out as recorded. Exit status: 1 when
    one differs, 2 when one cannot be read.

    With --update it is told event by event what today's adapters would change in the recordings, and --accept writes
    it. Requests and tool results stay as they are, so a recording whose loop would go another way is left alone. Exit
    status: 1 where something would change, or has to be recorded again.

    With a COMMAND, that program runs against the recordings instead, whatever language it is written in: the base-URL
    variables of the official SDKs and known agents lead to a local server that answers from them. Exit status: the
    program's; 1 where it is 0 but a request was missed, or with --strict a recorded call was not asked for. --speed,
    --strict, --ignore, --normalizer, --match-host and --port belong to this form.

    \b
    harness replay recordings/
    harness replay 'runs/**/*.jsonl' --jobs 2
    harness replay recordings/ --update --accept
    harness replay session.jsonl -- node agent.mjs "Fix the tests"
    """
    child = ctx.meta.get(_CHILD)
    _check_form(ctx, child)
    if child is not None:
        from harness.cli.replay_child import replay_child

        ctx.exit(replay_child(paths, child, **options))
    if accept and not update:
        raise click.UsageError("--accept needs --update")
    files = _find(paths)
    if update:
        from harness.cli.replay_update import replay_update

        ctx.exit(replay_update(files, jobs, accept=accept, as_json=as_json, quiet=quiet))
    started = time.perf_counter()
    replays = in_processes(replay_recording, files, jobs, hold=True)
    results = list(with_progress(replays, len(files), "replaying"))
    seconds = time.perf_counter() - started
    if as_json:
        _print_json(results, seconds)
    else:
        _print_table(results, seconds, quiet)
    statuses = {result.status for result in results}
    ctx.exit(EXIT_UNUSABLE if "error" in statuses else EXIT_FAILED if "fail" in statuses else 0)


def _find(paths: tuple[str, ...]) -> list[Path]:
    """As `find_recordings`; where a program is named among the recordings, the error says where it belongs."""
    try:
        return find_recordings(paths)
    except HarnessError as error:
        import shutil

        program = next((path for path in paths[1:] if not Path(path).exists() and shutil.which(path)), None)
        if program is None:
            raise
        raise HarnessError(f"{error} (a program to run goes after `--`: harness replay FILE -- {program})") from None


def _check_form(ctx: click.Context, child: list[str] | None) -> None:
    """Raises `UsageError` for an option of the other form, and for `--` with nothing behind it."""
    if child == []:
        raise click.UsageError("no COMMAND after --")
    for option in ctx.command.params:
        name = option.name or ""
        if name == "paths" or ctx.get_parameter_source(name) is not click.core.ParameterSource.COMMANDLINE:
            continue
        if (child is not None) == (name in _OF_REPLAY):
            rule = "does not go with" if child is not None else "needs"
            raise click.UsageError(f"{option.opts[-1]} {rule} `-- COMMAND`")


def _print_table(results: list[Replayed], seconds: float, quiet: bool) -> None:
    shown = [result for result in results if not quiet or result.status != "pass"]
    rows = [
        (WORDS[result.status], result.path, result.turns, result.calls, _checks(result), f"{result.seconds:.3f}")
        for result in shown
    ]
    if rows:
        headers = ("verdict", "recording", "turns", "calls", "checks", "seconds")
        cells = [[str(cell) for cell in row] for row in rows]
        click.echo("\n".join(light_grid(headers, cells, ("turns", "calls", "seconds"), terminal_width())))
        click.echo()
    for result in shown:
        for verdict in result.verdicts:
            if verdict.check == "read":  # where all of it cannot be read, the reason names the file
                reason = verdict.reason or ""
                place = "" if reason.startswith(str(result.path)) else f"{result.path}: "
                click.echo(f"{WORDS[verdict.status]} {place}{reason}")
            elif verdict.status != "pass":
                click.echo(f"{WORDS[verdict.status]} {result.path} [{verdict.check}] {verdict.reason}")
        for warning in result.warnings:
            click.echo(f"warning {result.path}: {warning}", err=True)
    click.echo(_totals(results, seconds))


def _checks(result: Replayed) -> str:
    return " ".join(f"{verdict.check}:{WORDS[verdict.status]}" for verdict in result.verdicts)


def _totals(results: list[Replayed], seconds: float) -> str:
    counts = {status: sum(result.status == status for result in results) for status in WORDS}
    parts = [f"{counts['pass']} passed", f"{counts['fail']} failed"]
    if counts["error"]:
        parts.append(f"{counts['error']} unusable")
    calls = sum(result.calls for result in results)
    amounts = f"{plural(len(results), 'recording')}, {plural(calls, 'call')}"
    return f"{', '.join(parts)} · {amounts} · {seconds:.2f} s, offline"


def _print_json(results: list[Replayed], seconds: float) -> None:
    for result in results:
        line = {
            "path": str(result.path),
            "status": result.status,
            "turns": result.turns,
            "calls": result.calls,
            "verdicts": [
                {"check": verdict.check, "status": verdict.status, "reason": verdict.reason}
                for verdict in result.verdicts
            ],
            "warnings": result.warnings,
            "seconds": round(result.seconds, 6),
        }
        click.echo(dumps(line))
    counts = {status: sum(result.status == status for result in results) for status in WORDS}
    click.echo(dumps({"totals": counts, "seconds": round(seconds, 6)}))
