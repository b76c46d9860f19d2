"""What a cost report says, and its data."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from decimal import Decimal

import pytest

from harness.costs.priced_by import PricedBy, PriceFile
from harness.costs.report import Costs, report
from harness.costs.sums import merge, sums_by
from harness.report.figures import TOKENS
from harness.report.rendering import render
from harness.report.report import Details, Table
from tests.harness.costs.facts import recording
from tests.harness.costs.test_sums import NOTHING, ONE, UNPRICED, USAGE

FILE = PricedBy(PriceFile("prices.toml", {"p/m": {"input": 1}}, "3", None, exclusive=True))
CACHED = USAGE | {"cache_read_tokens": 50, "cache_write_tokens": 9, "cache_write_1h_tokens": 4, "reasoning_tokens": 2}
CALLS = [
    replace(ONE, usage=CACHED),
    replace(ONE, call=1, failed=True, usd=Decimal(2), uncached_usd=Decimal(2)),
    replace(ONE, call=2, failed=True, model="gone", **NOTHING),
    replace(ONE, call=3, retry=True, model="local", **UNPRICED),
]


def costs(*calls, by="model", priced=FILE, on=(), at=None, faults=()):
    made = Costs(by, priced, at, on, recordings=1, faults=[*faults])
    merge(made.groups, sums_by(by, recording(task="t"), calls))
    return made


def texts(*calls, **more):
    """The lines of the report, blanks run together."""
    return [" ".join(line.split()) for line in render(report(costs(*calls, **more)), "text", "1").splitlines()]


def test_in_words():
    lines = texts(*CALLS)
    assert lines[3] == (
        "1 recording, 4 calls: $3.000000 + 1 call unpriced (25.0% of the calls, 33.3% of the tokens), "
        "each call at the prices of its time."
    )
    assert lines[7:11] == [
        "p/m 2 1 $3.000000 $2.000000 $2.000000",
        "p/local 1 0 unpriced",
        "p/gone 1 1 $0.000000 $0.000000",
        "total 4 2 $3.000000 + 1 unpriced $2.000000 $2.000000",
    ]
    assert lines[14:18] == [
        "p/m 200 50 5 4 20 2",
        "p/local 100 ? ? ? 10 ?",
        "p/gone ? ? ? ? ? ?",
        "total 300 50 5 4 30 2",
    ]
    assert lines[19:26] == [
        "Unpriced: 1 call, 110 tokens",
        "p/local: 1 call",
        "Errors: 2 calls failed: $2.000000; 1 call tried a failed one again: unpriced",
        "Caching saved $2.000000, 40.0% of the $5.000000 that the priced calls cost without it",
        "Prices, in dollars per million tokens, looked up in this order",
        "prices.toml (version 3): 2 calls",
        "the file is exclusive: no other prices were asked for",
    ]


def test_columns_in_which_nothing_is_known_are_not_shown():
    lines = texts(replace(ONE, **NOTHING))
    assert lines[5] == "model calls errors cost"
    assert not any(line.startswith("model input") for line in lines)
    priced = texts(replace(ONE, usage=CACHED | {"cache_write_1h_tokens": None, "reasoning_tokens": None}))
    assert priced[10] == "model input cached written 5m output"


def test_other_models():
    calls = [replace(ONE, on=(Decimal("0.5"), None)), replace(ONE, call=1, on=(Decimal(1), None), **UNPRICED)]
    lines = texts(*calls, on=["a/b", "c/d"])
    at = lines.index("The same tokens on other models")
    assert lines[at + 5 : at + 8] == [
        "as recorded $1.000000 + 1 call unpriced",
        "a/b $1.500000 -$0.500000 -50.0% 1 of 2",
        "c/d unpriced ? ? 0 of 2",
    ]


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (replace(ONE, uncached_usd=Decimal("0.5")), "Caching cost in addition $0.500000, 100.0% of the $0.500000"),
        (replace(ONE, uncached_usd=Decimal(0), usd=Decimal(0)), "Caching saved $0.000000 of the $0.000000"),
        (replace(ONE, exceeds_input=True), "Contradiction: 1 call whose cached tokens are more than the input"),
        (replace(ONE, at=None), "No time: 1 call of recordings without a date"),
        (replace(ONE, usage=None, **UNPRICED), "1 call reported no tokens, so theirs are not among these"),
    ],
)
def test_notes(call, said):
    assert any(said in line for line in texts(call))


def test_nothing_is_said_of_what_is_not_there():
    lines = texts(ONE)
    assert not [line for line in lines if line.startswith(("Unpriced", "Errors", "Contradiction", "No time", "Models"))]
    assert not [line for line in texts() if line.startswith("Caching")]


def test_models_are_named_where_they_are_not_the_groups():
    assert "Models: p/gone, p/local, p/m" in texts(*CALLS, by="task")


def test_today():
    at = datetime(2026, 12, 1, 1, 2, 3, tzinfo=UTC)
    assert texts(ONE, at=at)[3].endswith("at the prices of 2026-12-01 01:02 UTC.")
    assert report(costs(ONE, at=at)).data["at"] == "2026-12-01T01:02:03Z"
    assert report(costs(ONE)).data["at"] == "recorded"


def test_faults():
    made = report(costs(ONE, faults=["x.jsonl: torn"]))
    assert made.blocks[-1] == Details("1 recording could not be read", ["x.jsonl: torn"])
    assert made.data["unreadable"] == ["x.jsonl: torn"]


def test_data():
    data = report(costs(*CALLS, on=["a/b"])).data
    assert [group["group"] for group in data["groups"]] == ["p/m", "p/local", "p/gone"]
    assert data["prices"] == [{"kind": "file", "name": "prices.toml", "version": "3", "date": None, "calls": 2}]
    totals = data["totals"]
    assert (totals["cost_usd"], totals["saved_by_caching_usd"]) == ("3", "2")
    assert totals["unpriced"] == {
        "calls": 1, "tokens": 110, "share_of_calls": 0.25, "share_of_tokens": 0.333333, "without_usage": 0,
    }  # fmt: skip
    assert totals["errors"] == {"calls": 2, "cost_usd": "2", "unpriced": 0}
    assert totals["retries"] == {"calls": 1, "cost_usd": None, "unpriced": 1}
    assert totals["models"] == {"p/gone": 1, "p/local": 1, "p/m": 2}
    assert totals["no_price"] == {"p/local": 1}


def test_csv():
    made = report(costs(*[replace(one, on=(Decimal(1),)) for one in CALLS], on=["a/b"]))
    rows = [dict(zip(made.headers, row, strict=True)) for row in made.rows]
    assert [row["model"] for row in rows] == ["p/m", "p/local", "p/gone"]
    assert {name: rows[0][name] for name in TOKENS} == {
        "input_tokens": 200, "output_tokens": 20, "cache_read_tokens": 50, "cache_write_tokens": 9,
        "cache_write_1h_tokens": 4, "reasoning_tokens": 2,
    }  # fmt: skip
    assert (rows[0]["cost_usd"], rows[1]["cost_usd"], rows[0]["a/b cost_usd"]) == ("3", None, "2")
    assert (rows[0]["error_cost_usd"], rows[1]["unpriced_calls"]) == ("2", 1)


def test_the_table_is_aligned_and_ends_with_the_total():
    table = next(block for block in report(costs(*CALLS)).blocks if isinstance(block, Table))
    assert table.rows[-1][0] == "total"
    assert {*table.right} == {*table.headers[1:]}


def test_tools_that_are_billed_apart_are_told_and_not_priced():
    calls = [replace(ONE, tools={"web_search": 2}), replace(ONE, call=1, tools={"file_search": 1, "web_search": 1})]
    assert "Not priced: 1 file search, 3 web searches, which are billed beside the tokens" in texts(*calls)
    found = report(costs(*calls))
    assert found.data["totals"]["provider_tools"] == {"file_search": 1, "web_search": 3}
    assert found.rows[0][list(found.headers).index("provider_tools")] == "file_search=1 web_search=3"
    assert not any("Not priced" in line for line in texts(ONE))
