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
from typing import Any, NamedTuple

import orjson

from agent.jsonio import canonical, dumps

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


class _Print(NamedTuple):
    """What a value is told by. `items`: the digests of a list's items; None for what is no list."""

    whole: bytes
    items: list[bytes] | None
    small: bool = False


class BodyLog:
    """The bodies of one recording, while it is written. Keeps digests of what was sent, not the bodies."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, bytes], int] = {}
        self._items: dict[tuple[str, bytes], tuple[int, int]] = {}
        self._last: dict[str, tuple[int, list[bytes]]] = {}
        self._recorded: dict[int, dict[str, _Print]] = {}

    def fields(self, call: int, data: bytes) -> dict[str, Any]:
        """The fields of a `request` record for a body (redacted already): `body`, `text` or `b64`, `same`, `sha256`,
        `size`."""
        try:
            value = parse_body(data)
        except (ValueError, RecursionError):
            found = _as_bytes(data)
            digest = sha256(data)
        else:
            found = self.compressed(call, value) if type(value) is dict else {"body": value}
            digest = sha256(canonical(value))
        return {**found, "sha256": digest.hexdigest(), "size": len(data)}

    def compressed(self, call: int, value: Mapping[str, Any]) -> dict[str, Any]:
        """An object as `body`, and `same` where earlier ones hold members of it."""
        self._recorded.clear()
        body: dict[str, Any] = {}
        same: dict[str, Any] = {}
        for name, item in value.items():
            known = _print(item)
            source = None if known.small else self._source(name, item, known)
            if source is None:
                body[name] = item
            else:
                same[name] = source
            self._keep(call, name, known)
        return {"body": body, "same": same} if same else {"body": body}

    def add_recorded(self, call: int, body: Any, same: Mapping[str, Any]) -> None:
        """Take a body of the recording that is gone on with: each of them in order, before there are new ones.

        What could not be read back is not referred to. Costs the time to read what is new in it, not all that was sent.
        """
        if call in self._recorded:  # two recordings in one file: a number does not say which
            self._values.clear()
            self._items.clear()
            self._last.clear()
            self._recorded = {call: {}}
            return
        found: dict[str, _Print] = {}
        try:
            if type(body) is dict:
                found = {name: _print(item) for name, item in body.items()}
                found |= {name: self._taken(name, source) for name, source in same.items()}
        except (AttributeError, KeyError, TypeError, ValueError):
            found = {}
        self._recorded[call] = found
        for name, known in found.items():
            self._keep(call, name, known)

    def _source(self, name: str, value: Any, known: _Print) -> Any:
        """Where a value stood before; None where nothing of it did."""
        whole = self._values.get((name, known.whole))
        return self._parts(name, value, known.items) if whole is None and known.items else whole

    def _parts(self, name: str, items: list[Any], digests: list[bytes]) -> list[Any] | None:
        """A list as slices of earlier calls' lists and new items; None where nothing of it was sent before."""
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
        return parts if known else None

    def _keep(self, call: int, name: str, known: _Print) -> None:
        """From now on the value can be taken from this call."""
        if known.small or (name, known.whole) in self._values:
            return
        self._values[name, known.whole] = call
        if known.items is not None:
            for index in range(len(known.items) - 1, -1, -1):
                self._items[name, known.items[index]] = (call, index)
            self._last[name] = (call, known.items)

    def _taken(self, name: str, source: Any) -> _Print:
        """A member that a recorded body takes from earlier ones. Raises `KeyError`, `TypeError` or `ValueError`."""
        if type(source) is int:
            return self._recorded[source][name]
        digests: list[bytes] = []
        for part in source:
            if type(part) is dict:
                digests += _print(part["new"]).items or ()
                continue
            call, start, stop = part
            items = self._recorded[call][name].items
            if items is None or not 0 <= start <= stop <= len(items):
                raise ValueError(f"{name} of call {call} has no items {start} to {stop}")
            digests += items[start:stop]
        return _Print(_whole(digests), digests)


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
        return self.whole(record["call"], body, record.get("same", {})) if type(body) is dict else body

    def whole(self, call: int, body: Mapping[str, Any], same: Mapping[str, Any]) -> dict[str, Any]:
        """An object with what it takes from earlier ones. Raises `ValueError` as above."""
        found = {**body, **{name: self._value(name, source) for name, source in same.items()}}
        self._bodies[call] = found
        return found

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


def _print(value: Any) -> _Print:
    if type(value) is not list:
        encoded = dumps(value)
        return _Print(_digest(encoded), None, len(encoded) <= SMALL)
    parts = [dumps(item) for item in value]
    digests = [_digest(part) for part in parts]
    return _Print(_whole(digests), digests, sum(map(len, parts)) + len(parts) < SMALL)


def _whole(digests: list[bytes]) -> bytes:
    return _digest(b"".join((b"[", *digests)))


def _digest(encoded: bytes) -> bytes:
    return blake2b(encoded, digest_size=16).digest()
