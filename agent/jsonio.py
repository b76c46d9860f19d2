"""JSON in and out without surprises: exact numbers, lone surrogates, and writing that never raises.

`orjson` does the work. It refuses lone surrogate escapes and rounds integers over 64 bits, both of which providers
send, so the standard library's parser takes over where `orjson` would refuse or round (RFC 8259 allows both inputs).
"""

from __future__ import annotations

import json
import re
from math import isfinite
from typing import Any

import orjson

_LONG_INTEGER = re.compile(rb"\d{19}")
_DEEPEST = 400


class NotJSON(ValueError):
    """The bytes are no JSON document (RFC 8259)."""


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode


def _loads_slowly(data: bytes) -> Any:
    try:
        return _decode(data.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise NotJSON(str(error)) from None


def loads(data: bytes) -> Any:
    """Parse one JSON document. Integers over 64 bits may be rounded; use `loads_exact` where they matter.

    Strings in the result may hold lone surrogates. Invalid UTF-8 is read with U+FFFD, as event streams are.
    Raises `NotJSON`.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return _loads_slowly(data)


def loads_exact(data: bytes) -> Any:
    """Parse one JSON document and keep every integer exact. Raises `NotJSON`."""
    if _LONG_INTEGER.search(data):
        return _loads_slowly(data)
    return loads(data)


def scrub(text: str) -> str:
    """`text` with surrogate pairs joined and each lone surrogate half replaced by U+FFFD, so that it can be encoded."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def scrub_deep(value: Any) -> Any:
    """A copy of a parsed JSON value with `scrub` applied to every string; any depth."""
    return _copy(value, None)


def dumps(value: Any) -> bytes:
    """Compact UTF-8 JSON. Never raises for values that `loads` or `loads_exact` gave.

    Lone surrogates become U+FFFD, infinity null, and what is nested deeper than 400 levels `[nested too deeply]`.
    """
    try:
        return orjson.dumps(value)
    except TypeError:
        text = json.dumps(_copy(value, _DEEPEST), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return scrub(text).encode()


def canonical(value: Any) -> bytes:
    """JSON with sorted keys: equal bytes for equal values (RFC 8259: objects are unordered)."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        copy = _copy(value, _DEEPEST)
        text = json.dumps(copy, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True)
        return scrub(text).encode()


def _copy(value: Any, deepest: int | None) -> Any:
    """A copy with strings scrubbed, made level by level, without recursion; with `deepest` one that can be written."""
    top = [value]
    level: list[Any] = [top]
    depth = 0
    while level:
        depth += 1
        below: list[Any] = []
        for box in level:
            for key, item in box.items() if isinstance(box, dict) else enumerate(box):
                if isinstance(item, str):
                    box[key] = scrub(item)
                elif isinstance(item, dict | list):
                    if deepest is not None and depth > deepest:
                        box[key] = "[nested too deeply]"
                        continue
                    inner = {scrub(name): part for name, part in item.items()} if isinstance(item, dict) else [*item]
                    box[key] = inner
                    below.append(inner)
                elif deepest is not None and isinstance(item, float) and not isfinite(item):
                    box[key] = None
        level = below
    return top[0]
