"""Request bodies in a recording: how one body stands in its record, and what it takes over from earlier calls.

A conversation is sent anew with every call, so bodies would grow with the square of a session. Therefore a top-level
value that an earlier call sent already is named in `same`, not repeated:

    {"tools": 0}                                     the value of `tools` in call 0
    {"messages": [[0, 0, 5], {"new": [...]}]}        items 0 to 4 of `messages` in call 0, then new ones

Everything else of the body stands in `body` as it is.
"""

from __future__ import annotations

import json
from base64 import b64decode, b64encode
from collections.abc import Mapping
from decimal import Decimal
from hashlib import blake2b, sha256
from math import isfinite
from typing import Any

import orjson

from agent.jsonio import canonical

SMALL = 64
"""Bytes of JSON up to which a value is repeated rather than referred to."""


class _Inexact(ValueError):
    """JSON that the parsed value would not give back."""


def parse_body(data: bytes) -> Any:
    """The JSON value of a body that can be rebuilt from it. Raises `ValueError` for any other body.

    Not rebuilt are duplicate names, numbers that are rounded, escapes of lone surrogates, and depth over 250.
    """
    value = orjson.loads(data)
    try:
        if orjson.dumps(value) == data:
            return value
    except TypeError as error:
        raise _Inexact(str(error)) from None
    json.loads(data, object_pairs_hook=_object, parse_int=_integer, parse_float=_float)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Inexact("a name stands twice in an object")
    return found


def _integer(text: str) -> int:
    number = int(text) if len(text) < 25 else 2**64
    if not -(2**63) <= number < 2**64 or text == "-0":
        raise _Inexact(f"{text} is not kept")
    return number


def _float(text: str) -> float:
    number = float(text)
    try:
        exact = isfinite(number) and Decimal(text) == Decimal(repr(number))
    except ArithmeticError:
        exact = False
    if not exact:
        raise _Inexact(f"{text} is rounded")
    return number


class BodyLog:
    """The bodies of one recording, while it is written. Keeps digests of what was sent, not the bodies."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, bytes], int] = {}
        self._items: dict[tuple[str, bytes], tuple[int, int]] = {}
        self._last: dict[str, tuple[int, list[bytes]]] = {}

    def fields(self, call: int, data: bytes) -> dict[str, Any]:
        """The fields of a `request` record for a body (redacted already): `body`, `text` or `b64`, `same`, `sha256`,
        `size`."""
        try:
            value = parse_body(data)
        except (ValueError, RecursionError):
            found = _as_bytes(data)
            digest = sha256(data)
        else:
            found = self._compressed(call, value) if type(value) is dict else {"body": value}
            digest = sha256(canonical(value))
        return {**found, "sha256": digest.hexdigest(), "size": len(data)}

    def _compressed(self, call: int, value: dict[str, Any]) -> dict[str, Any]:
        body: dict[str, Any] = {}
        same: dict[str, Any] = {}
        for name, item in value.items():
            encoded = orjson.dumps(item)
            if len(encoded) <= SMALL:
                body[name] = item
                continue
            whole = (name, _digest(encoded))
            if whole in self._values:
                same[name] = self._values[whole]
            elif type(item) is list and (parts := self._parts(name, item, call)):
                same[name] = parts
            else:
                body[name] = item
            self._values.setdefault(whole, call)
        return {"body": body, "same": same} if same else {"body": body}

    def _parts(self, name: str, items: list[Any], call: int) -> list[Any] | None:
        """A list as slices of earlier calls' lists and new items; None where nothing of it was sent before."""
        digests = [_digest(orjson.dumps(item)) for item in items]
        last_call, last = self._last.get(name, (-1, []))
        parts: list[Any] = []
        known = False
        for item, digest in zip(items, digests, strict=True):
            run = parts[-1] if parts and type(parts[-1]) is list else None
            if run is not None and run[0] == last_call and run[2] < len(last) and last[run[2]] == digest:
                run[2] += 1
                continue
            place = self._items.get((name, digest))
            if place is not None:
                known = True
                if run is not None and place == (run[0], run[2]):
                    run[2] += 1
                else:
                    parts.append([place[0], place[1], place[1] + 1])
            elif parts and type(parts[-1]) is dict:
                parts[-1]["new"].append(item)
            else:
                parts.append({"new": [item]})
        for index in range(len(digests) - 1, -1, -1):
            self._items[name, digests[index]] = (call, index)
        self._last[name] = (call, digests)
        return parts if known else None


class BodyReader:
    """The bodies of one recording, while it is read: `body(record)` once for every `request`, in file order.

    Values are shared between the bodies, so they must not be changed.
    """

    def __init__(self) -> None:
        self._bodies: dict[int, dict[str, Any]] = {}

    def body(self, record: Mapping[str, Any]) -> Any:
        """The body of a `request` record: a JSON value, or bytes where it is kept as `text` or `b64`.

        Raises `ValueError` where it refers to a call that was not read.
        """
        if "text" in record:
            return record["text"].encode()
        if "b64" in record:
            return b64decode(record["b64"])
        body = record["body"]
        if type(body) is dict:
            body = {**body, **{name: self._value(name, source) for name, source in record.get("same", {}).items()}}
            self._bodies[record["call"]] = body
        return body

    def _value(self, name: str, source: Any) -> Any:
        if type(source) is int:
            return self._earlier(source, name)
        found: list[Any] = []
        for part in source:
            if type(part) is dict:
                found += part["new"]
                continue
            call, start, stop = part
            items = self._earlier(call, name)
            if type(items) is not list or not 0 <= start <= stop <= len(items):
                raise ValueError(f"{name} of call {call} has no items {start} to {stop}")
            found += items[start:stop]
        return found

    def _earlier(self, call: int, name: str) -> Any:
        body = self._bodies.get(call)
        if body is None or name not in body:
            raise ValueError(f"{name} is taken from call {call}, which is not in the recording")
        return body[name]


def body_digest(body: Any) -> str:
    """The `sha256` of a body: of its canonical JSON, or of the bytes where it is kept as such."""
    return sha256(body if isinstance(body, bytes) else canonical(body)).hexdigest()


def _as_bytes(data: bytes) -> dict[str, str]:
    try:
        return {"text": data.decode()}
    except UnicodeDecodeError:
        return {"b64": b64encode(data).decode()}


def _digest(encoded: bytes) -> bytes:
    return blake2b(encoded, digest_size=16).digest()
