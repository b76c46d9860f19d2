"""`harness sweep`: what holds however a stream ends, is cut up or is damaged."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.jobs import in_processes, jobs_option, with_progress
from harness.cli.report_options import Output, deliver, report_options
from harness.cli.saying import say
from harness.errors import HarnessError

if TYPE_CHECKING:
    from harness.sweep.sweep import Swept

EXIT_BROKEN = 1
EXIT_UNUSABLE = 2


@click.command(name="sweep")
@click.argument("paths", nargs=-1, required=True)
@click.option("--seed", default=0, show_default=True, type=int, help="Seed of all that is chosen at random.")
@click.option("--every-byte", is_flag=True, help="Cut at every byte, however large a file is.")
@click.option("--sample", type=click.IntRange(1), help="Cut each file at this many bytes, and at every frame border.")
@click.option("--only", type=click.Choice(["adapters", "loop", "sdk"]), help="Sweep only this part.")
@click.option("--sdk", is_flag=True, help="Read the streams with the official SDKs too, where these are installed.")
@click.option(
    "--save",
    type=click.Path(path_type=Path, file_okay=False),
    help="Write the smallest counter-examples into this folder as raw fixtures.",
)
@jobs_option
@report_options
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
    sdk: bool,
    save: Path | None,
    jobs: int,
    form: str | None,
    out: str | None,
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
    harness sweep recordings/ --out reports/sweep.md
    """
    if every_byte and sample is not None:
        raise click.UsageError("--every-byte and --sample exclude one another")
    if sdk and only not in (None, "sdk"):
        raise click.UsageError(f"--sdk and --only {only} exclude one another")
    from harness.sweep.plan import Plan
    from harness.sweep.report import report
    from harness.sweep.streams import find_inputs
    from harness.sweep.sweep import PARTS, sweep_file

    plan = Plan(seed, 0 if every_byte else sample)
    parts: Any = (*PARTS, *(["sdk"] if sdk else [])) if only is None else (only,)
    if "sdk" in parts:
        _check_sdks()
    files = find_inputs(paths)
    swept_files = in_processes(partial(sweep_file, plan=plan, parts=parts), files, jobs)
    results = [*with_progress(swept_files, len(files), "sweeping")]
    if not any(swept.fault or swept.tally.cases for swept in results):
        raise HarnessError("there is nothing to sweep: no recording here holds a response of a known wire format")
    if save is not None:
        _save(results, save)
    deliver(report(results, seed, quiet=quiet), Output(form, out), "sweep")
    broken = any(swept.broken for swept in results)
    unusable = any(swept.fault for swept in results)
    ctx.exit(EXIT_UNUSABLE if unusable else EXIT_BROKEN if broken else 0)


def _check_sdks() -> None:
    from harness.sweep.sdk import PACKAGES, missing

    packages = dict.fromkeys(package for _, package in PACKAGES.values())
    if all(missing(wire) for wire in PACKAGES):
        raise HarnessError(f"no official SDK is installed: pip install {' '.join(packages)}")


def _save(results: list[Swept], folder: Path) -> None:
    from harness.sweep.save import save
    from harness.sweep.sweep import SAYS

    for swept in results:
        for broken in swept.broken:
            path = save(broken, SAYS[broken.law], folder)
            say(f"counter-example of {broken.law} saved as {path}")
