"""`harness show`: what a recording, or a folder of them, holds."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from agent.jsonio import dumps
from harness.errors import HarnessError
from harness.paths import find_recordings
from harness.recording.opening import Recording
from harness.recording.opening import open as open_recording
from harness.report.page import Style

EXIT_UNUSABLE = 2
WIDTH = 100
"""Columns where the output is no terminal."""


@click.command(name="show")
@click.argument("paths", nargs=-1, required=True, type=click.Path(readable=False))
@click.option("--frames", is_flag=True, help="Every frame: time, size, where network chunks ended, bytes.")
@click.option("--events", is_flag=True, help="Every normalized event, with the frame it came from.")
@click.option("--call", type=click.IntRange(0), help="Only this call.")
@click.option("--full", is_flag=True, help="Shorten and fold nothing.")
@click.option("--json", "as_json", is_flag=True, help="For programs; docs/show.md describes the fields.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    frames: bool,
    events: bool,
    call: int | None,
    full: bool,
    as_json: bool,
) -> None:
    """Show what a recording holds, or a table of many.

    One file gives a readable account of its turns, calls, tool results, endings, tokens and cost. A folder, a glob or
    several files give a table, a line each. Exit status: 2 when a file cannot be read.

    \b
    harness show recordings/answer.jsonl
    harness show recordings/answer.jsonl --call 0 --frames
    harness show recordings/
    """
    files = find_recordings(paths)
    _accept_any_text()
    if len(paths) == 1 and files == [Path(paths[0])]:
        recording = open_recording(files[0])
        _check_call(recording, call)
        if as_json:
            from harness.report.data import recording_data

            data = recording_data(recording, frames=frames, events=events, only=call)
            _echo([dumps(data).decode()])
        else:
            from harness.report.account import account

            _echo(account(recording, _style(full), frames=frames, events=events, only=call))
        return
    for name, given in (("--frames", frames), ("--events", events), ("--call", call is not None)):
        if given:
            raise HarnessError(f"{name} shows a single recording: name one file")
    ctx.exit(_list(files, as_json))


def _check_call(recording: Recording, call: int | None) -> None:
    numbers = [found.number for found in recording.calls]
    if call is not None and call not in numbers:
        held = f"its calls are {min(numbers)} to {max(numbers)}" if numbers else "it has no calls"
        raise HarnessError(f"{recording.path}: there is no call {call}; {held}")


def _style(full: bool) -> Style:
    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size((WIDTH, 24)).columns if terminal else WIDTH
    return Style(width, full, colour=terminal and not os.environ.get("NO_COLOR"))


def _list(files: list[Path], as_json: bool) -> int:
    from harness.report.listing import listing, listing_totals
    from harness.report.scan import scan

    rows = [scan(file) for file in files]
    if as_json:
        _echo(dumps(line).decode() for line in (*(row.to_dict() for row in rows), {"totals": listing_totals(rows)}))
    else:
        _echo(listing(rows))
    return EXIT_UNUSABLE if any(row.fault is not None for row in rows) else 0


def _echo(lines: Iterable[str]) -> None:
    for line in lines:
        sys.stdout.write(f"{line}\n")


def _accept_any_text() -> None:
    """Let characters that the output cannot encode (another locale) be written as escapes."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
