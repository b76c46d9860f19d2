"""The keys of a file of prices as models: what is checked, and how an error names its file and key."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from harness.config_models import PriceName, PriceRow
from harness.costs.priced_by import PriceFile
from harness.errors import ConfigError
from harness.model_errors import first_problem, key_text, nearest


def _text(value: object) -> object:
    return value.isoformat() if isinstance(value, date) else value


Text = Annotated[str, BeforeValidator(_text), Field(min_length=1)]


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    version: Text | None = None
    date: Text | None = None
    exclusive: bool = False
    rows: dict[PriceName, PriceRow]


_KEYS = ("version", "date", "exclusive")


def check(path: str, document: Mapping[str, Any]) -> PriceFile:
    """The checked prices of a file. Raises `ConfigError` with the first wrong key."""
    known = {name: value for name, value in document.items() if name in _KEYS}
    rows = {name: value for name, value in document.items() if name not in _KEYS}
    unknown = next((name for name in rows if "/" not in name), None)
    if unknown is not None:
        raise ConfigError(path, unknown, f'unknown key; a row is named "provider/model"; {nearest(unknown, _KEYS)}')
    if not rows:
        raise ConfigError(path, None, 'it has no row of prices: write ["provider/model"] and below it input and output')
    try:
        found = _File.model_validate({**known, "rows": rows})
    except ValidationError as error:
        place, problem = first_problem(error, _File)
        raise ConfigError(path, key_text(place[1:] if place[0] == "rows" else place), problem) from None
    listed = {name: row.model_dump(exclude_none=True, exclude_defaults=True) for name, row in found.rows.items()}
    return PriceFile(path, listed, found.version, found.date, found.exclusive)
