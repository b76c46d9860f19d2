"""Figures in words: counts, sizes, seconds, tokens and dollars. What is unknown is `?`, never 0."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any

from agent.events import USAGE_COUNTS
from harness.report.values import count

TOKENS = USAGE_COUNTS

Usage = dict[str, int | None]
"""The counts of `TOKENS`; None is unknown."""


def usage_of(value: Any) -> Usage | None:
    """The counts of a recorded usage; None where there is none."""
    return {name: count(value.get(name)) for name in TOKENS} if isinstance(value, dict) else None


def add_usage(usages: Iterable[Mapping[str, int | None] | None]) -> Usage:
    """The sum. A count that nobody reported stays None."""
    total: Usage = dict.fromkeys(TOKENS)
    for usage in usages:
        for name in TOKENS if usage else ():
            value = usage.get(name) if usage else None
            if value is not None:
                total[name] = value + (total[name] or 0)
    return total


def tokens(usage: Mapping[str, int | None] | None) -> str:
    """`in 2,496 (cached 52, cache writes ?), out 51 (reasoning ?)`"""
    if usage is None or all(value is None for value in usage.values()):
        return "not reported"
    return (
        f"in {known(usage['input_tokens'])} (cached {known(usage['cache_read_tokens'])}, "
        f"cache writes {known(usage['cache_write_tokens'])}), "
        f"out {known(usage['output_tokens'])} (reasoning {known(usage['reasoning_tokens'])})"
    )


def known(value: int | None) -> str:
    return "?" if value is None else f"{value:,}"


def plural(value: int | None, one: str, many: str | None = None) -> str:
    """`1 call`, `2 calls`, `? calls`"""
    return f"{known(value)} {one if value == 1 else many or one + 's'}"


def first_of(lines: Sequence[str], most: int = 3, noun: str | None = None) -> list[str]:
    """The first of many lines, and one that counts the others: `2 more`, `2 more differences`."""
    left = len(lines) - most
    if left <= 0:
        return [*lines]
    return [*lines[:most], f"{left:,} more" if noun is None else plural(left, f"more {noun}")]


def listed(names: Sequence[str], most: int = 5) -> str:
    """`a, b`; of many names the first: `a, b, c, d, e and 7 more`."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def seconds(value: float | None) -> str:
    return "? s" if value is None else f"{value:.3f} s" if value < 100 else f"{value:,.0f} s"


def cost(amount: Decimal | None, *, unpriced: bool = False) -> str:
    """Dollars, rounded to a millionth. `unpriced`: something that is not in the amount has no price."""
    if amount is None:
        return "unpriced"
    rounded = f"${amount:.6f}" if amount == 0 or abs(amount) >= Decimal("0.0000005") else "under $0.000001"
    return f"{rounded} + unpriced" if unpriced else rounded
