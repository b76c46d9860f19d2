"""Adds up the calls of a turn for its `finish` event. Pure: the price function comes from outside."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

from agent.events import USAGE_COUNTS, Error, Usage, UsageEvent, to_dict, usage_to_dict
from agent.refusals import is_refusal


class Totals:
    """Tokens, cost and answering model of the calls so far. A field that no call reported stays null."""

    __slots__ = ("_cost", "_unpriced", "_usage", "model")

    def __init__(self) -> None:
        self.model: str | None = None
        self._usage = Usage()
        self._cost: Decimal | None = None
        self._unpriced = False

    def add(
        self,
        closing: UsageEvent,
        price: Callable[[Usage], Decimal | None] | None,
        *,
        error: Error | None = None,
        had_output: bool,
    ) -> None:
        """Count one call, retried ones too. `error`: its first one.

        A call without a price makes the whole cost unknown, and so does one without usage: what is unknown is never
        counted as 0. Only a call that was refused before any output, or never got through, costs nothing.
        """
        self.model = closing.model or self.model
        if closing.usage is None:
            refused = (
                error is not None
                and not had_output
                and is_refusal(to_dict(error), complete=closing.complete, stop_reason_raw=closing.stop_reason_raw)
            )
            self._unpriced = self._unpriced or not refused
            return
        for name in USAGE_COUNTS:
            value = getattr(closing.usage, name)
            if value is not None:
                setattr(self._usage, name, (getattr(self._usage, name) or 0) + value)
        cost = None if price is None else price(closing.usage)
        if cost is None:
            self._unpriced = True
        else:
            self._cost = (self._cost or Decimal(0)) + cost

    def finish(self, stop_reason: str, iterations: int) -> dict[str, Any]:
        """The data of the `finish` event."""
        return {
            "usage": usage_to_dict(self._usage),
            "cost_usd": None if self._unpriced or self._cost is None else dollars(self._cost),
            "model": self.model,
            "stop_reason": stop_reason,
            "iterations": iterations,
        }


def dollars(amount: Decimal) -> str:
    """An exact decimal string, with at least six places and no exponent."""
    exponent = amount.as_tuple().exponent
    return f"{amount:f}" if isinstance(exponent, int) and exponent < -6 else f"{amount:.6f}"
