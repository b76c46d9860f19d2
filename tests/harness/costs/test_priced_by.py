"""Where a price comes from, and what is asked before what."""

from __future__ import annotations

import pickle
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from agent.events import Usage
from agent.pricing import price, table_version
from agent.providers.table import PROVIDERS, Provider
from harness.config import Config
from harness.costs.priced_by import PricedBy, PriceFile, Quote, Source, configured

USAGE = Usage(1_000_000, 1_000_000)
AT = datetime(2026, 1, 1, tzinfo=UTC)


def row(usd):
    return {"input": Decimal(usd), "output": Decimal(0)}


def table(usage, provider, model, at):
    return {"known": Decimal(7)}.get(model)


PINNED = PriceFile("p.toml", {"a/asked": row(1)}, "2", "2026-01-31")
ROWS = {"a/asked": row(2), "a/other": row(3)}
ALL = PricedBy(PINNED, ROWS, "pyproject.toml", table)


@pytest.mark.parametrize(
    ("priced", "models", "quote"),
    [
        (ALL, ["asked"], Quote(Decimal(1), 0)),
        (ALL, ["other"], Quote(Decimal(3), 1)),
        (ALL, ["known"], Quote(Decimal(7), 2)),
        (ALL, ["nobody"], None),
        (ALL, ["known", "asked"], Quote(Decimal(1), 0)),
        (ALL, ["nobody", "other"], Quote(Decimal(3), 1)),
        (PricedBy(rows=ROWS, table=table), ["asked"], Quote(Decimal(2), 0)),
        (PricedBy(rows=ROWS, table=table), ["known"], Quote(Decimal(7), 1)),
        (PricedBy(table=table), ["known"], Quote(Decimal(7), 0)),
        (PricedBy(PriceFile("p", PINNED.rows, exclusive=True), ROWS, None, table), ["known"], None),
        (PricedBy(PriceFile("p", PINNED.rows, exclusive=True), ROWS, None, table), ["other"], None),
    ],
)
def test_a_source_is_asked_for_all_names_before_the_next(priced, models, quote):
    assert priced.quote(USAGE, "a", models, AT) == quote


def test_it_is_a_price_function():
    assert ALL(USAGE, "a", "asked", AT) == 1
    assert ALL(USAGE, "a", "nobody", AT) is None
    assert ALL(Usage(), "a", "asked", AT) is None
    assert PricedBy()(USAGE, "openai", "gpt-4.1-mini", AT) == price(USAGE, "openai", "gpt-4.1-mini", AT)


def test_sources_in_their_order():
    assert [str(source) for source in ALL.sources()] == [
        "p.toml (version 2, of 2026-01-31)", "pyproject.toml [tool.harness.prices]", "the given price function",
    ]  # fmt: skip
    assert PricedBy().sources() == [Source("table", "genai-prices", table_version())]
    assert PricedBy(PriceFile("p", {}, exclusive=True), ROWS).sources() == [Source("file", "p")]


ADVISED = Usage(5, 5, iterations=[
    {"input_tokens": 1_000_000, "output_tokens": 0},
    {"input_tokens": 2_000_000, "output_tokens": 0, "cache_read_input_tokens": 1_000_000, "model": "other"},
])  # fmt: skip


def test_iterations_each_at_the_prices_of_their_model():
    assert ALL.quote(ADVISED, "a", ["asked"], AT) == Quote(Decimal(1 + 9), 1)
    cheap = {"a/asked": row(1), "a/other": {**row(3), "cache_read": Decimal(0)}}
    assert PricedBy(rows=cheap, table=table).quote(ADVISED, "a", ["asked"], AT) == Quote(Decimal(1 + 6), 0)
    assert PricedBy(rows=cheap, table=table).quote(ADVISED, "a", ["asked"], AT, cached=False) == Quote(Decimal(10), 0)
    assert PricedBy(rows={"a/asked": row(1)}, table=table).quote(ADVISED, "a", ["asked"], AT) is None


def test_another_model_takes_all_iterations():
    assert ALL.reprice(ADVISED, "a", "asked", AT) == Quote(Decimal(4), 0)
    assert ALL.reprice(ADVISED, "a", "nobody", AT) is None


def test_tiers_look_at_each_iteration():
    rows = {"a/m": {**row(1), "tier": [{"above": 2_000_000, "input": Decimal(10)}]}}
    assert PricedBy(rows=rows).quote(ADVISED, "a", ["m"], AT) is None  # "other" has no price
    assert PricedBy(rows=rows).reprice(ADVISED, "a", "m", AT) == Quote(Decimal(1 + 30), 0)


def test_configured():
    config = Config(Path("x/pyproject.toml"), prices={"openai/own": row(2)})
    assert configured(config)(USAGE, "openai", "own") == 2
    assert configured(config, PriceFile("p", {"openai/own": row(5)}))(USAGE, "openai", "own") == 5
    assert configured(config).sources()[0] == Source("configuration", "pyproject.toml [tool.harness.prices]")


LAB = Provider("lab", "http://127.0.0.1:9/v1", ())


@pytest.mark.parametrize(
    ("url", "wire", "found"),
    [
        ("https://api.openai.com/v1/chat/completions", "openai-chat", "openai"),
        ("https://api.openai.com/v1/responses", "openai-responses", "openai-responses"),
        ("https://api.openai.com/v1/responses", None, "openai"),
        ("https://api.deepseek.com/anthropic/v1/messages", "anthropic", "deepseek"),
        ("https://api.openai.com.evil.test/v1", "openai-chat", None),
        ("http://127.0.0.1:9/v1/chat/completions", "openai-chat", "lab"),
        ("http://127.0.0.1:8080/v1/chat/completions", "openai-chat", None),
        ("http://[", None, None),
        ("", None, None),
    ],
)
def test_the_provider_at_a_host(url, wire, found):
    assert configured(Config(providers={**PROVIDERS, "lab": LAB})).provider_at(url, wire) == found


def test_it_can_be_sent_to_another_process():
    assert pickle.loads(pickle.dumps(PricedBy(PINNED, ROWS))) == PricedBy(PINNED, ROWS)
