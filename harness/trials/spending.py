"""What trials have cost so far, against a ceiling. Money that cannot be known is never taken for none. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING

from agent.events import Usage
from agent.providers.anthropic_request import DEFAULT_MAX_TOKENS
from harness.costs.calls import call_costs
from harness.report.values import count, dollars

if TYPE_CHECKING:
    from harness.costs.priced_by import PricedBy
    from harness.report.call_facts import CallFacts
    from harness.report.facts import RecordingFacts


_DEFAULT_LIMITS: dict[str | None, int] = {"anthropic": DEFAULT_MAX_TOKENS}
"""By wire format: what a request says where it was given no limit."""


@dataclass(slots=True)
class Ledger:
    """The sum over recordings. `guessed`: calls in it that did not tell their tokens, counted by their bytes; `unseen`:
    those of them that may have cost more, as they were cut and nothing limited their output. `unknown`: what has no
    price: `provider/model` as asked for, or `web_search of provider/model`, each once; the sum holds nothing of it.
    """

    price: PricedBy
    usd: Decimal = Decimal(0)
    guessed: int = 0
    unseen: int = 0
    unknown: dict[str, None] = field(default_factory=dict)

    def add(self, facts: RecordingFacts) -> None:
        """Of a turn that recorded its cost that; of all other calls their price.

        A call that did not tell its tokens is counted as if each byte of request and response were a token. Where it
        was cut the provider may go on, and bill what nobody receives: up to the output limit of the request.
        """
        limits: dict[int | None, int | None] = {turn.turn: count(turn.params.get("max_tokens")) for turn in facts.turns}
        recorded = {turn.turn: dollars(turn.cost_usd) for turn in facts.turns}
        self.usd += sum((usd for usd in recorded.values() if usd is not None), Decimal(0))
        for call, cost in zip(facts.calls, call_costs(facts, self.price), strict=True):
            for tool in call.provider_tools:
                self._unknown(call, f"{tool} of ")
            if call.turn is not None and recorded.get(call.turn) is not None:
                continue
            if cost.usd is None and call.usage is None:
                self._guess(call, limits.get(call.turn) or _DEFAULT_LIMITS.get(call.wire))
            elif cost.usd is None:
                self._unknown(call)
            else:
                self.usd += cost.usd

    def _guess(self, call: CallFacts, limit: int | None) -> None:
        received = call.bytes if call.complete or limit is None or call.bytes is None else max(call.bytes, limit)
        most = Usage(input_tokens=call.request_bytes, output_tokens=received)
        names = [name for name in (call.answered_by, call.model) if name]
        quote = self.price.quote(most, call.provider, names) if call.provider else None
        if quote is None:
            self._unknown(call)
        else:
            self.usd += quote.usd
            self.guessed += 1
            self.unseen += limit is None and not call.complete

    def _unknown(self, call: CallFacts, what: str = "") -> None:
        self.unknown[f"{what}{call.provider or '?'}/{call.model or call.answered_by or '?'}"] = None


def unpriced(models: Iterable[tuple[str, str]], price: PricedBy) -> list[str]:
    """Those of `models` (provider and own id) that have no price."""
    some = Usage(input_tokens=1000, output_tokens=1000)
    return [f"{provider}/{model}" for provider, model in models if price(some, provider, model) is None]
