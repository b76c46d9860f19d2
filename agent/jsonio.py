"""JSON in and out without surprises: exact numbers, lone surrogates, and writing that never raises.

`orjson` does the work. It refuses lone surrogate escapes and rounds integers over 64 bits, both of which providers
send, so the standard library's parser takes over where `orjson` would refuse or round (RFC 8259 allows both inputs).
"""

from __future__ import annotations

import json
import re
from typing import Any

import orjson

_LONG_INTEGER = re.compile(rb"\d{19}")


class NotJSON(ValueError):
    """The bytes are no JSON document (RFC 8259)."""


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def _loads_slowly(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8", "replace"), parse_constant=_refuse_constant)
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
    """A copy of a parsed JSON value with `scrub` applied to every string. Not recursive: any nesting is read."""
    out: list[Any] = [None]
    work: list[tuple[Any, Any, Any]] = [(value, out, 0)]
    while work:
        item, place, key = work.pop()
        if isinstance(item, str):
            place[key] = scrub(item)
        elif isinstance(item, dict):
            place[key] = copy = dict.fromkeys(map(scrub, item))
            work += [(part, copy, scrub(name)) for name, part in reversed(item.items())]
        elif isinstance(item, list):
            place[key] = copies = [None] * len(item)
            work += [(part, copies, at) for at, part in enumerate(item)]
        else:
            place[key] = item
    return out[0]


def dumps(value: Any) -> bytes:
    """Compact UTF-8 JSON. Never raises for values that `loads` or `loads_exact` gave; lone surrogates become U+FFFD."""
    try:
        return orjson.dumps(value)
    except TypeError:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
        return scrub(text).encode()


def canonical(value: Any) -> bytes:
    """JSON with sorted keys: equal bytes for equal values, whatever the key order was (RFC 8259: no order)."""
    try:
        return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)
    except TypeError:
        text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False, sort_keys=True)
        return scrub(text).encode()
