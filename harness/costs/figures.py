"""Figures of a cost report in words, and in JSON. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from harness.costs.sums import Compared, Money, Sums
from harness.report.figures import cost, plural


def money(amount: Money) -> str:
    """`$0.120000 + 3 calls unpriced`; `unpriced` where nothing has a price."""
    return _money(amount, f"{plural(amount.unpriced, 'call')} unpriced")


def money_cell(amount: Money) -> str:
    """`$0.120000 + 3 unpriced`"""
    return _money(amount, f"{amount.unpriced:,} unpriced")


def _money(amount: Money, unpriced: str) -> str:
    if not amount.unpriced:
        return cost(amount.usd)
    return f"{cost(amount.usd)} + {unpriced}" if amount.priced else "unpriced"


def tools_text(uses: Mapping[str, int]) -> str:
    """`1 file search, 3 web searches`: uses of a provider's own tools, by name."""
    return ", ".join(plural(number, *_named(tool)) for tool, number in sorted(uses.items()))


def not_priced(uses: Mapping[str, int]) -> str:
    """The sentence of every report whose dollars hold nothing of these uses, of which there is one."""
    return f"Not priced: {tools_text(uses)}, which are billed beside the tokens"


def _named(tool: str) -> tuple[str, str]:
    one = tool.replace("_", " ")
    return (one, f"{one}es") if one.endswith("search") else (f"{one} call", f"{one} calls")


def signed(usd: Decimal) -> str:
    """Dollars that may be below 0."""
    shown = cost(abs(usd))
    return shown if usd >= 0 else shown.replace("under ", "over ").replace("$", "-$")


def percent(part: Decimal | int, of: Decimal | int) -> str:
    """To a tenth; `?` of nothing."""
    return f"{100 * Decimal(part) / Decimal(of):.1f}%" if of else "?"


def written_5m(sums: Sums) -> int | None:
    """Tokens written to a cache at the plain price of that: all but those for an hour."""
    written = sums.usage["cache_write_tokens"]
    hour = sums.usage["cache_write_1h_tokens"]
    return None if written is None else max(written - (hour or 0), 0)


def sums_data(sums: Sums, models: list[str]) -> dict[str, Any]:
    """The JSON form. `models`: of the what-ifs."""
    return {
        "calls": sums.calls,
        "usage": sums.usage,
        "cost_usd": _usd(sums.cost),
        "unpriced": {
            "calls": sums.cost.unpriced,
            "tokens": sums.unpriced_tokens,
            "share_of_calls": _share(sums.cost.unpriced, sums.calls),
            "share_of_tokens": _share(sums.unpriced_tokens, sums.tokens),
            "without_usage": sums.without_usage,
        },
        "errors": _some(sums.failed_calls, sums.failed),
        "retries": _some(sums.retry_calls, sums.retries),
        "without_cache_usd": f"{sums.uncached:f}",
        "saved_by_caching_usd": f"{sums.uncached - sums.cached:f}",
        "exceeding_input": sums.exceeding,
        "undated": sums.undated,
        "provider_tools": dict(sorted(sums.tools.items())),
        "what_if": [_compared(model, one) for model, one in zip(models, _on(sums, models), strict=True)],
    }


def _on(sums: Sums, models: list[str]) -> list[Compared]:
    return sums.on or [Compared() for _ in models]


def _some(calls: int, amount: Money) -> dict[str, Any]:
    return {"calls": calls, "cost_usd": _usd(amount), "unpriced": amount.unpriced}


def _compared(model: str, compared: Compared) -> dict[str, Any]:
    return {
        "model": model,
        "cost_usd": _usd(compared.cost),
        "unpriced": compared.cost.unpriced,
        "compared_calls": compared.calls,
        "difference_usd": f"{compared.usd - compared.was_usd:f}" if compared.calls else None,
    }


def _usd(amount: Money) -> str | None:
    return None if amount.unpriced and not amount.priced else f"{amount.usd:f}"


def _share(part: int, of: int) -> float | None:
    return round(part / of, 6) if of else None
