from __future__ import annotations

import re
import socket
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import Usage
from agent.jsonio import loads
from agent.pricing import billed, exceeds_input, price, price_from_row, table_version, without_cache
from tests.shared import SHARED, needs_shared

ROOT = Path(__file__).resolve().parents[2]
AT = datetime(2026, 1, 1, tzinfo=UTC)
SONNET, GPT = "claude-sonnet-4-5-20250929", "gpt-4o-2024-08-06"


@needs_shared
@pytest.mark.parametrize("provider", ["openai", "gemini", "anthropic", "deepseek"])
def test_handed_case_58(provider):
    row = loads((SHARED / "cases/58-cost-cached-counted-twice.json").read_bytes())["prices_per_million"]
    expected = loads((SHARED / "cases/58-cost-cached-counted-twice.expect.json").read_bytes())["expected"]
    n = expected["normalized"][provider]
    usage = Usage(n["input"], n["output"], n["cache_read"], n["cache_write"], None, n["reasoning"])
    assert price_from_row(usage, row) == Decimal(expected["cost_usd"][provider])
    assert not exceeds_input(usage)


@pytest.mark.parametrize(
    ("usage", "row", "cost", "clamped"),
    [
        (Usage(1_000_000, 0), {"input": 0.1, "output": 1}, "0.1", False),
        (Usage(100, 10, 60), {"input": 1, "output": 2}, "0.00012", False),
        (Usage(100, 0, 0, 60), {"input": 1, "output": 2, "cache_write": 10}, "0.00064", False),
        (Usage(100, 0, 0, 60, 20), {"input": 1, "output": 2, "cache_write": 10}, "0.00064", False),
        (
            Usage(100, 0, 0, 60, 20),
            {"input": 1, "output": 2, "cache_write": 10, "cache_write_1h": 20},
            "0.00084",
            False,
        ),
        (Usage(100, 0, 0, None, 20), {"input": 1, "output": 2, "cache_write_1h": 20}, "0.00048", False),
        (Usage(100, 10, 150), {"input": 1, "output": 2, "cache_read": 0}, "0.00002", True),
        (Usage(100, 10, None, None, None, 99), {"input": 1, "output": 2}, "0.00012", False),
    ],
    ids=["float", "no cache price", "write", "1h at the write price", "1h", "1h alone", "clamped", "much reasoning"],
)
def test_price_from_a_row(usage, row, cost, clamped):
    assert (price_from_row(usage, row), exceeds_input(usage)) == (Decimal(cost), clamped)


@pytest.mark.parametrize("usage", [Usage(), Usage(1), Usage(None, 1)])
def test_unknown_tokens_have_no_price(usage):
    assert price_from_row(usage, {"input": 1, "output": 1}) is None
    assert price(usage, "openai", GPT, AT) is None


counts = st.integers(0, 10**9)


@given(counts, counts, counts, counts, counts)
def test_a_row_price_is_exact_and_never_negative(total, output, read, write, hour):
    row = {"input": "2", "output": "10", "cache_read": "0.2", "cache_write": "2.5", "cache_write_1h": "4"}
    usage = Usage(total, output, read, write, hour)
    got = price_from_row(usage, row)
    write = max(write, hour)
    tenths = 20 * max(total - read - write, 0) + 2 * read + 25 * (write - hour) + 40 * hour + 100 * output
    assert got is not None
    assert got * 10_000_000 == tenths
    assert exceeds_input(usage) == (read + write > total)


@pytest.mark.parametrize(
    ("usage", "provider", "model", "cost"),
    [
        (Usage(2_000, 300), "openai", GPT, "0.008"),
        (Usage(2_000, 300, 1_500, None, None, 200), "openai", GPT, "0.006125"),
        (Usage(2_000, 300, 1_500), "openai-responses", GPT, "0.006125"),
        (Usage(2_000, 300, 100, 1_000), "anthropic", SONNET, "0.01098"),
        (Usage(2_000, 300, 100, 1_000, 1_000), "anthropic", SONNET, "0.01323"),
        (Usage(2_000, 300, 100, None, 1_000), "anthropic", SONNET, "0.01323"),
        (Usage(100, 300, 1_500, 400), "anthropic", SONNET, "0.00645"),
        (Usage(200_000, 0), "gemini", "gemini-2.5-pro", "0.25"),
        (Usage(1_000_000, 0), "gemini", "gemini-2.5-pro", "2.5"),
        (Usage(0, 0), "openai", GPT, "0"),
    ],
    ids=["plain", "cached", "responses", "5m write", "1h write", "1h alone", "too many parts", "tier", "tier 2", "0"],
)  # fmt: skip
def test_prices_of_the_table(usage, provider, model, cost):
    assert price(usage, provider, model, AT) == Decimal(cost)


@pytest.mark.parametrize(
    ("provider", "model"),
    [
        ("openai", "gpt-nobody-knows"),
        ("openai", ""),
        ("nobody", GPT),
        ("my-openai", GPT),
        ("ollama", GPT),
        ("llamacpp", "tiny"),
        ("openai", "text-embedding-3-small"),
    ],
    ids=["model", "no model", "provider", "alike", "local", "tiny", "no price for output"],
)
def test_what_is_not_known_is_none_never_0(provider, model):
    assert price(Usage(2_000, 300), provider, model, AT) is None


def test_a_model_that_the_table_lists_without_prices_is_none():
    from genai_prices.data_snapshot import get_snapshot
    from genai_prices.types import ModelPrice

    row = next(
        (provider.id, model.id)
        for provider in get_snapshot().providers
        for model in provider.models
        if isinstance(model.prices, ModelPrice) and all(value is None for value in model.prices.__dict__.values())
    )
    assert price(Usage(0, 0), *row, AT) is None


def test_the_time_of_day_counts():
    night, day = (datetime(2025, 6, 1, hour, tzinfo=UTC) for hour in (20, 10))
    usage = Usage(1_000_000, 0)
    assert price(usage, "deepseek", "deepseek-reasoner", night) < price(usage, "deepseek", "deepseek-reasoner", day)


def entry(input, output, read=0, write=0, hour=None, **more):
    counts = {"input_tokens": input, "output_tokens": output, "cache_read_input_tokens": read}
    split = {} if hour is None else {"cache_creation": {"ephemeral_1h_input_tokens": hour}}
    return counts | {"cache_creation_input_tokens": write} | split | more


@pytest.mark.parametrize(
    ("iterations", "parts"),
    [
        (
            [entry(60_000, 500, type="compaction"), entry(600, 2_800, type="message")],
            [(Usage(60_000, 500), SONNET), (Usage(600, 2_800), SONNET)],
        ),
        (
            [entry(100, 10, 50, 40, 30), entry(2_500, 18, type="advisor_message", model="claude-opus-4-5")],
            [(Usage(190, 10, 50, 40, 30), SONNET), (Usage(2_500, 18), "claude-opus-4-5")],
        ),
        ([], [(Usage(612, 2_819), SONNET)]),
        (["odd"], [(Usage(612, 2_819), SONNET)]),
        ([{"input_tokens": "many", "output_tokens": 1}], [(Usage(612, 2_819), SONNET)]),
        ([{"input_tokens": 1}], [(Usage(612, 2_819), SONNET)]),
    ],
    ids=["compaction", "advisor", "empty", "no object", "no number", "no output"],
)
def test_anthropics_iterations_are_what_is_billed(iterations, parts):
    usage = Usage(612, 2_819, iterations=iterations)
    assert price(usage, "anthropic", SONNET, AT) == sum(price(u, "anthropic", m, AT) for u, m in parts)


def test_a_row_prices_each_iteration_by_itself():
    row = {"input": 2, "output": 10, "cache_read": "0.2", "cache_write": "2.5", "cache_write_1h": 4}
    usage = Usage(612, 2_819, iterations=[entry(100, 10, 50, 40, 30), entry(2_500, 18, model="other")])
    parts = billed(usage)
    assert parts == [(Usage(190, 10, 50, 40, 30), None), (Usage(2_500, 18, 0, 0), "other")]
    # 100 * 2 + 50 * 0.2 + 10 * 2.5 + 30 * 4 + 10 * 10 = 455; 2,500 * 2 + 18 * 10 = 5,180
    assert [price_from_row(part, row) for part, _ in parts] == [Decimal("0.000455"), Decimal("0.00518")]


@pytest.mark.parametrize(
    ("usage", "plain"),
    [
        (Usage(2_000, 300, 1_500, 400, 100, 7), Usage(2_000, 300, reasoning_tokens=7)),
        (Usage(100, 300, 1_500, None, 400), Usage(1_900, 300)),
        (Usage(None, 300, 1_500), Usage(None, 300)),
    ],
    ids=["parts", "more than the input", "unknown"],
)
def test_without_a_cache_all_input_is_input(usage, plain):
    assert without_cache(usage) == plain


def test_the_table_has_a_version():
    assert re.fullmatch(r"\d+(\.\d+)+", table_version())


def test_an_iteration_of_an_unknown_model_leaves_the_call_unpriced():
    usage = Usage(1, 1, iterations=[entry(1, 1), entry(1, 1, model="claude-nobody-knows")])
    assert price(usage, "anthropic", SONNET, AT) is None


def test_no_price_is_fetched(monkeypatch):
    def refuse(*_, **__):
        raise AssertionError("network")

    monkeypatch.setattr(socket, "socket", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert price(Usage(1, 1), "openai", GPT) > 0


def test_the_table_is_loaded_on_first_use_only():
    code = "import sys, agent.pricing, agent.loop; sys.exit('genai_prices' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


def test_times_of_day_in_the_table_are_whole_minutes():
    """Prices are kept by the minute of a call."""
    snapshot = pytest.importorskip("genai_prices.data_snapshot").get_snapshot()
    constraints = [
        row.constraint
        for provider in snapshot.providers
        for model in provider.models
        for row in (model.prices if isinstance(model.prices, list) else ())
    ]
    times = [
        getattr(one, name) for one in constraints for name in ("start_time", "end_time") if one and hasattr(one, name)
    ]
    assert times
    assert all((time.second, time.microsecond) == (0, 0) for time in times)


@pytest.mark.parametrize(("second", "cost"), [("16:29:59.999", "0.57"), ("16:30:00", "0.285")])
def test_the_minute_of_a_call_decides(second, cost):
    found = price(
        Usage(2_000_000, 300_000, 1_500_000),
        "deepseek",
        "deepseek-chat",
        datetime.fromisoformat(f"2025-06-01T{second}Z"),
    )
    assert found == Decimal(cost)
