"""What calls cost: the price function and its day, the models it is asked for, and what stays unpriced."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from agent.events import End, Usage
from harness.config import Config
from harness.costs import call_costs, price_with, total
from harness.recording.contents import Call, Request
from harness.recording.opening import Recording
from harness.recording.opening import open as open_recording

RECORDINGS = Path(__file__).resolve().parents[2] / "recordings"
USAGE = {"input_tokens": 1_000_000, "output_tokens": 10}


def recording(*calls, started_at="2026-01-02T03:04:05Z"):
    return Recording(Path("x.jsonl"), {"started_at": started_at}, calls=list(calls))


def call(*events, number=0, started=0.0, body=None, **request):
    record = {"turn": 0, "provider": "p", "model": "asked", **request}
    found = Call(number, Request("POST", "http://h", [], body, record), started, end=End())
    found.event_records = [{"event": event} for event in events]
    return found


def closing(usage=USAGE, model="answered"):
    return {"type": "usage", "usage": usage, "model": model, "stop_reason": "stop", "complete": True}


class Prices:
    """A price function that knows some models, and what it was asked."""

    def __init__(self, **known):
        self.known = known
        self.asked = []

    def __call__(self, usage, provider, model, at):
        self.asked.append((provider, model, at))
        return self.known.get(model)


def test_each_call_at_the_prices_of_its_day():
    prices = Prices(answered=Decimal("0.25"))
    found = call_costs(recording(call(closing()), call(closing(), number=1, started=90.5)), prices)
    assert [cost.usd for cost in found] == [Decimal("0.25")] * 2
    assert [at for _, _, at in prices.asked] == [
        datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        datetime(2026, 1, 2, 3, 5, 35, 500_000, tzinfo=UTC),
    ]
    assert total(found) == (Decimal("0.50"), 0)


def test_the_model_that_was_asked_where_the_one_that_answered_has_no_price():
    prices = Prices(asked=Decimal(1))
    (found,) = call_costs(recording(call(closing())), prices)
    assert (found.usd, found.model) == (Decimal(1), "answered")
    assert [model for _, model, _ in prices.asked] == ["answered", "asked"]


@pytest.mark.parametrize(
    "events",
    [
        [closing()],
        [{"type": "text", "text": "hi"}, closing(None)],
        [{"type": "text", "text": "hi"}],
    ],
    ids=["no price", "no usage", "no end"],
)
def test_what_is_unknown_is_never_0(events):
    found = call_costs(recording(call(*events)), Prices())
    assert found[0].usd is None
    assert found[0].to_dict()["cost_usd"] is None
    assert total(found) == (Decimal(0), 1)


def test_without_a_provider_nothing_is_guessed():
    prices = Prices(answered=Decimal(1))
    (found,) = call_costs(recording(call(closing(), provider=None, model=None, body={"model": "m"})), prices)
    assert (found.usd, found.provider, found.model, prices.asked) == (None, None, "answered", [])


def test_a_call_that_brought_nothing_costs_nothing():
    failed = call({"type": "error", "message": "busy", "kind": "overloaded", "retryable": True}, closing(None, None))
    (found,) = call_costs(recording(failed), Prices())
    assert (found.usd, found.usage, found.model) == (Decimal(0), None, "asked")


@pytest.mark.parametrize("started_at", [None, 7, "yesterday", "2026-01-02T03:04:05.678Z"])
@pytest.mark.parametrize("started", [0.0, 1e300])
def test_times_that_say_nothing(started_at, started):
    prices = Prices(answered=Decimal(1))
    (found,) = call_costs(recording(call(closing(), started=started), started_at=started_at), prices)
    assert found.usd == 1


@pytest.mark.parametrize("usage", [7, [], {"input_tokens": "x", "iterations": 7}, {"iterations": ["a"]}])
def test_usage_of_any_shape(usage):
    call_costs(recording(call(closing(usage))), price_with(Config()))


def test_rows_of_the_user_win():
    config = Config(prices={"openai/own": {"input": Decimal(2), "output": Decimal(4)}})
    price = price_with(config)
    usage = Usage(1_000_000, 1_000_000)
    assert price(usage, "openai", "own", None) == 6
    assert price(usage, "openai", "gpt-4.1-mini", None) not in (None, 6)
    assert price(usage, "nobody", "own", None) is None
    assert price(Usage(), "openai", "own", None) is None


@pytest.mark.parametrize("path", sorted(RECORDINGS.glob("*.jsonl")), ids=lambda path: path.stem)
def test_every_recording_has_its_costs(path):
    """Which calls have a price is as it was when they were recorded; what the price is may have been corrected."""
    opened = open_recording(path)
    found = call_costs(opened, price_with(Config()))
    assert [cost.call for cost in found] == [call.number for call in opened.calls]
    for turn in opened.turns:
        for record in turn.loop:
            if record["event"] == "finish" and record["data"]["cost_usd"] is not None:
                assert total(cost for cost in found if cost.turn == turn.number)[1] == 0
