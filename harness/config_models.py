"""The keys of `[tool.harness]` as models: what is checked, and how an error names its file and key."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from datetime import date, time
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any, Self, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from agent.providers import WIRES
from agent.providers.base_url import BadBaseURL, normalize
from agent.providers.table import Provider
from harness.config import TABLE
from harness.errors import ConfigError
from harness.model_errors import first_problem, key_text, nearest
from harness.redaction.redactor import Redactor, Rule
from harness.replaying.normalizers import names as normalizer_names


def _matches(pattern: str, problem: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if not re.fullmatch(pattern, value):
            raise ValueError(problem)
        return value

    return check


def _one_of(known: list[str], what: str) -> Callable[[str], str]:
    def check(value: str) -> str:
        if value not in known:
            raise ValueError(f"unknown {what} {value!r}; {nearest(value, known)}")
        return value

    return check


def _normalizer(name: str) -> str:
    return _one_of(normalizer_names(), "normalizer")(name)


def _rule_name(name: str) -> str:
    Redactor(rules=[Rule(name, "")])
    return name


def _pattern(pattern: str) -> str:
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    if compiled.search(""):
        raise ValueError("matches the empty text, so it would match everywhere")
    return pattern


def _decimal(value: object) -> Decimal:
    if type(value) is int or isinstance(value, Decimal):
        return Decimal(value)
    raise ValueError("should be a number: dollars per million tokens")


def _day(value: object) -> object:
    if isinstance(value, str):
        with suppress(ValueError):
            return date.fromisoformat(value)
    if type(value) is date:
        return value
    raise ValueError("should be a day: 2026-01-31")


def _day_time(value: object) -> object:
    if isinstance(value, str):
        with suppress(ValueError):
            value = time.fromisoformat(value)
    if isinstance(value, time) and value.tzinfo is None:
        return value
    raise ValueError('should be a time of day in UTC: "16:30"')


def _pair(value: object) -> object:
    if isinstance(value, list) and len(value) == 2:
        return tuple(value)
    raise ValueError('should be two times of day in UTC: ["16:30", "00:30"]')


Text: TypeAlias = Annotated[str, Field(min_length=1)]
ModelName: TypeAlias = Annotated[
    str, AfterValidator(_matches(r"[^/\s]+/\S+", "write provider/model, for example openai/gpt-4.1"))
]
PriceName: TypeAlias = Annotated[
    str, AfterValidator(_matches(r"[^/\s*]+/(?:\*|[^\s*]+)", "write provider/model, or provider/* for all its models"))
]
ProviderName: TypeAlias = Annotated[
    str, AfterValidator(_matches(r"[a-z0-9][a-z0-9._-]*", "a provider's name has lower-case letters, digits and . _ -"))
]
Variable: TypeAlias = Annotated[
    str, AfterValidator(_matches(r"[A-Za-z_][A-Za-z0-9_]*", "not the name of an environment variable"))
]
HeaderName: TypeAlias = Annotated[
    str, AfterValidator(_matches(r"[A-Za-z0-9!#$%&'*+.^_`|~-]+", "not the name of a header"))
]
HeaderValue: TypeAlias = Annotated[str, AfterValidator(_matches(r"[\t\x20-\x7e]*", "not the value of a header"))]
Day: TypeAlias = Annotated[date, BeforeValidator(_day)]
DayTime: TypeAlias = Annotated[time, BeforeValidator(_day_time)]
Dollars: TypeAlias = Annotated[Decimal, BeforeValidator(_decimal), Field(ge=0, allow_inf_nan=False)]


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class RedactRule(_Table):
    """Replaces, besides keys, all that a regular expression finds."""

    name: Annotated[str, AfterValidator(_rule_name)]
    pattern: Annotated[str, AfterValidator(_pattern)]


class ProviderRow(_Table):
    """A provider of the user's own, or other values for a built-in one."""

    base_url: Text
    key_variables: list[Variable] = []
    wire: Annotated[str, AfterValidator(_one_of(list(WIRES), "wire format"))] = "openai-chat"
    headers: dict[HeaderName, HeaderValue] = {}
    max_tokens_param: Text = "max_tokens"
    needs_key: bool = True

    def provider(self, name: str) -> Provider:
        """The row as `agent.providers.table` has them."""
        return Provider(
            name,
            normalize(self.base_url, self.wire),
            tuple(self.key_variables) or (re.sub(r"\W", "_", name).upper() + "_API_KEY",),
            self.wire,
            self.max_tokens_param,
            tuple(self.headers.items()),
            self.needs_key,
        )


class _CachePrices(_Table):
    cache_read: Dollars | None = None
    cache_write: Dollars | None = None
    cache_write_1h: Dollars | None = None


class PriceTier(_CachePrices):
    """Prices that hold under conditions. `above`: input tokens; `between`: times of day, over midnight too; in UTC."""

    above: Annotated[int, Field(ge=0)] | None = None
    since: Day | None = None
    until: Day | None = None
    between: Annotated[tuple[DayTime, DayTime], BeforeValidator(_pair)] | None = None
    input: Dollars | None = None
    output: Dollars | None = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        named = self.model_fields_set
        if not named & {"above", "since", "until", "between"}:
            raise ValueError("has no condition: write above, since, until or between")
        if not named - {"above", "since", "until", "between"}:
            raise ValueError("has no price: write those that differ from the row, input for example")
        if self.since is not None and self.until is not None and self.since >= self.until:
            raise ValueError("never holds: until should be a later day than since")
        if self.between is not None and self.between[0] == self.between[1]:
            raise ValueError("never holds: between should be two different times of day")
        return self


class PriceRow(_CachePrices):
    """Dollars per million tokens. `tier`: the last one that holds wins over the row, price by price."""

    input: Dollars
    output: Dollars
    tier: list[PriceTier] = []


class HarnessTable(_Table):
    """`[tool.harness]`."""

    model: ModelName | None = None
    recordings: Text | None = None
    reports: Text | None = None
    redact: list[RedactRule] = []
    ignore: list[Text] = []
    normalizers: list[Annotated[str, AfterValidator(_normalizer)]] = []
    providers: dict[ProviderName, ProviderRow] = {}
    prices: dict[PriceName, PriceRow] = {}


def check(path: Path, table: dict[str, Any]) -> HarnessTable:
    """The checked table of a file.

    Raises `ConfigError` with the first wrong key; an unknown one counts first, as a misspelt key is missing too.
    """
    try:
        found = HarnessTable.model_validate(table)
    except ValidationError as error:
        place, problem = first_problem(error, HarnessTable)
        raise ConfigError(path, key_text(place, TABLE), problem) from None
    for name, row in found.providers.items():
        try:
            row.provider(name)
        except BadBaseURL as error:
            raise ConfigError(path, key_text(("providers", name, "base_url"), TABLE), str(error)) from None
    return found
