"""Reads TOML, and other text, that users write. Decimals of TOML are exact."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import Any


def read_toml(path: Path) -> dict[str, Any]:
    """The document at `path`. Raises `ValueError`, which says in a few words what is wrong with the file."""
    import tomllib

    text = read_utf8(path, "it is not UTF-8, as TOML has to be")
    try:
        return tomllib.loads(text, parse_float=Decimal)
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"it is not valid TOML: {error}") from None
    except RecursionError:
        raise ValueError("its values are nested too deeply") from None
    except (ValueError, ArithmeticError):
        raise ValueError("a number in it is too long to be read") from None


def read_utf8(path: Path, other: str = "it is not UTF-8") -> str:
    """The text of a file; a byte order mark (editors of Windows write one) is no fault. Raises `ValueError` as above,
    with `other` where it is not UTF-8."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ValueError(f"cannot read it: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise ValueError(other) from None
