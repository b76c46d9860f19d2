"""What the calls of a recording cost, each at the prices of its day. What has no price is None, never 0."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from agent.events import Usage, usage_from_dict
from harness.recording.records import Record
from harness.report.figures import usage_of
from harness.report.values import items, mapping, number, text

if TYPE_CHECKING:
    from agent.loop_types import Price
    from harness.config import Config
    from harness.recording.contents import Call
    from harness.recording.opening import Recording

_OUTPUT = frozenset({"text", "reasoning", "tool_call"})


@dataclass(slots=True, frozen=True)
class CallCost:
    """One call. `model`: the one that answered, else the one that was asked. `usage` None: not reported."""

    call: int
    turn: int | None
    provider: str | None
    model: str | None
    usage: dict[str, int | None] | None
    usd: Decimal | None

    def to_dict(self) -> dict[str, Any]:
        return {
            "call": self.call,
            "turn": self.turn,
            "provider": self.provider,
            "model": self.model,
            "usage": self.usage,
            "cost_usd": None if self.usd is None else f"{self.usd:f}",
        }


def price_with(config: Config) -> Price:
    """The price function that takes the user's own rows before the table."""
    from agent.pricing import price, price_from_row

    def priced(usage: Usage, provider: str, model: str, at: datetime | None = None) -> Decimal | None:
        row = config.price_row(provider, model)
        if row is None:
            return price(usage, provider, model, at)
        found = price_from_row(usage, row)
        return None if found is None else found.usd

    return priced


def call_costs(recording: Recording, price: Price) -> list[CallCost]:
    """The calls in order. One that brought no output and reports no usage costs nothing, as in the loop's sums."""
    started = _started(recording.header)
    return [_cost(call, started, price) for call in recording.calls]


def total(costs: Iterable[CallCost]) -> tuple[Decimal, int]:
    """The sum of what has a price, and how many calls have none."""
    found = [cost.usd for cost in costs]
    return sum((usd for usd in found if usd is not None), Decimal(0)), found.count(None)


def _cost(call: Call, started: datetime | None, price: Price) -> CallCost:
    request = call.request.record
    asked = text(request.get("model")) or text(mapping(call.request.body).get("model"))
    provider = text(request.get("provider"))
    closing: Record = next((event for event in reversed(call.events) if event.get("type") == "usage"), {})
    answered = text(closing.get("model"))
    counts = usage_of(closing.get("usage"))
    usd = None
    if counts is None:
        usd = None if any(event.get("type") in _OUTPUT for event in call.events) else Decimal(0)
    elif provider is not None:
        usage = usage_from_dict({**counts, "iterations": items(mapping(closing["usage"]).get("iterations")) or None})
        at = _later(started, number(call.started) or 0.0)
        models = dict.fromkeys(model for model in (answered, asked) if model is not None)
        usd = next((usd for model in models if (usd := price(usage, provider, model, at)) is not None), None)
    return CallCost(call.number, call.turn, provider, answered or asked, counts, usd)


def _started(header: Record | None) -> datetime | None:
    try:
        return datetime.fromisoformat(str(mapping(header).get("started_at")))
    except ValueError:
        return None


def _later(started: datetime | None, seconds: float) -> datetime | None:
    try:
        return None if started is None else started + timedelta(seconds=seconds)
    except OverflowError:
        return None
