"""A table of recordings, a line each; two lines each where a terminal is too narrow for the table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from harness.report.facts import sum_costs
from harness.report.figures import add_usage, cost, known, plural
from harness.report.grid import grid
from harness.report.scan import Row
from harness.report.text import columns, fold, visible_line

HEADERS = ("date (UTC)", "model", "turns", "calls", "tool calls", "tokens in", "out", "cost", "ending", "recording")
NUMBERS = HEADERS[2:8]
"""The columns of figures."""

UNREADABLE = "unreadable"


def listing(rows: Sequence[Row], width: int | None = None) -> list[str]:
    """The lines of the table, and one with the totals. `width`: the columns of a terminal, None without a limit."""
    lines = grid(HEADERS, [cells(row) for row in rows], right=NUMBERS)
    if width is not None and max(map(columns, lines)) > width:
        lines = [line for row in rows for line in _narrow(row, width)]
    return [*lines, "", *fold(summary(rows), width)]


def _narrow(row: Row, width: int) -> list[str]:
    """A recording in few columns: the file with its model, and below it the figures."""
    if row.fault is not None:
        return fold(visible_line(f"{UNREADABLE} {row.fault}"), width)
    date, model, *_, price, ending, path = cells(row)
    counts = [plural(row.turns, "turn"), plural(row.calls, "call"), plural(row.tool_calls, "tool call")]
    tokens = f"in {known(row.usage['input_tokens'])}, out {known(row.usage['output_tokens'])}"
    figures = " · ".join([date, *counts, tokens, price, ending])
    below = fold(visible_line(figures), max(width - 2, 1))
    return [*fold(visible_line(f"{path} · {model}"), width), *(f"  {line}" for line in below)]


def cells(row: Row) -> list[str]:
    """The row of one recording, under `HEADERS`."""
    if row.fault is not None:
        return [*[""] * 8, UNREADABLE, row.fault]
    price = cost(row.cost, unpriced=bool(row.unpriced_turns))
    return [
        (row.started_at or "?")[:16].replace("T", " "),
        _models(row.models),
        *(known(value) for value in (row.turns, row.calls, row.tool_calls)),
        known(row.usage["input_tokens"]),
        known(row.usage["output_tokens"]),
        price,
        row.ending or "?",
        row.path,
    ]


def _models(models: Sequence[str]) -> str:
    return "?" if not models else models[0] + (f" +{len(models) - 1}" if len(models) > 1 else "")


def summary(rows: Sequence[Row]) -> str:
    """The sums in one line."""
    totals = listing_totals(rows)
    usage = totals["usage"]
    parts = [
        plural(totals["recordings"], "recording"),
        plural(totals["calls"], "call"),
        f"tokens in {known(usage['input_tokens'])}, out {known(usage['output_tokens'])}",
        cost(sum_costs([totals["cost_usd"]])[0], unpriced=totals["unpriced_recordings"] > 0),
    ]
    if totals["unreadable"]:
        parts.append(f"{totals['unreadable']:,} unreadable")
    return " · ".join(parts)


def listing_totals(rows: Sequence[Row]) -> dict[str, Any]:
    """The sums of the readable rows. `unpriced_recordings`: those of which not everything has a price."""
    readable = [row for row in rows if row.fault is None]
    amounts = [row.cost for row in readable if row.cost is not None]
    return {
        "recordings": len(readable),
        "unreadable": len(rows) - len(readable),
        "turns": sum(row.turns or 0 for row in readable),
        "calls": sum(row.calls or 0 for row in readable),
        "tool_calls": sum(row.tool_calls or 0 for row in readable),
        "errors": sum(row.errors or 0 for row in readable),
        "usage": add_usage(row.usage for row in readable),
        "cost_usd": f"{sum(amounts):f}" if amounts else None,
        "unpriced_recordings": sum(row.cost is None or bool(row.unpriced_turns) for row in readable),
    }
