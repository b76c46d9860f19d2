"""Reads a file of prices, TOML or JSON: `docs/cost.md` describes it."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any

from harness.costs.priced_by import PriceFile
from harness.errors import ConfigError
from harness.toml_input import read_toml, read_utf8


def read_price_file(path: Path) -> PriceFile:
    """The checked prices at `path`; a name that ends in `.json` is JSON, all else TOML. Raises `ConfigError`."""
    try:
        document = _json(path) if path.suffix == ".json" else read_toml(path)
    except ValueError as error:
        raise ConfigError(path, None, str(error)) from None
    from harness.costs.price_file_models import check

    return check(str(path), document)


def _json(path: Path) -> dict[str, Any]:
    """Raises `ValueError`, as `read_toml` does."""
    import json

    text = read_utf8(path)
    try:
        document = json.loads(text, parse_float=Decimal, object_pairs_hook=_once)
    except (ValueError, RecursionError, ArithmeticError) as error:
        raise ValueError(f"it is not valid JSON: {error}") from None
    if not isinstance(document, dict):
        raise ValueError("it should be a JSON object")
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """JSON would take the last of several; TOML refuses them."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for at, name in enumerate(names) if name in names[:at])
        raise ValueError(f'the key "{twice}" stands there twice')
    return found
