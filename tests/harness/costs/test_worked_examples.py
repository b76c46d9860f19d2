"""Examples worked by hand from the providers' price lists, through recorder, reader and report.

Each is priced by the table of genai-prices at the time of the recording, and by a file that pins the same prices.
"""

from __future__ import annotations

import json
from decimal import Decimal

import pytest

from harness.costs.calls import call_costs
from harness.costs.price_file import read_price_file
from harness.costs.priced_by import PricedBy
from harness.costs.reading import cost_facts
from tests.harness.cli.cli import call
from tests.harness.costs.streams import anthropic, chat, gemini, recorded
from tests.shared import SHARED, needs_shared

GPT, SONNET, PRO, DEEPSEEK = "gpt-4o-2024-08-06", "claude-sonnet-4-5-20250929", "gemini-2.5-pro", "deepseek-chat"

PRICES = """
version = "worked examples"
exclusive = true
"openai/gpt-4o" = { input = 2.50, output = 10, cache_read = 1.25 }
"anthropic/claude-sonnet-4-5" = { input = 3, output = 15, cache_read = 0.30, cache_write = 3.75, cache_write_1h = 6 }

["gemini/gemini-2.5-pro"]
input = 1.25
output = 10
cache_read = 0.125
tier = [{ above = 200_000, input = 2.50, output = 15, cache_read = 0.25 }]

["deepseek/deepseek-chat"]
input = 0.27
output = 1.10
cache_read = 0.07
tier = [{ between = ["16:30", "00:30"], input = 0.135, output = 0.55, cache_read = 0.035 }]
"""

# https://platform.openai.com/docs/pricing: gpt-4o $2.50, cached $1.25, output $10. Cached tokens are part of the
# prompt, reasoning is part of the output.
#   (2,000 - 1,500) * 2.50 =  1,250
#            1,500 * 1.25 =  1,875
#              300 * 10   =  3,000
#                            6,125 -> $0.006125; without a cache 2,000 * 2.50 + 3,000 = 8,000 -> $0.008
OPENAI = chat(
    GPT,
    {
        "prompt_tokens": 2_000, "completion_tokens": 300, "total_tokens": 2_300,
        "prompt_tokens_details": {"cached_tokens": 1_500}, "completion_tokens_details": {"reasoning_tokens": 200},
    },
)  # fmt: skip

# https://docs.anthropic.com/en/docs/about-claude/pricing: Claude Sonnet 4.5 $3, written for 5 minutes $3.75, for 1 hour
# $6, read $0.30, output $15. `input_tokens` leaves out what is read and written: the input is 1,100 tokens.
#     100 * 3    =   300
#   1,000 * 3.75 = 3,750
#      10 * 15   =   150
#                  4,200 -> $0.0042; without a cache 1,100 * 3 + 150 = 3,450 -> $0.00345, so writing cost more
FIVE_MINUTES = anthropic(
    SONNET,
    {
        "input_tokens": 100, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 1_000,
        "cache_creation": {"ephemeral_5m_input_tokens": 1_000, "ephemeral_1h_input_tokens": 0},
    },
    output_tokens=10,
)  # fmt: skip

#      100 * 3    =     300
#   50,000 * 0.30 =  15,000
#    1,000 * 3.75 =   3,750
#    2,000 * 6    =  12,000
#      400 * 15   =   6,000
#                    37,050 -> $0.03705; without a cache 53,100 * 3 + 6,000 = 165,300 -> $0.1653
ONE_HOUR = anthropic(
    SONNET,
    {
        "input_tokens": 100, "cache_read_input_tokens": 50_000, "cache_creation_input_tokens": 3_000,
        "cache_creation": {"ephemeral_5m_input_tokens": 1_000, "ephemeral_1h_input_tokens": 2_000},
    },
    output_tokens=400,
)  # fmt: skip

# https://ai.google.dev/gemini-api/docs/pricing: Gemini 2.5 Pro, prompts up to 200,000 tokens $1.25, cached $0.125,
# output $10; longer ones $2.50, $0.25, $15, for all of their tokens. Output is candidates and thoughts.
#   200,000 * 1.25 = 250,000
#     3,000 * 10   =  30,000
#                    280,000 -> $0.28
UP_TO_200K = gemini(
    PRO,
    {"promptTokenCount": 200_000, "candidatesTokenCount": 1_000, "thoughtsTokenCount": 2_000,
     "totalTokenCount": 203_000},
)  # fmt: skip

#   (250,000 - 50,000) * 2.50 = 500,000
#               50,000 * 0.25 =  12,500
#                3,000 * 15   =  45,000
#                               557,500 -> $0.5575; without a cache 250,000 * 2.50 + 45,000 = 670,000 -> $0.67
OVER_200K = gemini(
    PRO,
    {"promptTokenCount": 250_000, "cachedContentTokenCount": 50_000, "candidatesTokenCount": 1_000,
     "thoughtsTokenCount": 2_000, "totalTokenCount": 253_000},
)  # fmt: skip

# https://api-docs.deepseek.com/quick_start/pricing as of 2025: deepseek-chat $0.27, cache hit $0.07, output $1.10; from
# 16:30 to 00:30 UTC half of it. The prompt is hit + miss.
#     500 * 0.27 = 135
#   1,500 * 0.07 = 105
#     300 * 1.10 = 330
#                  570 -> $0.00057, off-peak $0.000285
#   without a cache 2,000 * 0.27 + 330 = 870 -> $0.00087, off-peak $0.000435
HIT = chat(
    DEEPSEEK,
    {
        "prompt_tokens": 2_000, "completion_tokens": 300, "total_tokens": 2_300,
        "prompt_cache_hit_tokens": 1_500, "prompt_cache_miss_tokens": 500,
    },
)  # fmt: skip
PEAK, OFF_PEAK = ("0.00057", "0.00087"), ("0.000285", "0.000435")

EXAMPLES = {
    "openai, cached": ("openai", OPENAI, "2026-01-01T12:00:00Z", ("0.006125", "0.008")),
    "anthropic, 5 minutes": ("anthropic", FIVE_MINUTES, "2026-01-01T12:00:00Z", ("0.0042", "0.00345")),
    "anthropic, 1 hour": ("anthropic", ONE_HOUR, "2026-01-01T12:00:00Z", ("0.03705", "0.1653")),
    "gemini, 200,000": ("gemini", UP_TO_200K, "2026-01-01T12:00:00Z", ("0.28", "0.28")),
    "gemini, over 200,000": ("gemini", OVER_200K, "2026-01-01T12:00:00Z", ("0.5575", "0.67")),
    "deepseek, 16:29": ("deepseek", HIT, "2025-06-01T16:29:00Z", PEAK),
    "deepseek, 16:30": ("deepseek", HIT, "2025-06-01T16:30:00Z", OFF_PEAK),
    "deepseek, 16:30 of Paris": ("deepseek", HIT, "2025-06-01T16:30:00+02:00", PEAK),
    "deepseek, 00:29": ("deepseek", HIT, "2025-06-02T00:29:00Z", OFF_PEAK),
    "deepseek, 00:30": ("deepseek", HIT, "2025-06-02T00:30:00Z", PEAK),
}


@pytest.fixture
def pinned(tmp_path):
    path = tmp_path / "prices.toml"
    path.write_text(PRICES)
    return path


@pytest.mark.parametrize("by", ["table", "file"])
@pytest.mark.parametrize(("provider", "reply", "at", "sums"), EXAMPLES.values(), ids=EXAMPLES)
def test_worked_by_hand(tmp_path, pinned, provider, reply, at, sums, by):
    path = recorded(tmp_path / "session.jsonl", provider, reply, at=at)
    priced = PricedBy() if by == "table" else PricedBy(read_price_file(pinned))
    (found,) = call_costs(cost_facts(path), priced)
    assert (found.usd, found.uncached_usd) == tuple(map(Decimal, sums))


def test_all_of_them_in_a_report(tmp_path, pinned):
    for number, (provider, reply, at, _) in enumerate(EXAMPLES.values()):
        recorded(tmp_path / f"{number}.jsonl", provider, reply, at=at)
    data = json.loads(call("cost", tmp_path, "--prices", pinned, "--format", "json").stdout)
    # 0.006125 + 0.0042 + 0.03705 + 0.28 + 0.5575 + 3 * 0.00057 + 2 * 0.000285
    assert data["totals"]["cost_usd"] == "0.887155"
    assert {group["group"]: group["cost_usd"] for group in data["groups"]} == {
        f"gemini/{PRO}": "0.8375", f"anthropic/{SONNET}": "0.04125", f"openai/{GPT}": "0.006125",
        f"deepseek/{DEEPSEEK}": "0.002280",
    }  # fmt: skip
    # 0.008 + 0.00345 + 0.1653 + 0.28 + 0.67 + 3 * 0.00087 + 2 * 0.000435 = 1.13023
    assert Decimal(data["totals"]["without_cache_usd"]) == Decimal("1.13023")
    assert Decimal(data["totals"]["saved_by_caching_usd"]) == Decimal("1.13023") - Decimal("0.887155")
    claude = next(group["usage"] for group in data["groups"] if group["group"].startswith("anthropic"))
    assert (claude["input_tokens"], claude["cache_write_tokens"], claude["cache_write_1h_tokens"]) == (
        54_200,
        4_000,
        2_000,
    )
    assert data["prices"][0] | {"name": ""} == {
        "kind": "file", "name": "", "version": "worked examples", "date": None, "calls": len(EXAMPLES),
    }  # fmt: skip


def test_what_compaction_and_an_advisor_cost(tmp_path, pinned):
    """`usage.iterations` is what Anthropic bills; the counts beside it leave compaction out (docs, "Compaction").

    50,000 * 3 + 500 * 15 = 157,500; 600 * 3 + 2,819 * 15 = 44,085; together 201,585 -> $0.201585.
    """
    iterations = [
        {"type": "compaction", "input_tokens": 50_000, "output_tokens": 500},
        {"type": "message", "input_tokens": 600, "output_tokens": 2_819},
    ]
    path = recorded(
        tmp_path / "session.jsonl", "anthropic",
        anthropic(SONNET, {"input_tokens": 600}, output_tokens=2_819, iterations=iterations),
    )  # fmt: skip
    (found,) = call_costs(cost_facts(path), PricedBy(read_price_file(pinned)))
    assert found.usd == Decimal("0.201585")


CASE = "cases/58-cost-cached-counted-twice"


@needs_shared
def test_handed_case_58(tmp_path):
    case = json.loads((SHARED / f"{CASE}.json").read_bytes(), parse_float=Decimal)
    expected = json.loads((SHARED / f"{CASE}.expect.json").read_bytes())["expected"]
    raw = case["raw"]
    prices = tmp_path / "prices.toml"
    row = ", ".join(f"{name} = {value}" for name, value in case["prices_per_million"].items())
    prices.write_text("".join(f'"{provider}/*" = {{ {row} }}\n' for provider in raw))
    anthropics = {name: value for name, value in raw["anthropic"].items() if name != "output_tokens"}
    replies = {
        "openai": chat("m", raw["openai"]),
        "gemini": gemini("m", raw["gemini"]),
        "anthropic": anthropic("m", anthropics, output_tokens=raw["anthropic"]["output_tokens"]),
        "deepseek": chat("m", raw["deepseek"]),
    }
    for provider, reply in replies.items():
        recorded(tmp_path / f"{provider}.jsonl", provider, reply)
    data = json.loads(call("cost", tmp_path, "--by", "provider", "--prices", prices, "--format", "json").stdout)
    groups = {group["group"]: group for group in data["groups"]}
    for provider, wanted in expected["normalized"].items():
        usage = groups[provider]["usage"]
        assert Decimal(groups[provider]["cost_usd"]) == Decimal(expected["cost_usd"][provider])
        assert {name: usage[f"{name}_tokens"] for name in wanted} == wanted
    assert data["totals"]["exceeding_input"] == 0
    assert Decimal(data["totals"]["cost_usd"]) == sum(map(Decimal, expected["cost_usd"].values()))


def test_a_rest_below_zero_is_counted_as_0_and_flagged(tmp_path, pinned):
    """Case 58's clamp: 2,500 cached of 2,000. 2,500 * 1.25 + 10 * 10 = 3,225."""
    usage = {"prompt_tokens": 2_000, "completion_tokens": 10, "prompt_tokens_details": {"cached_tokens": 2_500}}
    recorded(tmp_path / "session.jsonl", "openai", chat(GPT, usage), OPENAI)
    found = call("cost", tmp_path, "--prices", pinned)
    assert "Contradiction: 1 call whose cached tokens are more than the input" in found.stdout
    data = json.loads(call("cost", tmp_path, "--prices", pinned, "--format", "json").stdout)
    assert (data["totals"]["exceeding_input"], data["totals"]["cost_usd"]) == (1, "0.009350")


def test_searches_are_told_beside_what_tokens_cost(tmp_path, pinned):
    """2 searches of $10 a thousand are in no price here. 100 * 3 + 10 * 15 = 450."""
    answer = anthropic(SONNET, {"input_tokens": 100}, output_tokens=10, server_tool_use={"web_search_requests": 2})
    recorded(tmp_path / "session.jsonl", "anthropic", answer)
    found = call("cost", tmp_path, "--prices", pinned).stdout
    assert "Not priced: 2 web searches, which are billed beside the tokens" in found
    totals = json.loads(call("cost", tmp_path, "--prices", pinned, "--format", "json").stdout)["totals"]
    assert totals["provider_tools"] == {"web_search": 2}
