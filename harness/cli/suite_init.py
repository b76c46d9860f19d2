"""`harness suite init`: a first suite from recordings."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from harness.cli.jobs import with_progress
from harness.cli.price_options import price_for, price_options
from harness.cli.report_options import write
from harness.cli.saying import say
from harness.config import current
from harness.errors import HarnessError
from harness.paths import find_recordings, without_suffix
from harness.report.figures import plural
from harness.suites.case import SUFFIX


@click.command(name="init")
@click.argument("paths", nargs=-1, required=True, metavar="RECORDINGS...")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="The suite file, *.suite.toml.  [default: named after the folder of the recordings, in it]",
)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@price_options
def command(paths: tuple[str, ...], out: Path | None, force: bool, prices: Path | None) -> None:
    """Write a first suite from what recordings show: tool calls, final words, stop reason, errors, budgets, requests.

    RECORDINGS are files, folders or globs; those of one task make one case. All checks pass at once; what would not is
    left out and said, and so are recordings that cannot be read whole. It is a beginning: loosen what may change, and
    add what must hold.

    \b
    harness suite init recordings/ --out recordings/garden.suite.toml
    harness suite init session.jsonl
    """
    from harness.suites.init import first_suite

    files = find_recordings(paths)
    out = out or _beside(files)
    if not out.name.endswith(SUFFIX):
        raise HarnessError(f"{out}: a suite's name ends in {SUFFIX}: try --out {out.with_suffix('')}{SUFFIX}")
    if out.exists() and not force:
        raise HarnessError(f"{out}: it exists; --force overwrites it")
    watch = partial(with_progress, label="judging")
    suite = first_suite(files, out, price_for(prices, current()), watch=watch)
    write(out, suite.text)
    for line in suite.left_out:
        say(line)
    click.echo(f"{out}: {plural(suite.cases, 'case')}; try `harness suite run {shlex.quote(str(out))}`")


def _beside(files: Sequence[Path]) -> Path:
    """In the folder of the recordings, named after it; beside a single one, named after that."""
    if len(files) == 1:
        return files[0].with_name(without_suffix(files[0].name) + SUFFIX)
    folder = Path(os.path.commonpath([os.path.abspath(file.parent) for file in files]))
    shown = Path(os.path.relpath(folder))
    return shown / f"{folder.name or 'recordings'}{SUFFIX}"
