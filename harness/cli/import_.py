"""`harness import`: recordings made of the files of other tools."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click

from harness.cli.saying import say
from harness.config import current
from harness.errors import HarnessError
from harness.files import walked
from harness.formats import import_format, import_names
from harness.formats.exchange import write_recording

EXIT_UNUSABLE = 2


@click.command(name="import")
@click.argument("format_name", metavar="FORMAT", type=click.Choice(import_names()))
@click.argument("paths", nargs=-1, required=True)
@click.option("--out", "-o", type=click.Path(path_type=Path), help="A folder, or the recording of one file.")
@click.option("--force", is_flag=True, help="Overwrite recordings that exist.")
@click.pass_context
def command(ctx: click.Context, /, format_name: str, paths: tuple[str, ...], out: Path | None, force: bool) -> None:
    """Make recordings of the files of other tools.

    FORMAT is vcr: cassettes of vcrpy and pytest-recording. PATHS are files or folders. The recordings of
    tests/cassettes/ go to tests/recordings/, where the pytest plugin looks for them; others stay beside their files.
    Keys are replaced as in any recording. Exit status: 2 when a file cannot be imported.

    \b
    harness import vcr tests/cassettes/
    harness import vcr old.yaml -o new.jsonl
    """
    module = import_format(format_name)
    redactor = current().redactor()
    files = list(_files(module, paths))
    if not files:
        raise HarnessError(f"{', '.join(paths)}: no {format_name} file in there ({', '.join(module.SUFFIXES)})")
    if out is not None and out.suffix == ".jsonl" and len(files) > 1:
        raise HarnessError(f"--out {out}: {len(files)} files cannot become one recording; name a folder")
    failed = 0
    for path, inside in files:
        recording = _target(module, path, inside, out)
        try:
            exchanges = module.read(path)
            write_recording(
                recording, exchanges, source=f"import:{format_name}", task=path.stem, redactor=redactor, force=force
            )
        except HarnessError as error:
            say(str(error))
            failed += 1
            continue
        click.echo(f"{path} -> {recording}: {len(exchanges)} call{'' if len(exchanges) == 1 else 's'}")
    ctx.exit(EXIT_UNUSABLE if failed else 0)


def _files(module: Any, paths: tuple[str, ...]) -> Iterator[tuple[Path, Path]]:
    """The files, each with its path inside the folder that was named."""
    for text in paths:
        path = Path(text)
        if path.is_dir():
            for file in sorted(Path(root, name) for root, _, names in walked(path) for name in names):
                if file.suffix in module.SUFFIXES and file.is_file() and module.is_one(file):
                    yield file, file.relative_to(path)
        elif path.exists():
            yield path, Path(path.name)
        else:
            raise HarnessError(f"{path}: there is no such file or folder")


def _target(module: Any, path: Path, inside: Path, out: Path | None) -> Path:
    if out is None:
        target: Path = module.target(path)
        return target
    return out if out.suffix == ".jsonl" else out / inside.with_name(f"{inside.name.removesuffix(inside.suffix)}.jsonl")
