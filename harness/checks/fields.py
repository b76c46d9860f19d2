"""Types of the keys of checks: what a TOML file can say, in the form that judging needs."""

from __future__ import annotations

from decimal import Decimal
from math import isfinite
from typing import Annotated, Any, TypeAlias, get_args

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainValidator, model_validator

from harness.checks.patterns import compiled, matches_all
from harness.checks.values import Mode

MODES: tuple[str, ...] = get_args(Mode)


class Model(BaseModel):
    """A table within a check."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _is_a_table(cls, value: Any) -> Any:
        if not isinstance(value, dict | cls):
            raise ValueError("should be a table: { key = value }")
        return value


def json_value(value: Any) -> Any:
    """A TOML value as JSON has it: decimals are numbers, all finite; there are no dates. Raises `ValueError`."""
    if isinstance(value, dict):
        return {name: json_value(item) for name, item in value.items()}
    if isinstance(value, list):
        return [json_value(item) for item in value]
    if isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, float) and not isfinite(value):
        raise ValueError(f"{value} is not JSON: numbers there are finite")
    if value is not None and not isinstance(value, str | bool | int | float):
        raise ValueError(f"dates and times are not JSON: write {value} as a string")
    return value


def _decimal(value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ValueError("should be a number")
    found = Decimal(repr(value)) if isinstance(value, float) else Decimal(value)
    if not found.is_finite() or found < 0:
        raise ValueError("should be a number that is not negative")
    return found


def _pattern(pattern: str) -> str:
    compiled(pattern)
    if matches_all(pattern):
        raise ValueError(f"{pattern!r} matches every text: write '.' for any text that is not empty")
    return pattern


def _schema(value: object) -> Any:
    if value == "" or not isinstance(value, str | dict):
        raise ValueError("should be a table with the schema, or the name of a file beside the suite")
    return json_value(value)


def _modes(value: object) -> Any:
    for mode in value.values() if isinstance(value, dict) else [value]:
        if mode not in MODES:
            raise ValueError(f"{mode!r} should be one of {', '.join(MODES)}")
    return value


def as_list(value: object) -> object:
    """One text as a list of it."""
    if not isinstance(value, str | list):
        raise ValueError("should be a string or a list of strings")
    return [value] if isinstance(value, str) else value


Number: TypeAlias = Annotated[int, Field(ge=0)]
Amount: TypeAlias = Annotated[Decimal, BeforeValidator(_decimal)]
"""A number that is not negative, exactly as it is written."""
Piece: TypeAlias = Annotated[str, Field(min_length=1)]
Pieces: TypeAlias = Annotated[list[Piece], Field(min_length=1), BeforeValidator(as_list)]
"""One text or several."""
Pattern: TypeAlias = Annotated[str, Field(min_length=1), AfterValidator(_pattern)]
Schema: TypeAlias = Annotated[str | dict[str, Any], PlainValidator(_schema)]
Modes: TypeAlias = Annotated[Mode | dict[str, Mode], PlainValidator(_modes)]
"""How arguments are compared: one word, or words by name of the argument."""
Patterns: TypeAlias = Annotated[list[Pattern], Field(min_length=1), BeforeValidator(as_list)]
