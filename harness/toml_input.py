"""Reads TOML that users write. Decimals are exact; a byte order mark (editors of Windows write one) is no fault."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any


def read_toml(path: Path) -> dict[str, Any]:
    """The document at `path`. Raises `ValueError`, which says in a few words what is wrong with the file."""
    import tomllib

    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ValueError(f"cannot read it: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ValueError("it is not UTF-8, as TOML has to be") from None
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"it is not valid TOML: {error}") from None
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None
    except (ValueError, ArithmeticError):
        raise ValueError("a number in it is too long to be read") from None
