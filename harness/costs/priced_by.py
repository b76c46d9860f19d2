"""The prices that hold for a report or a run: those of a file, the user's configured rows, and the table, in order.

Loads neither pydantic nor the table before a price is asked for. Can be pickled, for worker processes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from agent.events import Usage
from agent.pricing import billed, price, price_from_row, table_version, without_cache
from agent.providers.table import PROVIDERS, Provider
from harness.costs.rows import Row, find_row, row_at

if TYPE_CHECKING:
    from agent.loop_types import Price
    from harness.config import Config


@dataclass(slots=True, frozen=True)
class PriceFile:
    """A file of prices, read by `harness.costs.price_file`. `exclusive`: what it does not list has no price."""

    path: str
    rows: Mapping[str, Row]
    version: str | None = None
    date: str | None = None
    exclusive: bool = False


@dataclass(slots=True, frozen=True)
class Source:
    """Where prices come from. `kind`: `file`, `configuration` or `table`."""

    kind: str
    name: str
    version: str | None = None
    date: str | None = None

    def __str__(self) -> str:
        said = [*([f"version {self.version}"] if self.version else []), *([f"of {self.date}"] if self.date else [])]
        return f"{self.name} ({', '.join(said)})" if said else self.name


@dataclass(slots=True, frozen=True)
class Quote:
    """`source`: its place in `PricedBy.sources`; of several the last, as that is the one asked last."""

    usd: Decimal
    source: int


def _hosts(providers: Mapping[str, Provider]) -> dict[str, str]:
    """The names of providers by host, and by wire format and host; of several at one host the first one counts."""
    found: dict[str, str] = {}
    for row in providers.values():
        host = urlsplit(row.base_url).netloc
        found.setdefault(f"{row.wire} {host}", row.name)
        found.setdefault(host, row.name)
    return found


@dataclass(slots=True, frozen=True)
class PricedBy:
    """A price function (`agent.loop_types.Price`) that also tells where a price comes from.

    `rows`: the configured ones, of the file `rows_from`. `table`: asked last; None is `agent.pricing.price`. `hosts`:
    providers by where they are reached.
    """

    pinned: PriceFile | None = None
    rows: Mapping[str, Row] = field(default_factory=dict)
    rows_from: str | None = None
    table: Price | None = None
    hosts: Mapping[str, str] = field(default_factory=lambda: _hosts(PROVIDERS))

    def __call__(self, usage: Usage, provider: str, model: str, at: datetime | None = None) -> Decimal | None:
        found = self.quote(usage, provider, (model,), at)
        return None if found is None else found.usd

    @property
    def exclusive(self) -> bool:
        return self.pinned is not None and self.pinned.exclusive

    def provider_at(self, url: str, wire: str | None) -> str | None:
        """The provider at the host of a request, None where that is none that is known."""
        try:
            host = urlsplit(url).netloc
        except ValueError:
            return None
        return self.hosts.get(f"{wire} {host}") or self.hosts.get(host)

    def sources(self) -> list[Source]:
        """The sources in the order in which they are asked."""
        found: list[Source] = []
        if self.pinned is not None:
            found.append(Source("file", self.pinned.path, self.pinned.version, self.pinned.date))
        if self.exclusive:
            return found
        if self.rows:
            found.append(Source("configuration", f"{self.rows_from or 'the configuration'} [tool.harness.prices]"))
        table = "the given price function" if self.table is not None else "genai-prices"
        return [*found, Source("table", table, table_version() if self.table is None else None)]

    def quote(
        self,
        usage: Usage,
        provider: str,
        models: Sequence[str],
        at: datetime | None = None,
        *,
        cached: bool = True,
    ) -> Quote | None:
        """Dollars of one call, None where they are not known.

        `models`: the names it goes by, best first; a source is asked for all of them before the next source is. What
        was billed at another model's prices (`agent.pricing.billed`) is asked for by that model alone. `cached` False:
        as if there were no cache, all input at the price of input.
        """
        parts = [
            (part if cached else without_cache(part), models if other is None else (other,))
            for part, other in billed(usage)
        ]
        return _sum([self._quote(part, provider, names, at) for part, names in parts])

    def reprice(self, usage: Usage, provider: str, model: str, at: datetime | None = None) -> Quote | None:
        """The same tokens on another model, all of them."""
        return _sum([self._quote(part, provider, (model,), at) for part, _ in billed(usage)])

    def _quote(self, usage: Usage, provider: str, models: Sequence[str], at: datetime | None) -> Quote | None:
        row_sources = [] if self.pinned is None else [self.pinned.rows]
        if self.rows and not self.exclusive:
            row_sources.append(self.rows)
        for number, rows in enumerate(row_sources):
            row = next((row for model in models if (row := find_row(rows, provider, model)) is not None), None)
            if row is not None:
                usd = price_from_row(usage, row_at(row, usage.input_tokens, at))
                return None if usd is None else Quote(usd, number)
        if self.exclusive:
            return None
        table: Any = self.table or price
        found = next((usd for model in models if (usd := table(usage, provider, model, at)) is not None), None)
        return None if found is None else Quote(found, len(row_sources))


def configured(config: Config, pinned: PriceFile | None = None) -> PricedBy:
    """The prices of a user: a file's, then the configured rows, then the table."""
    rows_from = None if config.path is None else config.path.name
    return PricedBy(pinned, config.prices, rows_from, hosts=_hosts(config.providers))


def _sum(quotes: list[Quote | None]) -> Quote | None:
    known = [quote for quote in quotes if quote is not None]
    if len(known) < len(quotes):
        return None
    return Quote(sum((quote.usd for quote in known), Decimal(0)), max(quote.source for quote in known))
