"""The plots of a sweep: how often each law was held against a case, and the cases of each file. From its JSON."""

from __future__ import annotations

from typing import Any

from harness.page.plot import MOST, Axis, Bar, Bars, Plot, with_rows

_CASES = Axis("cases")


def sweep_plots(data: dict[str, Any]) -> list[Plot]:
    """`data`: of `harness sweep`."""
    return with_rows([_laws(data), _files(data["files"])])


def _laws(data: dict[str, Any]) -> Bars:
    """A quiet report tells of some of the files alone, which is said."""
    files, of = data["files"], data["totals"]["files"]
    bars = []
    for law in data["totals"]["laws"]:
        counts = [one["laws"][law] for one in files if law in one["laws"]]
        checked, broken = (sum(count[name] for count in counts) for name in ("checked", "broken"))
        says = f"broken in {broken:,} of {checked:,}" if broken else f"held in {checked:,}"
        bars += [Bar(law, says, (float(broken), float(checked - broken)))] if checked else []
    where = "" if len(files) == of else f", in {len(files):,} of {of:,} files"
    return Bars(f"Laws{where}", _CASES, ("broken", "held"), bars, tones=("bad", "good"))


def _files(files: list[dict[str, Any]]) -> Bars:
    """The parts of the sweep in each file; of many files those with the most cases."""
    parts = [*dict.fromkeys(part for one in files for part in one["cases"])]
    bars = []
    for one in files:
        counts = [float(sum(one["cases"].get(part, {}).values())) for part in parts]
        says = "cannot be used" if one["fault"] is not None else f"{sum(counts):,.0f} cases"
        bars.append(Bar(one["path"], says, counts))
    bars.sort(key=lambda bar: -sum(bar.parts))
    return Bars("Cases by recording", _CASES, parts, bars[:MOST], max(len(bars) - MOST, 0))
