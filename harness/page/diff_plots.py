"""The plots of a comparison: success with intervals, paired differences, and what the runs took. From its JSON."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from harness.diff.evidence import LABELS, interval_text, percent
from harness.diff.run_report import rate
from harness.page.plot import DOLLARS, MOST, SECONDS, TOKENS, UNPRICED, Axis, Bar, Bars, Dot, Dots, Plot, with_rows
from harness.report.figures import cost, known, seconds
from harness.report.values import dollars
from harness.statistics.intervals import Interval


def comparison_plots(data: dict[str, Any]) -> list[Plot]:
    """`data`: of `harness diff`, of either kind."""
    return _of_runs(data) if data["kind"] == "runs" else _of_tasks(data)


def _of_tasks(data: dict[str, Any]) -> list[Plot]:
    contenders = data["contenders"]
    plots: list[Plot] = [_success(contenders)]
    if data["comparisons"]:
        plots.append(_success_differences(data["comparisons"]))
        plots += [_changes(one) for one in data["comparisons"]]
    means = [{"name": one["name"], "told": _told(one), **one["means"]} for one in contenders]
    plots += _taken(means, "a run, on average")
    plots.append(_by_task(data))
    return with_rows(plots)


def _told(one: dict[str, Any]) -> dict[str, str]:
    """By figure, of how many runs a mean is where some do not tell."""
    found = one["found"]
    return {name: f" ({found - unknown} of {found})" for name, unknown in one["unknown"].items() if 0 < unknown < found}


def _success(contenders: Sequence[dict[str, Any]]) -> Dots:
    dots = []
    for one in contenders:
        share, ends = one["success"]["rate"], one["success"]["interval"]
        between = f" ({interval_text(Interval(*ends))})" if ends else ""
        says = f"{one['passed']} of {one['expected']}: {percent(share)}{between}"
        dots.append(Dot(one["name"], says, *_scaled(share, ends, 0)))
    return Dots("Runs that passed", Axis("of the runs that should be there", after="%"), dots, within=(0, 100))


def _success_differences(comparisons: Sequence[dict[str, Any]]) -> Dots:
    dots = []
    for one in comparisons:
        found = one["success"]
        if found["difference"] is not None:
            says = f"{100 * found['difference']:+.0f} points, {found['verdict']}"
            dots.append(Dot(one["other"], says, *_scaled(found["difference"], found["interval"], 0)))
    axis = Axis("points, paired by run" if comparisons[0]["unit"] == "repeat" else "points, paired by task")
    return Dots(f"Difference in success, against {comparisons[0]['one']}", axis, dots)


def _changes(one: dict[str, Any]) -> Dots:
    """The figures of one contender relative to those of the first, where they can be told."""
    dots = []
    for name, label in LABELS.items():
        ratio = one[name]["ratio"]
        if one[name]["tasks"] > 1 and ratio is not None:
            says = f"{100 * (ratio - 1):+.1f}%, {one[name]['verdict']}"
            dots.append(Dot(label, says, *_scaled(ratio, one[name]["ratio_interval"], 1)))
    return Dots(f"What {one['other']} took, against {one['one']}", Axis("change in percent", after="%"), dots)


def _scaled(
    value: float | None, interval: Sequence[float] | None, zero: float
) -> tuple[float | None, tuple[float, float] | None]:
    """In percent, from `zero`."""
    ends = None if interval is None else (100 * (interval[0] - zero), 100 * (interval[1] - zero))
    return None if value is None else 100 * (value - zero), ends


def _taken(rows: Sequence[dict[str, Any]], of: str) -> list[Plot]:
    """Cost, tokens and times; a plot for each of which something is known. `rows`: figures with a `name`."""
    return [
        _amounts(f"Cost of {of}", DOLLARS, rows, "cost_usd", lambda value: cost(dollars(value))),
        _tokens(f"Tokens of {of}", rows),
        _amounts(f"Time of {of}", SECONDS, rows, "duration", seconds),
        _amounts(f"Time to the first chunk of {of}", SECONDS, rows, "first_chunk", seconds),
        _amounts(f"Speed of {of}", Axis("output tokens a second"), rows, "tokens_per_second", rate),
    ]


def _amounts(title: str, axis: Axis, rows: Sequence[dict[str, Any]], name: str, say: Callable[[Any], str]) -> Bars:
    bars = []
    for row in rows:
        value = row[name]
        says = say(value) + row.get("told", {}).get(name, "")
        bars.append(Bar(row["name"], says, () if value is None else (float(value),), value is None and axis is DOLLARS))
    return Bars(title, axis, [title], bars, more=UNPRICED)


def _tokens(title: str, rows: Sequence[dict[str, Any]]) -> Bars:
    bars = []
    for row in rows:
        told = row.get("told", {})
        counts = (row["input_tokens"], row["output_tokens"])
        into, out = (known(None if count is None else round(count)) for count in counts)
        says = f"in {into}{told.get('input_tokens', '')}, out {out}{told.get('output_tokens', '')}"
        parts = () if counts == (None, None) else tuple(float(count or 0) for count in counts)
        bars.append(Bar(row["name"], says, parts, more=None in counts))
    return Bars(title, TOKENS, ("input", "output"), bars, more="not reported")


def _by_task(data: dict[str, Any]) -> Bars:
    """A bar for each contender in each task; of many tasks the first."""
    names = [one["name"] for one in data["contenders"]]
    bars = []
    for task in data["tasks"]:
        for at, (name, runs) in enumerate(zip(names, task["runs"], strict=True)):
            passed = sum(run["status"] == "pass" for run in runs)
            parts = [0.0] * len(names)
            parts[at] = float(passed)
            bars.append(Bar(f"{task['task']}: {name}", f"{passed} of {task['expected']}", parts))
    most = max(MOST // len(names), 1) * len(names)
    shown = bars[:most] if len(data["tasks"]) > 1 else []
    left_out = len(data["tasks"]) - len(shown) // len(names)
    expected = float(max((task["expected"] for task in data["tasks"]), default=0))
    return Bars("Runs that passed, by task", Axis("runs"), names, shown, left_out, least=expected)


def _of_runs(data: dict[str, Any]) -> list[Plot]:
    rows = [{"name": one["name"], **one["figures"]} for one in data["contenders"]]
    plots = _taken(rows, "each run")
    steps = [_steps(one) for one in data["comparisons"]]
    title = f"Steps, against {data['contenders'][0]['name']}"
    plots.append(Bars(title, Axis("steps"), _KINDS, steps, tones=("c6", "warn", "bad", "good")))
    return with_rows(plots)


_KINDS = ("same", "changed", "removed", "added")


def _steps(one: dict[str, Any]) -> Bar:
    counts = one["steps"]
    says = ", ".join(f"{counts[kind]} {kind}" for kind in _KINDS if counts[kind])
    return Bar(one["other"], says or "no step", [float(counts[kind]) for kind in _KINDS])
