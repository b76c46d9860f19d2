"""The plots of a run of suites: checks by case, budgets used, and what the recordings took. From its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from harness.page.plot import DOLLARS, MOST, SECONDS, TOKENS, UNPRICED, Axis, Bar, Bars, Plot, with_rows
from harness.report.figures import cost, known, seconds
from harness.report.values import dollars

LARGEST = 12
"""The recordings of a plot, those that took most."""


def suite_plots(data: dict[str, Any]) -> list[Plot]:
    """`data`: of `harness suite run`."""
    results = [(suite["name"], result) for suite in data["suites"] for result in suite["results"]]
    return with_rows(
        [
            _checks(results, len(data["suites"]) > 1),
            _budgets(results),
            _cost(results),
            _tokens(results),
            _time(results),
        ]
    )


Results = list[tuple[str, dict[str, Any]]]


def _checks(results: Results, several: bool) -> Bars:
    """Those cases first that did not pass."""
    cases: dict[str, list[dict[str, Any]]] = {}
    for suite, result in results:
        cases.setdefault(f"{suite}: {result['case']}" if several else result["case"], []).append(result)
    bars = []
    for name, found in sorted(cases.items(), key=lambda item: all(one["status"] == "pass" for one in item[1])):
        passed = sum(one["status"] == "pass" for one in found)
        statuses = [verdict["status"] for one in found for verdict in one["verdicts"]]
        parts = [float(statuses.count(status)) for status in ("pass", "fail", "error")]
        bars.append(Bar(name, f"{passed} of {len(found)} passed", parts))
    series = ("passed", "failed", "could not be made")
    return Bars("Checks by case", Axis("checks"), series, bars[:MOST], max(len(bars) - MOST, 0), tones=_TONES)


_TONES = ("good", "bad", "warn")


def _budgets(results: Results) -> Bars:
    """What was taken of each limit, those first that are nearest to it; of a limit of 0 there is no share."""
    found = []
    for _, one in results:
        for budget in (budget for verdict in one["verdicts"] for budget in verdict.get("budgets", ())):
            spent, limit = Decimal(budget["spent"]), Decimal(budget["limit"])
            if limit:
                share = float(100 * spent / limit)
                says = f"{'over ' if budget['more'] else ''}{spent:f} of {limit:f}: {share:.0f}%"
                name = f"{budget['name']}: {one['recording']}"
                found.append(Bar(name, says, (min(share, 100.0), max(share - 100, 0.0)), more=budget["more"]))
    found.sort(key=lambda bar: -sum(bar.parts))
    series, axis = ("within", "beyond the limit"), Axis("of the limit", after="%")
    left_out = max(len(found) - LARGEST, 0)
    return Bars("Budgets used", axis, series, found[:LARGEST], left_out, "what is not known", ("c1", "bad"))


def _cost(results: Results) -> Bars:
    bars = []
    for _, one in results:
        usd, unpriced = one["cost_usd"], one["unpriced_calls"]
        if usd is not None or unpriced:
            says = cost(dollars(usd), unpriced=bool(usd is not None and unpriced))
            bars.append(Bar(one["recording"], says, () if usd is None else (float(usd),), more=bool(unpriced)))
    return _cut("Cost by recording", DOLLARS, ("cost",), bars, UNPRICED)


def _tokens(results: Results) -> Bars:
    bars = []
    for _, one in results:
        counts = [one["usage"]["input_tokens"], one["usage"]["output_tokens"]]
        says = "in {}, out {}".format(*map(known, counts))
        parts = () if counts == [None, None] else [float(count or 0) for count in counts]
        bars.append(Bar(one["recording"], says if parts else "not reported", parts, more=None in counts))
    return _cut("Tokens by recording", TOKENS, ("input", "output"), bars, "not reported")


def _time(results: Results) -> Bars:
    found = [(one["recording"], one["seconds"]) for _, one in results]
    bars = [Bar(name, seconds(time), () if time is None else (float(time),)) for name, time in found]
    return _cut("Recorded time by recording", SECONDS, ("time",), bars, "")


def _cut(title: str, axis: Axis, series: Sequence[str], bars: Sequence[Bar], more: str) -> Bars:
    """The largest; a recording that several cases judge is shown once."""
    once = [*{bar.name: bar for bar in bars}.values()]
    once.sort(key=lambda bar: -sum(bar.parts))
    return Bars(title, axis, series, once[:LARGEST], max(len(once) - LARGEST, 0), more)
