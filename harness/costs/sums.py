"""Sums of calls by group. Two sums of the same group add up, so that files can be read in several processes. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Context, Decimal
from typing import TYPE_CHECKING

from harness.costs.calls import CallCost
from harness.report.figures import Usage, add_usage

if TYPE_CHECKING:
    from harness.report.facts import RecordingFacts

UNKNOWN = "?"
NONE = "-"

_plus = Context(prec=1_000).add
"""Exact, so that groups add up to the total in any order: `+` rounds to 28 digits."""


@dataclass(slots=True)
class Money:
    """Dollars of the `priced` calls, and the number of those that have no price. A call that cannot have cost anything
    is counted in neither."""

    usd: Decimal = Decimal(0)
    priced: int = 0
    unpriced: int = 0

    def add(self, usd: Decimal | None) -> None:
        if usd is None:
            self.unpriced += 1
        else:
            self.usd = _plus(self.usd, usd)
            self.priced += 1

    def merge(self, other: Money) -> None:
        self.usd = _plus(self.usd, other.usd)
        self.priced += other.priced
        self.unpriced += other.unpriced


@dataclass(slots=True)
class Compared:
    """The same calls on another model. `usd` and `was_usd` are of the `calls` that have a price on both."""

    cost: Money = field(default_factory=Money)
    calls: int = 0
    usd: Decimal = Decimal(0)
    was_usd: Decimal = Decimal(0)

    def add(self, was: Decimal | None, usd: Decimal | None) -> None:
        self.cost.add(usd)
        if was is not None and usd is not None:
            self.calls += 1
            self.usd = _plus(self.usd, usd)
            self.was_usd = _plus(self.was_usd, was)

    def merge(self, other: Compared) -> None:
        self.cost.merge(other.cost)
        self.calls += other.calls
        self.usd = _plus(self.usd, other.usd)
        self.was_usd = _plus(self.was_usd, other.was_usd)


@dataclass(slots=True)
class Sums:
    """What some calls add up to.

    `cost` of all, `failed` and `retries` of those that brought an error and those that try another call again (a call
    can be both). `cached` and `uncached` are dollars of the calls that have a price with and without a cache; what
    caching saved is the difference. `tokens`: input and output of all, `unpriced_tokens`: of those without a price.
    `without_usage`: calls without a price that report no tokens; `exceeding`: see `agent.pricing.exceeds_input`;
    `undated`: those whose recording tells no time. `sources`: calls by the number of their price's source;
    `models`: calls by model, `no_price`: those without a price; `tools`: uses of tools that the provider bills beside
    the tokens, which nothing here prices; `on`: what-ifs, in their order.
    """

    calls: int = 0
    usage: Usage = field(default_factory=lambda: add_usage(()))
    cost: Money = field(default_factory=Money)
    failed: Money = field(default_factory=Money)
    failed_calls: int = 0
    retries: Money = field(default_factory=Money)
    retry_calls: int = 0
    cached: Decimal = Decimal(0)
    uncached: Decimal = Decimal(0)
    tokens: int = 0
    unpriced_tokens: int = 0
    without_usage: int = 0
    exceeding: int = 0
    undated: int = 0
    sources: Counter[int] = field(default_factory=Counter)
    models: Counter[str] = field(default_factory=Counter)
    no_price: Counter[str] = field(default_factory=Counter)
    tools: Counter[str] = field(default_factory=Counter)
    on: list[Compared] = field(default_factory=list)

    def add(self, call: CallCost) -> None:
        self.calls += 1
        self.failed_calls += call.failed
        self.retry_calls += call.retry
        self.models[model_name(call)] += 1
        self.exceeding += call.exceeds_input
        self.undated += call.at is None
        self.tools.update(call.tools)
        self._widen(len(call.on))
        if call.billable:
            self._add_billed(call)

    def _add_billed(self, call: CallCost) -> None:
        self.usage = add_usage((self.usage, call.usage))
        self.cost.add(call.usd)
        if call.failed:
            self.failed.add(call.usd)
        if call.retry:
            self.retries.add(call.usd)
        if call.usd is not None and call.uncached_usd is not None:
            self.cached = _plus(self.cached, call.usd)
            self.uncached = _plus(self.uncached, call.uncached_usd)
        tokens = _tokens(call)
        self.tokens += tokens
        if call.usd is None:
            self.unpriced_tokens += tokens
            self.without_usage += call.usage is None
            self.no_price[model_name(call)] += 1
        if call.source is not None:
            self.sources[call.source] += 1
        for compared, usd in zip(self.on, call.on, strict=True):
            compared.add(call.usd, usd)

    def merge(self, other: Sums) -> None:
        """Add the calls of another one; it is not used again."""
        for name in (
            "calls", "failed_calls", "retry_calls", "tokens", "unpriced_tokens", "without_usage", "exceeding",
            "undated",
        ):  # fmt: skip
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.cached = _plus(self.cached, other.cached)
        self.uncached = _plus(self.uncached, other.uncached)
        self.usage = add_usage((self.usage, other.usage))
        for mine, theirs in ((self.cost, other.cost), (self.failed, other.failed), (self.retries, other.retries)):
            mine.merge(theirs)
        self.sources.update(other.sources)
        self.models.update(other.models)
        self.no_price.update(other.no_price)
        self.tools.update(other.tools)
        self._widen(len(other.on))
        for compared, one in zip(self.on, other.on, strict=False):  # sums of no call have none
            compared.merge(one)

    def _widen(self, count: int) -> None:
        if not self.on:
            self.on = [Compared() for _ in range(count)]


def _tokens(call: CallCost) -> int:
    usage = call.usage or {}
    return (usage.get("input_tokens") or 0) + (usage.get("output_tokens") or 0)


def model_name(call: CallCost) -> str:
    """`provider/model`, with `?` for what the recording does not tell."""
    return f"{call.provider or UNKNOWN}/{call.model or UNKNOWN}"


GROUPS: Mapping[str, Callable[[RecordingFacts, CallCost], str]] = {
    "model": lambda facts, call: model_name(call),
    "provider": lambda facts, call: call.provider or UNKNOWN,
    "task": lambda facts, call: facts.task or NONE,
    "recording": lambda facts, call: facts.path,
    "day": lambda facts, call: UNKNOWN if call.at is None else f"{call.at:%Y-%m-%d}",
    "call": lambda facts, call: f"{facts.path} call {call.call}",
}
"""What calls can be summed up by. Days are those of UTC."""


def sums_by(group: str, facts: RecordingFacts, costs: Iterable[CallCost]) -> dict[str, Sums]:
    """The calls of a recording by one of `GROUPS`; a recording without calls is a group by `recording`."""
    key = GROUPS[group]
    found: dict[str, Sums] = {facts.path: Sums()} if group == "recording" else {}
    for call in costs:
        found.setdefault(key(facts, call), Sums()).add(call)
    return found


def merge(into: dict[str, Sums], more: Mapping[str, Sums]) -> None:
    for name, sums in more.items():
        into.setdefault(name, Sums()).merge(sums)


def whole(groups: Mapping[str, Sums]) -> Sums:
    """All groups together."""
    found = Sums()
    for sums in groups.values():
        found.merge(sums)
    return found


def in_order(group: str, groups: Mapping[str, Sums]) -> list[tuple[str, Sums]]:
    """Models, providers and tasks with the dearest first, then by tokens; days by date; all else as it was met."""
    if group in ("recording", "call"):
        return [*groups.items()]
    if group == "day":
        return sorted(groups.items())
    return sorted(groups.items(), key=lambda item: (-item[1].cost.usd, -item[1].tokens, item[0]))
