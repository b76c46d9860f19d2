"""`harness scrub`: secrets out of recordings that are written already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from harness.cli.saying import say
from harness.cli.secret_options import make_finder, make_foreign, secret_options
from harness.errors import HarnessError
from harness.redaction.scrub import check_clean, scrub
from harness.replaying.rewriting import beside, write_file

EXIT_UNUSABLE = 2


@click.command(name="scrub")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), help="The new file; of several files, the folder for them.")
@click.option("--in-place", is_flag=True, help="Replace the recording itself.")
@click.option("--force", is_flag=True, help="Overwrite an existing new file.")
@secret_options
@click.pass_context
def command(
    ctx: click.Context, /, files: tuple[Path, ...], out: Path | None, in_place: bool, force: bool,
    kingfisher: bool | None, **what: Any,
) -> None:  # fmt: skip
    """Remove from recordings the secrets that `harness scan` finds.

    Equal secrets become equal placeholders; the recording stays valid and replays as before. The result is written
    beside FILE as NAME.scrubbed.jsonl, and takes its place only with --in-place. Where there is nothing to remove, a
    file is written for --out only. Exit status: 2 when a recording cannot be read or cleaned.

    \b
    harness scrub run.jsonl
    harness scrub recordings/*.jsonl --in-place --env MY_TOKEN
    """
    if in_place and out is not None:
        raise click.UsageError("--out and --in-place exclude each other")
    finder = make_finder(**what)
    foreign = make_foreign(kingfisher)
    folder = out is not None and (len(files) > 1 or out.is_dir())
    failed = False
    for path in files:
        target = path if in_place else beside(path, "scrubbed") if out is None else out / path.name if folder else out
        try:
            if not in_place and target.exists() and target.samefile(path):
                raise HarnessError(f"{path}: --out names the recording itself; pass --in-place to replace it")
            found = scrub(path, finder, foreign)
            if found.changed or (out is not None and not in_place):
                write_file(
                    target, found.records, lambda file: check_clean(file, finder, foreign), over=in_place or force
                )
        except HarnessError as error:
            failed = True
            say(_named(path, error))
            continue
        click.echo(_line(path, target, found.secrets, found.changed))
    ctx.exit(EXIT_UNUSABLE if failed else 0)


def _named(path: Path, error: HarnessError) -> str:
    message = str(error)
    return message if str(path) in message else f"{path}: {message}"


def _line(path: Path, target: Path, secrets: int, changed: int) -> str:
    if not changed:
        return f"{path}: nothing to remove"
    where = "in place" if target == path else f"in {target}"
    secret = "1 secret" if secrets == 1 else f"{secrets} secrets"
    return f"{path}: {secret} removed from {changed} record{'' if changed == 1 else 's'}, {where}"
