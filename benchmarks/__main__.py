"""`python -m benchmarks`: measure, print, write `benchmarks/results.md`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import click

from benchmarks import table
from benchmarks.race import Result, Setting, measure

GROUPS = ("sse", "events", "recording", "replaying", "evaluating", "starting")
"""Modules of this package, each with `ROWS` and `contestants(setting)`."""

_QUICK = Setting(rounds=1, scale=200)
_RESULTS = Path(__file__).parent / "results.md"


def _apart(group: str, setting: Setting) -> list[Result]:
    """The results of one group, from a process of its own: what groups leave in memory slows down the next."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(measure, group, setting).result()


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"{', '.join(GROUPS)} [default: all]")
    parser.add_argument("--rounds", type=int, default=15, help="interleaved repeats [default: 15]")
    parser.add_argument("--quick", action="store_true", help="small data, one round: whether all of it runs")
    parser.add_argument("--out", type=Path, help=f"the markdown page [default: {_RESULTS.name} when all is measured]")
    options = parser.parse_args(arguments)
    unknown = [group for group in options.groups if group not in GROUPS]
    if unknown:
        parser.error(f"no group is named {unknown[0]}: choose from {', '.join(GROUPS)}")
    setting = _QUICK if options.quick else Setting(rounds=options.rounds)
    results: list[Result] = []
    for group in options.groups or GROUPS:
        click.echo(f"measuring {group} ...", err=True)
        results += _apart(group, setting)
    click.echo(table.text(results))
    out = options.out or (None if options.quick or options.groups else _RESULTS)
    if out is not None:
        out.write_text(table.markdown(results, setting.rounds), "utf-8")
        click.echo(f"written to {out}", err=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
