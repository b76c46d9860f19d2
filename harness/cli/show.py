"""`harness show`: what a recording, or a folder of them, holds."""

from __future__ import annotations

import io
import os
import shutil
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from agent.jsonio import dumps
from harness.errors import HarnessError
from harness.paths import find_recordings
from harness.recording.opening import Recording
from harness.recording.opening import open as open_recording
from harness.report.page import Style

if TYPE_CHECKING:
    from harness.report.scan import Row

FORMATS = ("text", "json", "html")
_SUFFIXES = {".json": "json", ".html": "html", ".htm": "html"}

EXIT_UNUSABLE = 2
WIDTH = 100
"""Columns where the output is no terminal."""


@click.command(name="show")
@click.argument("paths", nargs=-1, required=True, type=click.Path(readable=False))
@click.option("--frames", is_flag=True, help="Every frame: time, size, where network chunks ended, bytes.")
@click.option("--events", is_flag=True, help="Every normalized event, with the frame it came from.")
@click.option("--call", type=click.IntRange(0), help="Only this call.")
@click.option("--full", is_flag=True, help="Shorten, fold and leave out nothing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="html: one page that opens offline, down to every frame.  [default: as the name of --out says, else text]",
)
@click.option("--json", "form", flag_value="json", help="The same as --format json; docs/show.md describes the fields.")
@click.option("--out", metavar="FILE", help="Write it to this file.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    frames: bool,
    events: bool,
    call: int | None,
    full: bool,
    form: str | None,
    out: str | None,
) -> None:
    """Show what a recording holds, or a table of many.

    One file gives a readable account of its turns, calls, tool results, endings, tokens and cost. A folder, a glob or
    several files give a table, a line each; as html each recording stands below the table too. Exit status: 2 when a
    file cannot be read.

    \b
    harness show recordings/answer.jsonl
    harness show recordings/answer.jsonl --call 0 --frames
    harness show recordings/answer.jsonl --out answer.html
    harness show recordings/
    """
    form = form or _SUFFIXES.get(Path(out or "").suffix.lower(), "text")
    files = find_recordings(paths)
    outlet = _Outlet(out)
    if len(paths) == 1 and files == [Path(paths[0])]:
        recording = open_recording(files[0])
        _check_call(recording, call)
        style = _style(full, to_file=out is not None)
        outlet.write(_one(recording, form, style, frames=frames, events=events, only=call))
        return
    for name, given in (("--frames", frames), ("--events", events), ("--call", call is not None)):
        if given:
            raise HarnessError(f"{name} shows a single recording: name one file")
    from harness.report.scan import scan

    rows = [scan(file) for file in files]
    outlet.write(_many(rows, form, _style(full, to_file=out is not None), sys.stdout.isatty() and out is None))
    ctx.exit(EXIT_UNUSABLE if any(row.fault is not None for row in rows) else 0)


def _one(
    recording: Recording, form: str, style: Style, *, frames: bool, events: bool, only: int | None
) -> Iterable[str]:
    if form == "json":
        from harness.report.data import recording_data

        return [dumps(recording_data(recording, frames=frames, events=events, only=only)).decode()]
    if form == "html":
        from harness.page.trajectory_index import recording_page

        return [recording_page(recording, _version(), full=style.full, only=only).rstrip("\n")]
    from harness.report.account import account

    return account(recording, style, frames=frames, events=events, only=only)


def _many(rows: Sequence[Row], form: str, style: Style, terminal: bool) -> Iterable[str]:
    from harness.report.listing import listing, listing_totals

    if form == "json":
        return (dumps(line).decode() for line in (*(row.to_dict() for row in rows), {"totals": listing_totals(rows)}))
    if form == "html":
        from harness.page.trajectory_index import recordings_page

        return [recordings_page(rows, _version(), full=style.full).rstrip("\n")]
    return listing(rows, style.width if terminal and not style.full else None)


def _version() -> str:
    from importlib.metadata import version

    from harness.report.rendering import NAME

    return version(NAME)


def _check_call(recording: Recording, call: int | None) -> None:
    numbers = [found.number for found in recording.calls]
    if call is not None and call not in numbers:
        held = f"its calls are {min(numbers)} to {max(numbers)}" if numbers else "it has no calls"
        raise HarnessError(f"{recording.path}: there is no call {call}; {held}")


def _style(full: bool, *, to_file: bool) -> Style:
    terminal = sys.stdout.isatty() and not to_file
    width = shutil.get_terminal_size((WIDTH, 24)).columns if terminal else WIDTH
    return Style(width, full, colour=terminal and not os.environ.get("NO_COLOR"))


class _Outlet:
    """Where it goes: to the standard output, or into a file. Raises `HarnessError` for one that would take the place of
    a recording."""

    def __init__(self, out: str | None) -> None:
        self._path = None if out is None else Path(out)
        if self._path is not None:
            from harness.cli.report_options import refuse_input

            refuse_input(self._path, "show.html")
        else:
            _accept_any_text()

    def write(self, lines: Iterable[str]) -> None:
        if self._path is not None:
            from harness.cli.report_options import write

            write(self._path, "".join(f"{line}\n" for line in lines))
            return
        for line in lines:
            sys.stdout.write(f"{line}\n")


def _accept_any_text() -> None:
    """Let characters that the output cannot encode (another locale) be written as escapes."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
