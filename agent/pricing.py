"""What a call costs, in dollars. The only file that names `genai_prices`, which is loaded on first use.

Its bundled table is used as it is: nothing here updates it, so no price is ever fetched. Decimal throughout.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from functools import lru_cache
from typing import Any

from agent.events import Usage

TABLE_IDS: Mapping[str, str] = {
    "xai": "x-ai",
    "gemini": "google",
    "copilot": "github-copilot",
    "openai-responses": "openai",
}
"""Our provider names that the table calls otherwise. All others must be its own: it guesses, and a local server named
`my-openai` must not be priced as OpenAI."""

_MILLION = Decimal(1_000_000)


def price(usage: Usage, provider: str, model: str, at: datetime | None = None) -> Decimal | None:
    """Dollars of one call at the prices of `at` (None = now; a time without zone is UTC).

    None where the model is unknown, the table has no price for a kind of token that was used, or input or output
    tokens are unknown: never 0 for what is not known.

    Where Anthropic sent `usage.iterations`, its sum is what is billed, each at its own model; the totals leave
    compaction and advisor calls out (Anthropic, "Compaction": usage).
    """
    total = Decimal(0)
    for part, other_model in billed(usage):
        cost = _price(part, provider, other_model or model, at)
        if cost is None:
            return None
        total += cost
    return total


def price_from_row(usage: Usage, row: Mapping[str, Any]) -> Decimal | None:
    """Dollars of what is billed together, by `row`: dollars per million tokens for `input` and `output`, and perhaps
    `cache_read`, `cache_write` (which cost as input where they are missing) and `cache_write_1h` (as `cache_write`).

    `(input - cache_read - cache_write) * p_in + cache_read * p_cr + cache_write * p_cw + output * p_out`, the
    one-hour part of the cache writes at its own price; where the parts exceed the input (`exceeds_input`), the rest
    counts as 0. None where input or output tokens are unknown. Raises `KeyError` where the row lacks `input` or
    `output`.
    """
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    p_in, p_out = _decimal(row["input"]), _decimal(row["output"])
    p_read = _decimal(row.get("cache_read"), p_in)
    p_write = _decimal(row.get("cache_write"), p_in)
    p_write_1h = _decimal(row.get("cache_write_1h"), p_write)
    read, write, write_1h = _parts(usage)
    cost = (
        max(usage.input_tokens - read - write, 0) * p_in
        + read * p_read
        + (write - write_1h) * p_write
        + write_1h * p_write_1h
        + usage.output_tokens * p_out
    )
    return cost / _MILLION


def billed(usage: Usage) -> list[tuple[Usage, str | None]]:
    """The usages that are billed, each with its model where that is another one's: those of `iterations`, else all."""
    entries = usage.iterations or []
    parts = [_iteration(entry) for entry in entries]
    found = [part for part in parts if part is not None]
    if not found or len(found) < len(parts):
        return [(replace(usage, iterations=None), None)]
    models = [entry.get("model") for entry in entries]
    return [(part, model if isinstance(model, str) else None) for part, model in zip(found, models, strict=True)]


def exceeds_input(usage: Usage) -> bool:
    """Whether cache reads and writes are more than the input they are part of: the usage contradicts itself."""
    return any(sum(_parts(part)[:2]) > part.input_tokens for part, _ in billed(usage) if part.input_tokens is not None)


def without_cache(usage: Usage) -> Usage:
    """What is billed together, as it would be without a cache: all input at the price of input."""
    read, write, _ = _parts(usage)
    total = None if usage.input_tokens is None else max(usage.input_tokens, read + write)
    return Usage(total, usage.output_tokens, reasoning_tokens=usage.reasoning_tokens)


def table_version() -> str:
    """The version of the table's package. The package does not tell the date of its data."""
    from importlib.metadata import version  # it loads the email package

    return version("genai-prices")


def _decimal(value: Any, default: Decimal = Decimal(0)) -> Decimal:
    return default if value is None else Decimal(str(value))


def _parts(usage: Usage) -> tuple[int, int, int]:
    """Cache reads, cache writes, and the one-hour writes among them."""
    write_1h = usage.cache_write_1h_tokens or 0
    return usage.cache_read_tokens or 0, max(usage.cache_write_tokens or 0, write_1h), write_1h


def _iteration(entry: Any) -> Usage | None:
    """An entry of Anthropic's `usage.iterations` with inclusive totals, or None where it is no such thing."""
    if not isinstance(entry, dict):
        return None
    names = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    counts = [entry.get(name) or 0 for name in names]
    if not all(isinstance(count, int) for count in counts) or entry.get("output_tokens") is None:
        return None
    plain, output, read, write = counts
    split = entry.get("cache_creation")
    hour = split.get("ephemeral_1h_input_tokens") if isinstance(split, dict) else None
    hour = hour if isinstance(hour, int) and hour <= write else None
    return Usage(plain + read + write, output, read, write, hour)


def _price(usage: Usage, provider: str, model: str, at: datetime | None) -> Decimal | None:
    if usage.input_tokens is None or usage.output_tokens is None or not model:
        return None
    read, write, write_1h = _parts(usage)
    counts = (
        max(usage.input_tokens, read + write), usage.output_tokens, read, write, write_1h,
        min(usage.reasoning_tokens or 0, usage.output_tokens),
    )  # fmt: skip
    name = TABLE_IDS.get(provider, provider)
    if at is None:
        return _looked_up(counts, name, model, None)
    return _known(counts, name, model, at.replace(second=0, microsecond=0))


def _looked_up(counts: tuple[int, ...], provider: str, model: str, at: datetime | None) -> Decimal | None:
    """`counts`: input, output, cache reads, writes, one-hour writes, reasoning."""
    from genai_prices import Usage as TableUsage
    from genai_prices import calc_price
    from genai_prices.data_snapshot import get_snapshot

    if all(row.id != provider for row in get_snapshot().providers):
        return None
    names = (
        "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens",
        "output_reasoning_tokens",
    )  # fmt: skip
    usage = TableUsage(**dict(zip(names, counts, strict=True)))
    try:
        result = calc_price(usage, model, provider_id=provider, genai_request_timestamp=at)
    except (LookupError, ValueError):
        return None
    prices = result.model_price
    if (usage.input_tokens and prices.input_mtok is None) or (usage.output_tokens and prices.output_mtok is None):
        return None
    return result.total_price if prices.input_mtok is not None or prices.output_mtok is not None else None


_known = lru_cache(maxsize=10_000)(_looked_up)
"""By the minute of a call: the table's times of day are whole minutes. Looking one up takes 0.2 ms."""
