"""What calls cost: the price function and its day, the models it is asked for, and what stays unpriced."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from harness.config import Config
from harness.costs.calls import call_costs, total
from harness.costs.priced_by import PricedBy, configured
from harness.costs.reading import cost_facts
from harness.recording.opening import open as open_recording
from tests.harness.costs.facts import ERROR, TEXT, USAGE, call, recording

RECORDINGS = Path(__file__).resolve().parents[3] / "recordings"
NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)


class Prices:
    """A price function that knows some models, and what it was asked."""

    def __init__(self, **known):
        self.known = known
        self.asked = []

    def __call__(self, usage, provider, model, at):
        self.asked.append((provider, model, at))
        return self.known.get(model)


def test_each_call_at_the_prices_of_its_time():
    prices = Prices(answered=Decimal("0.25"))
    found = call_costs(recording(call(), call(1, started=90.5)), prices)
    assert [cost.usd for cost in found] == [Decimal("0.25")] * 2
    assert [at for _, _, at in prices.asked] == [
        datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        datetime(2026, 1, 2, 3, 5, 35, 500_000, tzinfo=UTC),
    ]
    assert total(found) == (Decimal("0.50"), 0)


def test_all_calls_at_one_time():
    prices = Prices(answered=Decimal(1))
    (found,) = call_costs(recording(call()), prices, at=NOON)
    assert [at for _, _, at in prices.asked] == [NOON]
    assert found.at == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


def test_the_seconds_of_a_resumed_recording_go_on_over_the_pause():
    resumes = [{"t": 10.0, "started_at": "2026-01-05T00:00:00Z"}, {"t": None, "started_at": None}]
    calls = [call(started=9.5), call(1, started=10.25)]
    before, after = call_costs(recording(*calls, resumes=resumes), Prices())
    assert before.at == datetime(2026, 1, 2, 3, 4, 14, 500_000, tzinfo=UTC)
    assert after.at == datetime(2026, 1, 5, 0, 0, 0, 250_000, tzinfo=UTC)


def test_the_model_that_was_asked_where_the_one_that_answered_has_no_price():
    prices = Prices(asked=Decimal(1))
    (found,) = call_costs(recording(call()), prices)
    assert (found.usd, found.model) == (Decimal(1), "answered")
    assert [model for _, model, _ in prices.asked] == ["answered", "asked"]


@pytest.mark.parametrize(
    "known",
    [{}, {"usage": None, "content": TEXT}, {"usage": None, "ending": "not_closed"}, {"provider": None}],
    ids=["no price", "no usage", "killed", "no provider"],
)
def test_what_is_unknown_is_never_0(known):
    (found,) = call_costs(recording(call(**known)), Prices())
    assert (found.usd, found.uncached_usd, found.source) == (None, None, None)
    assert found.to_dict()["cost_usd"] is None
    assert total([found]) == (Decimal(0), 1)


def test_without_a_provider_nothing_is_guessed():
    prices = Prices(answered=Decimal(1))
    (found,) = call_costs(recording(call(provider=None)), prices)
    assert (found.usd, found.provider, found.model, prices.asked) == (None, None, "answered", [])


def test_the_provider_at_the_host_where_the_recording_names_none():
    prices = Prices(answered=Decimal(1))
    url, wire = "https://api.openai.com/v1/responses", "openai-responses"
    (found,) = call_costs(recording(call(provider=None, url=url, wire=wire)), prices)
    assert (found.usd, found.provider) == (1, "openai-responses")


def test_a_call_that_was_refused_costs_nothing():
    failed = call(usage=None, answered_by=None, errors=[ERROR], stop_reason="error")
    (found,) = call_costs(recording(failed), Prices(), on=[("a", "b")])
    assert (found.usd, found.usage, found.model, found.failed, found.billable) == (0, None, "asked", True, False)
    assert found.on == (0,)


@pytest.mark.parametrize(
    ("known", "failed"),
    [
        ({}, False),
        ({"errors": [ERROR]}, True),
        ({"stop_reason": "truncated"}, True),
        ({"stop_reason": "length"}, False),
        ({"stop_reason": None, "status": 500, "ending": "ended"}, True),
        ({"stop_reason": None, "ending": "not_closed"}, True),
        ({"stop_reason": "cancelled", "ending": "cancelled"}, False),
    ],
    ids=["stop", "error", "truncated", "length", "unknown format", "killed", "cancelled"],
)
def test_failed(known, failed):
    (found,) = call_costs(recording(call(**known)), Prices())
    assert found.failed is failed


@pytest.mark.parametrize("started_at", [None, "yesterday", "2026-01-02T03:04:05.678", "0001-01-01T00:00:00+09:00"])
@pytest.mark.parametrize("started", [None, 0.0, 1e300])
def test_times_that_say_nothing(started_at, started):
    (found,) = call_costs(recording(call(started=started), started_at=started_at), Prices(answered=Decimal(1)))
    assert found.usd == 1
    assert (found.at is None) == (started == 1e300 or started_at in (None, "yesterday", "0001-01-01T00:00:00+09:00"))


@pytest.mark.parametrize("iterations", [None, ["a"], [{"input_tokens": "x"}]])
@pytest.mark.parametrize("counts", [{}, {"input_tokens": None}, {"cache_read_tokens": 7}])
def test_usage_of_any_shape(counts, iterations):
    call_costs(recording(call(usage=USAGE | counts, iterations=iterations)), configured(Config()))


ROW = {"input": 2, "output": 0, "cache_read": 1}


def test_other_models_and_what_caching_saved():
    priced = PricedBy(rows={"p/answered": ROW, "q/x": ROW | {"input": 4, "cache_read": 0}}, table=Prices())
    usage = USAGE | {"cache_read_tokens": 500_000, "output_tokens": 0}
    (found,) = call_costs(recording(call(usage=usage)), priced, on=[("q", "x"), ("q", "y")])
    # 0.5 * 2 + 0.5 * 1; without a cache 1 * 2; on q/x 0.5 * 4
    assert (found.usd, found.uncached_usd, found.on) == (Decimal("1.5"), 2, (2, None))
    assert not found.exceeds_input


def test_cached_tokens_beyond_the_input_are_told():
    (found,) = call_costs(recording(call(usage=USAGE | {"cache_read_tokens": 1_000_001})), Prices())
    assert found.exceeds_input


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_recording_has_its_costs(path):
    """Which calls have a price is as it was when they were recorded; what the price is may have been corrected."""
    opened = open_recording(path)
    found = call_costs(cost_facts(path), configured(Config()))
    assert [cost.call for cost in found] == [call.number for call in opened.calls]
    for turn in opened.turns:
        for record in turn.loop:
            if record["event"] == "finish" and record["data"]["cost_usd"] is not None:
                assert total(cost for cost in found if cost.turn == turn.number)[1] == 0
