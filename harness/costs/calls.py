"""What the calls of a recording cost, each at the prices of its time. What has no price is None, never 0. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from agent.events import usage_from_dict
from agent.pricing import exceeds_input
from harness.costs.billing import may_be_billed
from harness.costs.priced_by import PricedBy, Quote
from harness.report.figures import Usage

if TYPE_CHECKING:
    from agent.events import Usage as Counts
    from agent.loop_types import Price
    from harness.report.call_facts import CallFacts
    from harness.report.facts import RecordingFacts

_FAILED = frozenset({"error", "truncated"})
_CUT = frozenset({"http_error", "no_response", "not_closed", "reset", "timeout", "truncated"})


@dataclass(slots=True, frozen=True)
class CallCost:
    """One call. `model`: the one that answered, else the one that was asked. `usage` None: not reported.

    `at`: when it was made, None where the recording does not tell. `failed`: it brought an error, or its answer was cut
    off other than by the client.
    `billable`: it may have cost something (`harness.costs.billing.may_be_billed`); else it costs nothing.
    `uncached_usd`: the same tokens without a cache. `exceeds_input`: its cached tokens are more than its input, so that
    the rest was counted as 0. `tools`: uses of the provider's own tools by name, which are billed apart and are in no
    price here. `source`: of the price, its place in `PricedBy.sources`. `on`: dollars on the models of
    a what-if, in their order.
    """

    call: int
    turn: int | None
    retry: bool
    failed: bool
    billable: bool
    at: datetime | None
    provider: str | None
    model: str | None
    usage: Usage | None
    usd: Decimal | None
    uncached_usd: Decimal | None
    exceeds_input: bool
    source: int | None
    tools: Mapping[str, int] = field(default_factory=dict)
    on: tuple[Decimal | None, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """What the MCP tool `recording_cost` tells of it."""
        return {
            "call": self.call,
            "turn": self.turn,
            "provider": self.provider,
            "model": self.model,
            "usage": self.usage,
            "cost_usd": None if self.usd is None else f"{self.usd:f}",
            "provider_tools": dict(self.tools),
        }


def call_costs(
    facts: RecordingFacts,
    price: Price | PricedBy,
    *,
    at: datetime | None = None,
    on: Sequence[tuple[str, str]] = (),
) -> list[CallCost]:
    """The calls in order. One that was refused before any output, or never got through, costs nothing, as in the loop's
    sums; any other that reports no usage has no price.

    That needs the content of such calls: read the facts with it, or by `harness.costs.reading.cost_facts`.
    `at`: price all calls at this time, instead of each at its own. `on`: providers and models to price the same tokens
    on. Where a recording does not name the provider, it is the one at the host of the request; at an unknown host it is
    unknown, and the call has no price.
    """
    priced = price if isinstance(price, PricedBy) else PricedBy(table=price)
    return [_cost(call, _made(facts, call), priced, at, on) for call in facts.calls]


def total(costs: Iterable[CallCost]) -> tuple[Decimal, int]:
    """The sum of what has a price, and how many calls have none."""
    found = [cost.usd for cost in costs]
    return sum((usd for usd in found if usd is not None), Decimal(0)), found.count(None)


def tools_of(costs: Iterable[CallCost]) -> dict[str, int]:
    """Uses of the provider's own tools by name, of all calls: they are billed apart, and nothing prices them."""
    return sum_tools(cost.tools for cost in costs)


def sum_tools(uses: Iterable[Mapping[str, int]]) -> dict[str, int]:
    """Uses of tools by name, added up and in the order of the names."""
    found: Counter[str] = Counter()
    for one in uses:
        found.update(one)
    return dict(sorted(found.items()))


def _cost(
    call: CallFacts, made: datetime | None, priced: PricedBy, at: datetime | None, on: Sequence[tuple[str, str]]
) -> CallCost:
    when = at or made
    models = [*dict.fromkeys(model for model in (call.answered_by, call.model) if model is not None)]
    usd = uncached = source = None
    exceeds = False
    provider = call.provider or priced.provider_at(call.url, call.wire)
    others: tuple[Decimal | None, ...] = (None,) * len(on)
    billable = may_be_billed(call)
    if not billable:
        usd = uncached = Decimal(0)
        others = (Decimal(0),) * len(on)
    elif call.usage is not None:
        counts = usage_from_dict({**call.usage, "iterations": call.iterations})
        exceeds = exceeds_input(counts)
        others = tuple(_usd(priced.reprice(counts, *target, when)) for target in on)
        quote = None if provider is None else priced.quote(counts, provider, models, when)
        if quote is not None and provider is not None:
            usd, source = quote.usd, quote.source
            uncached = _uncached(counts, usd, priced, provider, models, when)
    return CallCost(
        call=call.call,
        turn=call.turn,
        retry=call.retry_of is not None,
        failed=_failed(call),
        billable=billable,
        at=made,
        provider=provider,
        model=models[0] if models else None,
        usage=call.usage,
        usd=usd,
        uncached_usd=uncached,
        exceeds_input=exceeds,
        source=source,
        tools=call.provider_tools,
        on=others,
    )


def _failed(call: CallFacts) -> bool:
    """Formats that are not known have neither errors nor a stop reason."""
    refused = call.status is not None and call.status >= 400
    return bool(call.errors) or call.stop_reason in _FAILED or call.ending in _CUT or refused


def _uncached(
    counts: Counts, usd: Decimal, priced: PricedBy, provider: str, models: Sequence[str], at: datetime | None
) -> Decimal | None:
    if not (counts.cache_read_tokens or counts.cache_write_tokens or counts.cache_write_1h_tokens or counts.iterations):
        return usd
    return _usd(priced.quote(counts, provider, models, at, cached=False))


def _usd(quote: Quote | None) -> Decimal | None:
    return None if quote is None else quote.usd


def _made(facts: RecordingFacts, call: CallFacts) -> datetime | None:
    """When a call was made: its seconds go on over a pause, so they count from the last resume before it."""
    seconds, since, began = call.started or 0.0, 0.0, facts.started_at
    for resume in facts.resumes:
        if resume["t"] is not None and resume["t"] <= seconds:
            since, began = resume["t"], resume["started_at"]
    started = _moment(began)
    try:
        return None if started is None else started + timedelta(seconds=seconds - since)
    except OverflowError:
        return None


def _moment(text: str | None) -> datetime | None:
    """A recorded date, in UTC; one without a zone is UTC."""
    try:
        found = datetime.fromisoformat(text or "")
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
