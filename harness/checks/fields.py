"""Types of the keys of checks: what a TOML file can say, in the form that judging needs."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Annotated, Any, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field


class Model(BaseModel):
    """A table within a check."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


def json_value(value: Any) -> Any:
    """A TOML value as JSON has it: decimals are numbers, and there are no dates. Raises `ValueError`."""
    if isinstance(value, dict):
        return {name: json_value(item) for name, item in value.items()}
    if isinstance(value, list):
        return [json_value(item) for item in value]
    if isinstance(value, Decimal):
        return float(value)
    if value is not None and not isinstance(value, str | bool | int | float):
        raise ValueError(f"JSON has no dates or times: write {value} as a string")
    return value


def _decimal(value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError("should be a number")
    found = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not found.is_finite() or found < 0:
        raise ValueError("should be a number that is not negative")
    return found


def _pattern(pattern: str) -> str:
    try:
        re.compile(pattern)
    except re.error as error:
        raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
    return pattern


def _as_list(value: object) -> object:
    return [value] if isinstance(value, str) else value


Number: TypeAlias = Annotated[int, Field(ge=0)]
Amount: TypeAlias = Annotated[Decimal, BeforeValidator(_decimal)]
"""A number that is not negative, exactly as it is written."""
Piece: TypeAlias = Annotated[str, Field(min_length=1)]
Pieces: TypeAlias = Annotated[list[Piece], Field(min_length=1), BeforeValidator(_as_list)]
"""One text or several."""
Pattern: TypeAlias = Annotated[str, Field(min_length=1), AfterValidator(_pattern)]
Patterns: TypeAlias = Annotated[list[Pattern], Field(min_length=1), BeforeValidator(_as_list)]
