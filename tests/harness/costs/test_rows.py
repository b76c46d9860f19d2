"""Which row holds for a model, and which tier for a call."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta, timezone

import pytest

from harness.costs.rows import find_row, row_at

ROWS = {
    "openai/gpt-4.1": {"input": 1}, "openai/gpt-4.1-2025-04-14": {"input": 2}, "ollama/*": {"input": 0},
    "openai-responses/o3": {"input": 3}, "openai/o3": {"input": 4},
}  # fmt: skip


@pytest.mark.parametrize(
    ("provider", "model", "found"),
    [
        ("openai", "gpt-4.1", 1),
        ("openai", "gpt-4.1-2025-04-14", 2),
        ("openai", "gpt-4.1-2026-01-31", 1),
        ("openai", "gpt-4.1-20260131", 1),
        ("openai", "gpt-4.1-mini", None),
        ("openai", "gpt-4.1-0131", None),
        ("azure", "gpt-4.1", None),
        ("openai-responses", "gpt-4.1-2026-01-31", 1),
        ("openai-responses", "o3", 3),
        ("openai", "o3", 4),
        ("ollama", "anything/at-all:7b", 0),
    ],
)
def test_the_nearest_name_wins(provider, model, found):
    row = find_row(ROWS, provider, model)
    assert (None if row is None else row["input"]) == found


BIG = {"above": 200_000, "input": 2}
NIGHT = {"between": (time(16, 30), time(0, 30)), "input": 3}
MAY = {"since": date(2026, 5, 1), "until": date(2026, 6, 1), "input": 4}
BOTH = {"above": 10, "between": (time(8), time(9)), "input": 5}


def at(text):
    return datetime.fromisoformat(text)


@pytest.mark.parametrize(
    ("tiers", "tokens", "when", "found"),
    [
        ([BIG], 200_000, None, 1),
        ([BIG], 200_001, None, 2),
        ([BIG], None, None, 1),
        ([NIGHT], 1, at("2026-01-01T16:29:59"), 1),
        ([NIGHT], 1, at("2026-01-01T16:30:00"), 3),
        ([NIGHT], 1, at("2026-01-01T00:29:59"), 3),
        ([NIGHT], 1, at("2026-01-01T00:30:00"), 1),
        ([NIGHT], 1, None, 1),
        ([NIGHT], 1, datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=2))), 3),
        ([MAY], 1, at("2026-04-30T23:59:59"), 1),
        ([MAY], 1, at("2026-05-01T00:00:00"), 4),
        ([MAY], 1, at("2026-05-31T23:59:59"), 4),
        ([MAY], 1, at("2026-06-01T00:00:00"), 1),
        ([MAY], 1, datetime(2026, 6, 1, 1, tzinfo=timezone(timedelta(hours=2))), 4),
        ([BOTH], 11, at("2026-01-01T08:00:00"), 5),
        ([BOTH], 10, at("2026-01-01T08:00:00"), 1),
        ([BOTH], 11, at("2026-01-01T09:00:00"), 1),
        ([BIG, MAY], 300_000, at("2026-05-02T00:00:00"), 4),
        ([MAY, BIG], 300_000, at("2026-05-02T00:00:00"), 2),
    ],
)
def test_the_last_tier_that_holds(tiers, tokens, when, found):
    assert row_at({"input": 1, "output": 9, "tier": tiers}, tokens, when)["input"] == found


def test_a_tier_changes_what_it_names():
    row = {"input": 1, "output": 9, "cache_read": 0.5, "tier": [BIG]}
    assert {**row_at(row, 300_000, datetime.now(UTC)), "tier": None} == {
        "input": 2, "output": 9, "cache_read": 0.5, "tier": None,
    }  # fmt: skip
