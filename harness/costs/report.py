"""A cost report: a table of sums, what-ifs, and what is to be said about them. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from harness.costs.figures import money, money_cell, not_priced, percent, signed, sums_data, written_5m
from harness.costs.priced_by import PricedBy
from harness.costs.sums import Sums, in_order, whole
from harness.report.figures import TOKENS, cost, known, plural
from harness.report.report import Block, Details, Heading, Report, Table

_COUNTS = ("calls", "errors", "cost", "of errors", "cache saved")
_TOKEN_COLUMNS = ("input", "cached", "written 5m", "written 1h", "output", "reasoning")
_NOTHING = frozenset({"", "?"})


@dataclass(slots=True)
class Costs:
    """What a report is made of. `at`: the time of all prices, None where each call has its own. `on`: the models of
    the what-ifs, `provider/model`. `recordings`: those that were read; `faults`: why the others were not."""

    by: str
    priced: PricedBy
    at: datetime | None = None
    on: Sequence[str] = ()
    groups: dict[str, Sums] = field(default_factory=dict)
    recordings: int = 0
    faults: list[str] = field(default_factory=list)


def report(costs: Costs) -> Report:
    groups, totals = in_order(costs.by, costs.groups), whole(costs.groups)
    shown = [*groups, ("total", totals)]
    blocks: list[Block] = [
        Heading(f"Cost by {costs.by}"),
        _summary(costs, totals),
        _table("Calls and dollars", costs.by, _COUNTS, [(name, _counts(sums)) for name, sums in shown]),
        _table("Tokens", costs.by, _TOKEN_COLUMNS, [(name, _tokens(sums)) for name, sums in shown]),
    ]
    if costs.on:
        blocks += [Heading("The same tokens on other models"), _what_ifs(costs.on, totals)]
    blocks += [*_notes(costs, totals), _prices(costs, totals)]
    if costs.faults:
        blocks.append(Details(f"{plural(len(costs.faults), 'recording')} could not be read", costs.faults))
    headers, rows = _flat(costs, groups)
    return Report(blocks, _data(costs, groups, totals), headers, rows)


def _summary(costs: Costs, totals: Sums) -> str:
    size = f"{plural(costs.recordings, 'recording')}, {plural(totals.calls, 'call')}"
    share = ""
    if totals.cost.unpriced:
        of_calls, of_tokens = (
            percent(totals.cost.unpriced, totals.calls),
            percent(totals.unpriced_tokens, totals.tokens),
        )
        share = f" ({of_calls} of the calls, {of_tokens} of the tokens)"
    return f"{size}: {money(totals.cost)}{share}, {_when(costs.at)}."


def _when(at: datetime | None) -> str:
    return "each call at the prices of its time" if at is None else f"at the prices of {_utc(at):%Y-%m-%d %H:%M} UTC"


def _utc(at: datetime) -> datetime:
    return at.astimezone(UTC)


def _table(title: str, by: str, columns: Sequence[str], rows: Sequence[tuple[str, list[str]]]) -> Table:
    """The columns in which something is known. Dollars and tokens are two tables: as one they are too wide to read."""
    kept = [at for at in range(len(columns)) if any(cells[at] not in _NOTHING for _, cells in rows)]
    shown = [columns[at] for at in kept]
    kept_rows = [[name, *(cells[at] for at in kept)] for name, cells in rows] if shown else []
    return Table((by, *shown), kept_rows, shown, title, total=True)


def _tokens(sums: Sums) -> list[str]:
    usage = sums.usage
    written = (written_5m(sums), usage["cache_write_1h_tokens"])
    cells = (usage["input_tokens"], usage["cache_read_tokens"], *written, usage["output_tokens"])
    return [*map(known, cells), known(usage["reasoning_tokens"])]


def _counts(sums: Sums) -> list[str]:
    return [
        known(sums.calls),
        known(sums.failed_calls),
        money_cell(sums.cost),
        money_cell(sums.failed) if sums.failed_calls else "",
        signed(sums.uncached - sums.cached) if sums.cost.priced else "",
    ]


def _what_ifs(on: Sequence[str], totals: Sums) -> Table:
    """A row for each model. The difference is that of the calls which have a price on both."""
    headers = ("model", "cost", "difference", "in percent", "calls compared")
    rows = [["as recorded", money(totals.cost), "", "", ""]]
    for model, one in zip(on, totals.on, strict=False):
        difference = one.usd - one.was_usd
        rows.append([
            model,
            money(one.cost),
            signed(difference) if one.calls else "?",
            percent(difference, one.was_usd) if one.calls else "?",
            f"{one.calls:,} of {totals.calls:,}",
        ])  # fmt: skip
    return Table(headers, rows, right=headers[1:], title="What they would cost")


def _notes(costs: Costs, totals: Sums) -> list[Block]:
    notes: list[Block] = []
    if totals.cost.unpriced:
        models = sorted(totals.no_price.items(), key=lambda item: (-item[1], item[0]))
        head = f"Unpriced: {plural(totals.cost.unpriced, 'call')}, {plural(totals.unpriced_tokens, 'token')}"
        if totals.without_usage:
            head += f"; {plural(totals.without_usage, 'call')} reported no tokens, so theirs are not among these"
        notes.append(Details(head, [f"{name}: {plural(calls, 'call')}" for name, calls in models]))
    if totals.tools:
        notes.append(Details(not_priced(totals.tools)))
    if totals.failed_calls:
        lines = [f"Errors: {plural(totals.failed_calls, 'call')} failed: {money(totals.failed)}"]
        if totals.retry_calls:
            retries = plural(totals.retry_calls, "call")
            lines.append(f"{retries} tried a failed one again: {money(totals.retries)}")
        notes.append(Details("; ".join(lines)))
    if totals.cost.priced:
        notes.append(Details(_caching(totals)))
    if totals.exceeding:
        where = "whose cached tokens are more than the input that they are part of: the rest is counted as 0"
        notes.append(Details(f"Contradiction: {plural(totals.exceeding, 'call')} {where}"))
    if totals.undated:
        how = "the prices of today, and of no time of day," if costs.at is None else "the same prices"
        notes.append(Details(f"No time: {plural(totals.undated, 'call')} of recordings without a date have {how} too"))
    if costs.by != "model":
        notes.append(Details(f"Models: {', '.join(sorted(totals.models)) or 'none'}"))
    return notes


def _caching(totals: Sums) -> str:
    saved = totals.uncached - totals.cached
    share = f", {percent(abs(saved), totals.uncached)} of" if totals.uncached else " of"
    what = "saved" if saved >= 0 else "cost in addition"
    return f"Caching {what} {cost(abs(saved))}{share} the {cost(totals.uncached)} that the priced calls cost without it"


def _prices(costs: Costs, totals: Sums) -> Details:
    sources = costs.priced.sources()
    lines = [f"{source}: {plural(totals.sources[number], 'call')}" for number, source in enumerate(sources)]
    if costs.priced.exclusive:
        lines.append("the file is exclusive: no other prices were asked for")
    return Details("Prices, in dollars per million tokens, looked up in this order", lines)


def _data(costs: Costs, groups: list[tuple[str, Sums]], totals: Sums) -> dict[str, Any]:
    on = [*costs.on]
    return {
        "by": costs.by,
        "at": "recorded" if costs.at is None else f"{_utc(costs.at):%Y-%m-%dT%H:%M:%SZ}",
        "prices": [
            {
                "kind": source.kind,
                "name": source.name,
                "version": source.version,
                "date": source.date,
                "calls": totals.sources[number],
            }
            for number, source in enumerate(costs.priced.sources())
        ],
        "recordings": costs.recordings,
        "unreadable": costs.faults,
        "groups": [{"group": name, **sums_data(sums, on)} for name, sums in groups],
        "totals": {
            **sums_data(totals, on),
            "models": dict(sorted(totals.models.items())),
            "no_price": dict(sorted(totals.no_price.items())),
        },
    }


def _flat(costs: Costs, groups: list[tuple[str, Sums]]) -> tuple[list[str], list[list[object]]]:
    """The CSV: a row for each group, no totals. Unknown is empty."""
    headers = [
        costs.by, "calls", *TOKENS, "cost_usd", "unpriced_calls", "unpriced_tokens", "error_calls", "error_cost_usd",
        "retry_calls", "retry_cost_usd", "without_cache_usd", "saved_by_caching_usd", "exceeding_input",
        "provider_tools",
        *(f"{model} {what}" for model in costs.on for what in ("cost_usd", "unpriced_calls")),
    ]  # fmt: skip
    rows: list[list[object]] = []
    for name, sums in groups:
        data = sums_data(sums, [*costs.on])
        rows.append([
            name, sums.calls, *(sums.usage[token] for token in TOKENS), data["cost_usd"], sums.cost.unpriced,
            sums.unpriced_tokens, sums.failed_calls, data["errors"]["cost_usd"], sums.retry_calls,
            data["retries"]["cost_usd"], data["without_cache_usd"], data["saved_by_caching_usd"], sums.exceeding,
            " ".join(f"{tool}={number}" for tool, number in sorted(sums.tools.items())),
            *(value for one in data["what_if"] for value in (one["cost_usd"], one["unpriced"])),
        ])  # fmt: skip
    return headers, rows
