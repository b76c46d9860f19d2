"""`harness recover`: what can be read out of a damaged recording."""

from __future__ import annotations

from pathlib import Path

import click

from harness.errors import HarnessError
from harness.replaying.recover import check_whole, recover
from harness.replaying.rewriting import beside, write_file


@click.command(name="recover")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("-o", "--out", type=click.Path(path_type=Path), help="The new file [default: NAME.recovered.jsonl].")
@click.option("--force", is_flag=True, help="Overwrite an existing new file; never the damaged one.")
def command(file: Path, out: Path | None, force: bool) -> None:
    """Take what can be read out of a damaged recording, and write it as a whole one.

    FILE may be torn, hold glued or broken lines, NUL bytes or damaged gzip, and lack its header, the end of a call or
    its own. It stays as it is. What was lost is told line by line; the result is one that strict reading accepts and
    `harness replay` judges. Exit status: 2 when nothing can be read.

    \b
    harness recover crashed.jsonl
    harness recover crashed.jsonl.gz -o session.jsonl
    """
    found = recover(file)
    target = beside(file, "recovered") if out is None else out
    if target.exists() and target.samefile(file):
        raise HarnessError(f"{file}: this is the damaged recording itself; name another file")
    if not found.lost and out is None:
        click.echo(f"{file}: nothing is damaged or missing")
        return
    write_file(target, found.records, check_whole, over=force)
    for line in found.lost:
        click.echo(f"{file}: {line}")
    calls = sum(record["kind"] == "request" for record in found.records)
    click.echo(f"{len(found.records)} records of {calls} call{'' if calls == 1 else 's'} in {target}")
