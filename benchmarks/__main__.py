"""`python -m benchmarks`: measure, print, write `benchmarks/results.md`."""

from __future__ import annotations

import argparse
import gc
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from benchmarks import table
from benchmarks.race import Result, Setting, judge

GROUPS = ("sse", "events", "recording", "replaying", "evaluating", "starting")
"""Modules of this package, each with `ROWS` and `contestants(setting)`."""

_QUICK = Setting(rounds=1, scale=200)
_RESULTS = Path(__file__).parent / "results.md"


def measure(group: str, setting: Setting) -> list[Result]:
    """The results of one group."""
    module = import_module(f"benchmarks.{group}")
    race = module.contestants(setting)
    gc.collect()
    gc.freeze()  # what the peers have loaded must not slow down anyone's garbage collection
    try:
        costs = race.run(setting.rounds)
    finally:
        gc.unfreeze()
        race.close()
    return [judge(row, race, costs) for row in module.ROWS]


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
        results += measure(group, setting)
    click.echo(table.text(results))
    out = options.out or (None if options.quick or options.groups else _RESULTS)
    if out is not None:
        out.write_text(table.markdown(results, setting.rounds), "utf-8")
        click.echo(f"written to {out}", err=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
