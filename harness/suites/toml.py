"""Writes the TOML of a suite file: keys with values, each on its line; what is nested is inline.

TOML has no null and no half of a surrogate pair: `can_say` tells what it can hold. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = re.compile('[\x00-\x1f"\\\\\x7f-\x9f\u2028\u2029]')
_SHORT = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_WIDE = 100


def can_say(value: Any) -> bool:
    """Whether TOML can hold a JSON value."""
    if isinstance(value, str):
        return not any("\ud800" <= character <= "\udfff" for character in value)
    if isinstance(value, Mapping):
        return all(can_say(name) and can_say(item) for name, item in value.items())
    if isinstance(value, list | tuple):
        return all(map(can_say, value))
    return isinstance(value, bool | int | Decimal) or (isinstance(value, float) and isfinite(value))


def table_lines(table: Mapping[str, Any], indent: str = "") -> list[str]:
    """`key = value` lines; a long list has a line for each item. Raises `ValueError` for what TOML cannot hold."""
    lines: list[str] = []
    for key, value in table.items():
        line = f"{indent}{key_of(key)} = {value_of(value)}"
        if isinstance(value, list | tuple) and value and len(line) > _WIDE:
            lines += [f"{indent}{key_of(key)} = [", *(f"{indent}  {value_of(item)}," for item in value), f"{indent}]"]
        else:
            lines.append(line)
    return lines


def key_of(key: str) -> str:
    return key if _BARE.fullmatch(key) else _string(key)


def value_of(value: Any) -> str:
    """A value in one line."""
    if not can_say(value):
        raise ValueError(f"TOML cannot hold {value!r}")
    if isinstance(value, str):
        return _string(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        inside = ", ".join(f"{key_of(name)} = {value_of(item)}" for name, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, Sequence):
        return f"[{', '.join(map(value_of, value))}]"
    return _decimal(value) if isinstance(value, Decimal) else repr(value)


def _decimal(value: Decimal) -> str:
    text = f"{value:f}"
    return text if "." in text else f"{text}.0"


def _string(text: str) -> str:
    return f'"{_ESCAPED.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    return _SHORT.get(match[0]) or f"\\u{ord(match[0]):04x}"
