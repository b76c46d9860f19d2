"""`harness cost`: what recordings cost, by model, day or task, and what they would cost elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from harness.cli.jobs import in_processes, jobs_option, with_progress
from harness.cli.price_options import price_for, price_options
from harness.cli.report_options import Output, deliver, report_options
from harness.cli.saying import say

if TYPE_CHECKING:
    from harness.costs.priced_by import PricedBy
    from harness.costs.report import Costs

EXIT_UNUSABLE = 2
_GROUPS = ("model", "provider", "task", "recording", "day", "call")


def _model(ctx: click.Context, param: click.Parameter, values: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    pairs = [value.partition("/") for value in values]
    for provider, _, model in pairs:
        if not provider or not model:
            raise click.BadParameter("write provider/model, for example openai/gpt-4.1-mini", ctx, param)
    return tuple(dict.fromkeys((provider, model) for provider, _, model in pairs))


@click.command(name="cost")
@click.argument("paths", nargs=-1, required=True)
@click.option("--by", default="model", show_default=True, type=click.Choice(_GROUPS), help="What to sum up by.")
@click.option("--reprice", "on", multiple=True, metavar="MODEL", callback=_model, help="The same tokens on this model.")
@click.option(
    "--at",
    default="recorded",
    show_default=True,
    type=click.Choice(["recorded", "today"]),
    help="Each call at the prices of its own time, or all at those of today.",
)
@price_options
@jobs_option
@report_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    paths: tuple[str, ...],
    by: str,
    on: tuple[tuple[str, str], ...],
    at: str,
    prices: Path | None,
    jobs: int,
    form: str | None,
    out: str | None,
) -> None:
    """Tell what recordings cost: tokens, dollars, what errors cost, what caching saved.

    PATHS are recordings, folders or globs. What has no known price is told as unpriced, never counted as 0. --reprice
    gives the same tokens at the prices of other models. Nothing is fetched: prices come from a file, from
    [tool.harness.prices], and from the table of the installed genai-prices. Exit status: 2 when a recording cannot be
    read; the rest is reported.

    \b
    harness cost recordings/
    harness cost recordings/ --by day --prices prices.toml
    harness cost session.jsonl --reprice openai/gpt-4.1-mini --reprice anthropic/claude-haiku-4-5
    """
    from harness.config import current
    from harness.costs.report import report
    from harness.paths import find_recordings

    now = datetime.now(UTC) if at == "today" else None
    files = find_recordings(paths)
    found = _read(files, by, price_for(prices, current()), on, now, jobs)
    deliver(report(found), Output(form, out), "cost")
    for fault in found.faults:
        say(fault)
    ctx.exit(EXIT_UNUSABLE if found.faults else 0)


def _read(
    files: Sequence[Path],
    by: str,
    priced: PricedBy,
    on: Sequence[tuple[str, str]],
    at: datetime | None,
    jobs: int,
) -> Costs:
    """The sums of the files, added up as they come."""
    from harness.costs.reading import cost_of
    from harness.costs.report import Costs
    from harness.costs.sums import merge

    costs = Costs(by, priced, at, ["/".join(pair) for pair in on])
    read = partial(cost_of, by=by, priced=priced, at=at, on=on)
    for found in with_progress(in_processes(read, files, jobs), len(files), "pricing"):
        if isinstance(found, str):
            costs.faults.append(found)
        else:
            costs.recordings += 1
            merge(costs.groups, found)
    return costs
