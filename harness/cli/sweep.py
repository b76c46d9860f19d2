"""`harness sweep`: what holds however a stream ends, is cut up or is damaged."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from harness.errors import HarnessError

if TYPE_CHECKING:
    from harness.sweep.sweep import Swept

EXIT_BROKEN = 1
EXIT_UNUSABLE = 2
_FORMATS = ("text", "markdown", "csv", "json")

T = TypeVar("T")


@click.command(name="sweep")
@click.argument("paths", nargs=-1, required=True)
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of all that is chosen at random.")
@click.option("--every-byte", is_flag=True, help="Cut at every byte, however large a file is.")
@click.option("--sample", type=click.IntRange(1), help="Cut each file at this many bytes, and at every frame border.")
@click.option("--only", type=click.Choice(["adapters", "loop"]), help="Sweep only this part.")
@click.option(
    "--save",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the smallest counter-examples into this folder as raw fixtures.",
)
@click.option("--jobs", "-j", default=1, show_default=True, type=click.IntRange(1), help="Processes at work.")
@click.option("--format", "form", default="text", show_default=True, type=click.Choice(_FORMATS), help="Of the report.")
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the report to this file.")
@click.option("-q", "--quiet", is_flag=True, help="Only files that broke a law or cannot be used, and the totals.")
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    seed: int,
    every_byte: bool,
    sample: int | None,
    only: str | None,
    save: Path | None,
    jobs: int,
    form: str,
    out: Path | None,
    quiet: bool,
) -> None:
    """Cut, re-chunk and damage recorded streams in every way, and hold what comes of it against the laws.

    PATHS are recordings and raw fixtures (*.sse or *.body with an .expect.json beside it), folders or globs. Each
    response is cut at every frame border and every byte, and ends there cleanly, reset, timed out or closed by the
    client; it comes in other chunks; frames are lost, doubled, swapped and damaged; errors come in its place. The
    adapters decode what is left, and the agent loop runs over it. Files with more than 20 KB of responses are cut at
    2,000 bytes chosen by the seed. Exit status: 1 when a law is broken, 2 when a file cannot be used.

    \b
    harness sweep recordings/ fixtures/
    harness sweep session.jsonl --every-byte --only adapters
    harness sweep recordings/ --format markdown --out reports/sweep.md
    """
    if every_byte and sample is not None:
        raise click.UsageError("--every-byte and --sample exclude one another")
    from harness.sweep.plan import Plan
    from harness.sweep.report import FORMATS
    from harness.sweep.streams import find_inputs
    from harness.sweep.sweep import PARTS, sweep_file

    plan = Plan(seed, 0 if every_byte else sample)
    parts = tuple(part for part in PARTS if only in (None, part))
    files = find_inputs(paths)
    results = [*_with_progress(_in_processes(partial(sweep_file, plan=plan, parts=parts), files, jobs), len(files))]
    if not any(swept.fault or swept.tally.cases for swept in results):
        raise HarnessError("there is nothing to sweep: no recording here holds a response of a known wire format")
    if save is not None:
        _save(results, save)
    _write(FORMATS[form](results, seed, quiet=quiet), out)
    broken = any(swept.broken for swept in results)
    unusable = any(swept.fault for swept in results)
    ctx.exit(EXIT_UNUSABLE if unusable else EXIT_BROKEN if broken else 0)


def _in_processes(sweep: Any, files: list[Path], jobs: int) -> Iterator[Swept]:
    if jobs == 1 or len(files) == 1:
        yield from map(sweep, files)
        return
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(min(jobs, len(files)), mp_context=get_context("spawn")) as pool:
        yield from pool.map(sweep, files)


def _with_progress(results: Iterable[T], total: int) -> Iterator[T]:
    """Show a bar on a terminal once a second has gone by."""
    if not sys.stderr.isatty():
        yield from results
        return
    started = time.monotonic()
    bar: Any = None
    for done, result in enumerate(results, 1):
        if bar is None and time.monotonic() - started > 1 and done < total:
            bar = click.progressbar(length=total, label="sweeping", file=sys.stderr).__enter__()
            bar.update(done - 1)
        if bar is not None:
            bar.update(1)
        yield result
    if bar is not None:
        bar.__exit__(None, None, None)


def _save(results: list[Swept], folder: Path) -> None:
    from harness.sweep.save import save
    from harness.sweep.sweep import SAYS

    for swept in results:
        for broken in swept.broken:
            path = save(broken, SAYS[broken.law], folder)
            click.echo(f"harness: counter-example of {broken.law} saved as {path}", err=True)


def _write(report: str, out: Path | None) -> None:
    if out is None:
        click.echo(report, nl=False)
        return
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(report, "utf-8")
    except OSError as error:
        raise HarnessError(f"{out}: cannot be written: {error.strerror}") from None
