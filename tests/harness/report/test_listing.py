from __future__ import annotations

from decimal import Decimal

from harness.report.figures import TOKENS
from harness.report.listing import listing, listing_totals
from harness.report.scan import Row

USAGE = {**dict.fromkeys(TOKENS), "input_tokens": 1200, "output_tokens": 34}
ROWS = [
    Row(
        "a/x.jsonl", "2026-01-02T03:04:05.678Z", ["openai/m", "openai/n"], 1, 2, 3, 0, USAGE, Decimal("0.5"), 0, "stop"
    ),
    Row("a/y\x1b.jsonl", "2026-01-02T03:05:00Z", [], 0, 1, 0, 1, cost=None, unpriced_turns=0, ending="not closed"),
    Row("a/z.jsonl", fault="a/z.jsonl: the file is empty (record again)"),
]


def test_table():
    lines = listing(ROWS)
    assert [" ".join(line.split()) for line in lines] == [
        "date (UTC) model turns calls tool calls tokens in out cost ending recording",
        " ".join(lines[1].split()),
        "2026-01-02 03:04 openai/m +1 1 2 3 1,200 34 $0.500000 stop a/x.jsonl",
        "2026-01-02 03:05 ? 0 1 0 ? ? unpriced not closed a/y\\x1b.jsonl",
        "unreadable a/z.jsonl: the file is empty (record again)",
        "",
        "2 recordings · 3 calls · tokens in 1,200, out 34 · $0.500000 + unpriced · 1 unreadable",
    ]


def test_a_terminal_that_is_too_narrow_for_the_table():
    assert listing(ROWS, 60) == [
        "a/x.jsonl · openai/m +1",
        "  2026-01-02 03:04 · 1 turn · 2 calls · 3 tool calls · in",
        "  1,200, out 34 · $0.500000 · stop",
        "a/y\\x1b.jsonl · ?",
        "  2026-01-02 03:05 · 0 turns · 1 call · 0 tool calls · in ?,",
        "  out ? · unpriced · not closed",
        "unreadable a/z.jsonl: the file is empty (record again)",
        "",
        "2 recordings · 3 calls · tokens in 1,200, out 34 · $0.500000",
        "+ unpriced · 1 unreadable",
    ]
    assert listing(ROWS, 150) == listing(ROWS)


def test_nothing_but_unreadable_files():
    assert listing(ROWS[2:])[-1] == "0 recordings · 0 calls · tokens in ?, out ? · unpriced · 1 unreadable"


def test_totals():
    assert listing_totals(ROWS) == {
        "recordings": 2, "unreadable": 1, "turns": 1, "calls": 3, "tool_calls": 3, "errors": 1, "usage": USAGE,
        "cost_usd": "0.5", "unpriced_recordings": 1,
    }  # fmt: skip
