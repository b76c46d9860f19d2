"""What a comparison of contenders shows, in words and as JSON; "no difference shown" where that is the truth. Pure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from harness.report.figures import plural

if TYPE_CHECKING:
    from harness.diff.summary import Paired
    from harness.statistics.intervals import Interval
    from harness.statistics.outcomes import OutcomeComparison
    from harness.statistics.values import ValueComparison

LABELS = {
    "cost_usd": "cost", "input_tokens": "input tokens", "output_tokens": "output tokens", "duration": "duration",
    "first_chunk": "first chunk after", "tokens_per_second": "tokens a second",
}  # fmt: skip

_ENOUGH = 100_000
"""More tasks than this are told as that."""


def evidence_lines(paired: Paired) -> list[str]:
    """A line on success, and one on each figure that is known in two pairs at least."""
    noun = "run" if paired.unit == "repeat" else "task"
    lines = [f"success: {_success(paired.success, noun)}{_missing(paired)}"]
    for name, found in paired.values.items():
        if found.tasks > 1:
            lines.append(f"{LABELS[name]}: {_value(found, noun)}")
    return lines


def _success(found: OutcomeComparison, noun: str) -> str:
    pairs = found.pairs
    unknown = f", {pairs.unknown} unknown" if pairs.unknown else ""
    counts = f"won {pairs.second}, lost {pairs.first}, {pairs.same} alike of {plural(pairs.known, noun)}{unknown}"
    by = "" if found.difference is None else f": {_points(found.difference)}{_between(found.interval, _points)}"
    said = f"{found.verdict}{by} ({counts}, {_p(found)})"
    return said + _needed(found, pairs.known, noun)


def _missing(paired: Paired) -> str:
    """What no pair tells of."""
    missing = sum(paired.missing)
    one, other = paired.missing
    return f"; runs that are missing prove nothing: {one} of the first, {other} of the second" if missing else ""


def _value(found: ValueComparison, noun: str) -> str:
    change = ""
    if found.ratio is not None:
        change = f" {_percent(found.ratio)}{_between(found.ratio_interval, _percent)}"
    unknown = f", {found.unknown} unknown" if found.unknown else ""
    said = f"{found.verdict}:{change} ({plural(found.tasks, noun)}{unknown}, {_p(found)})"
    return said + _needed(found, found.tasks, noun)


def _needed(found: OutcomeComparison | ValueComparison, pairs: int, noun: str) -> str:
    """Why nothing is shown, and what would change that."""
    if found.verdict != "no difference shown":
        return ""
    parts = []
    if not found.could_show:
        parts.append(f"{plural(pairs, noun)} cannot show any")
    needed = found.tasks_needed()
    if needed is not None:
        number = f"about {needed:,}" if needed <= _ENOUGH else f"more than {_ENOUGH:,}"
        parts.append(f"a difference as seen would take {number} {noun}s")
    return f"; {'; '.join(parts)}" if parts else ""


def percent(rate: float | None) -> str:
    return "?" if rate is None else f"{100 * rate:.0f}%"


def interval_text(interval: Interval | None) -> str:
    return "?" if interval is None else f"{percent(interval.low)} to {percent(interval.high)}"


def _points(difference: float) -> str:
    return f"{100 * difference:+.0f} points"


def _percent(ratio: float) -> str:
    return f"{100 * (ratio - 1):+.1f}%"


def _between(interval: Interval | None, say: Any) -> str:
    return "" if interval is None else f", between {say(interval.low)} and {say(interval.high)}"


def _p(found: OutcomeComparison | ValueComparison) -> str:
    if found.adjusted_p != found.p:
        return f"p {found.p:.3g}, {found.adjusted_p:.3g} corrected"
    return f"p {found.p:.3g}"


def evidence_data(paired: Paired) -> dict[str, Any]:
    """`success`, and each of the figures under its name; `interval` is [low, high] or null."""
    success = paired.success
    return {
        "unit": paired.unit,
        "missing": [*paired.missing],
        "success": {
            "verdict": success.verdict,
            "won": success.pairs.second,
            "lost": success.pairs.first,
            "alike": success.pairs.same,
            "unknown": success.pairs.unknown,
            "difference": success.difference,
            "interval": interval_data(success.interval),
            **_test(success),
        },
        **{name: _value_data(found) for name, found in paired.values.items()},
    }


def _value_data(found: ValueComparison) -> dict[str, Any]:
    return {
        "verdict": found.verdict,
        "tasks": found.tasks,
        "unknown": found.unknown,
        "one": found.first,
        "other": found.second,
        "difference": found.difference,
        "interval": interval_data(found.interval),
        "ratio": found.ratio,
        "ratio_interval": interval_data(found.ratio_interval),
        **_test(found),
    }


def _test(found: OutcomeComparison | ValueComparison) -> dict[str, Any]:
    return {
        "p": found.p,
        "adjusted_p": found.adjusted_p,
        "alpha": found.alpha,
        "least_p": found.least_p,
        "could_show": found.could_show,
        "tasks_needed": found.tasks_needed(),
    }


def interval_data(interval: Interval | None) -> list[float] | None:
    return None if interval is None else [interval.low, interval.high]
