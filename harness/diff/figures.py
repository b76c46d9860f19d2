"""What a run took: tokens, cost, calls, time. What is not known is None, never 0. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import fsum
from typing import TYPE_CHECKING, Any

from harness.costs.billing import may_be_billed
from harness.costs.calls import CallCost, call_costs, sum_tools
from harness.report.values import dollars

if TYPE_CHECKING:
    from agent.loop_types import Price
    from harness.report.call_facts import CallFacts
    from harness.report.facts import RecordingFacts


@dataclass(slots=True, frozen=True)
class Figures:
    """Of one run. A count of tokens is None as soon as one call that may have been billed does not report it.

    `cost_usd`: what the turns recorded, else the price of their calls; None if a part has no price. `duration`: seconds
    to the last record. `first_chunk`: seconds from the request to the first chunk, of the first call that was
    answered. `tokens_per_second`: output tokens over the seconds from request to end of the calls that brought them.
    `provider_tools`: uses of the provider's own tools by name, which are billed apart: no cost holds them.
    """

    input_tokens: int | None
    output_tokens: int | None
    cache_read_tokens: int | None
    cache_write_tokens: int | None
    reasoning_tokens: int | None
    cost_usd: Decimal | None
    calls: int
    retries: int
    iterations: int | None
    tool_calls: int
    failed_tools: int
    errors: int
    duration: float | None
    first_chunk: float | None
    tokens_per_second: float | None
    provider_tools: Mapping[str, int] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        found = {name: getattr(self, name) for name in self.__slots__}
        found["cost_usd"] = None if self.cost_usd is None else f"{self.cost_usd:f}"
        found["provider_tools"] = dict(self.provider_tools)
        return found


def figures_of(facts: RecordingFacts, price: Price) -> Figures:
    answered = [call for call in facts.calls if call.content or call.usage is not None]
    billed = [call for call in facts.calls if may_be_billed(call)]
    tokens = {name: _tokens(billed, name) for name in _TOKENS}
    parts = [part for call in facts.calls for part in call.content if part["type"] == "tool_call"]
    iterations = [turn.iterations for turn in facts.turns]
    return Figures(
        **tokens,
        cost_usd=_cost(facts, price),
        calls=len(facts.calls),
        retries=sum(call.retry_of is not None for call in facts.calls),
        iterations=_sum(iterations) if iterations else None,
        tool_calls=len(parts),
        failed_tools=sum(not result["ok"] for call in facts.calls for result in call.tool_results),
        errors=sum(len(call.errors) for call in facts.calls),
        duration=facts.duration,
        first_chunk=next((call.first_chunk for call in answered if call.first_chunk is not None), None),
        tokens_per_second=_rate(answered, tokens["output_tokens"]),
        provider_tools=sum_tools(call.provider_tools for call in facts.calls),
    )


_TOKENS = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")


def _tokens(calls: Sequence[CallFacts], name: str) -> int | None:
    return _sum([None if call.usage is None else call.usage[name] for call in calls])


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if known and len(known) == len(counts) else None


def _rate(calls: Sequence[CallFacts], tokens: int | None) -> float | None:
    times = [call.duration for call in calls]
    known = [time for time in times if time is not None]
    seconds = fsum(known)
    if tokens is None or len(known) < len(times) or seconds <= 0:
        return None
    return round(tokens / seconds, 3)


def _cost(facts: RecordingFacts, price: Price) -> Decimal | None:
    """Of the turns that recorded a cost that; of all other calls their price."""
    recorded = {turn.turn: dollars(turn.cost_usd) for turn in facts.turns}
    costs: list[Decimal | None] = [amount for amount in recorded.values() if amount is not None]
    if None in recorded.values() or any(call.turn not in recorded for call in facts.calls):
        costs += [cost.usd for cost in call_costs(facts, price) if not _is_in(cost, recorded)]
    known = [amount for amount in costs if amount is not None]
    if len(known) < len(costs) or not (costs or facts.calls):
        return None
    return sum(known, Decimal(0))


def _is_in(cost: CallCost, recorded: dict[int, Decimal | None]) -> bool:
    return cost.turn is not None and recorded.get(cost.turn) is not None
