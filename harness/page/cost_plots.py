"""The plots of a cost report: dollars and tokens by group, and the what-ifs. From its JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from harness.page.plot import DOLLARS, MOST, TOKENS, UNPRICED, Bar, Bars, Plot, with_rows
from harness.report.figures import cost, known, plural
from harness.report.values import dollars

_PARTS = ("input", "cached input", "written to a cache", "output", "reasoning")


def cost_plots(data: dict[str, Any]) -> list[Plot]:
    """`data`: of `harness cost`."""
    groups, totals = data["groups"], data["totals"]
    by = data["by"]
    left_out = max(len(groups) - MOST, 0)
    shown = groups[:MOST]
    money = [_money(one["group"], one["cost_usd"], one["unpriced"]["calls"]) for one in shown]
    tokens = [_tokens(one["group"], one["usage"]) for one in shown]
    what_if = [_money("as recorded", totals["cost_usd"], totals["unpriced"]["calls"])]
    what_if += [_money(one["model"], one["cost_usd"], one["unpriced"]) for one in totals["what_if"]]
    plots = [
        Bars(f"Cost by {by}", DOLLARS, ("cost",), money, left_out, UNPRICED),
        Bars(f"Tokens by {by}", TOKENS, _PARTS, tokens, left_out, "not reported"),
        Bars("The same tokens on other models", DOLLARS, ("cost",), what_if if len(what_if) > 1 else (), 0, UNPRICED),
    ]
    return with_rows(plots)


def _money(name: str, usd: str | None, unpriced: int) -> Bar:
    if usd is None:
        return Bar(name, f"unpriced ({plural(unpriced, 'call')})", (), more=True)
    rest = f" + {unpriced:,} unpriced" if unpriced else ""
    return Bar(name, f"{cost(dollars(usd))}{rest}", (float(usd),), more=unpriced > 0)


def _tokens(name: str, usage: Mapping[str, int | None]) -> Bar:
    """Input and output, of which what is known to be cached, written to a cache or reasoning is set apart."""
    into, out = usage["input_tokens"], usage["output_tokens"]
    if into is None and out is None:
        return Bar(name, "not reported", (), more=True)
    cached, written = _within(into, (usage["cache_read_tokens"], usage["cache_write_tokens"]))
    (thought,) = _within(out, (usage["reasoning_tokens"],))
    parts = ((into or 0) - cached - written, cached, written, (out or 0) - thought, thought)
    return Bar(name, f"in {known(into)}, out {known(out)}", [*map(float, parts)], more=None in (into, out))


def _within(total: int | None, parts: Sequence[int | None]) -> list[int]:
    """The parts of a total, none of which goes beyond what is left of it; of an unknown one there are none to draw."""
    left = total or 0
    found = []
    for part in parts:
        found.append(min(part or 0, left))
        left -= found[-1]
    return found
