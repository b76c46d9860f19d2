"""Which recorded call answers a request: the match key, and the difference to the nearest one on a miss.

The key is the method, the path, the query without key parameters, and the body as canonical JSON (RFC 8259: members
are unordered). Model, messages, tools and sampling always count. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from agent.jsonio import NotJSON, canonical, loads_exact
from harness.recording.headers import KEY_QUERY
from harness.replaying.normalizers import normalizer

VOLATILE = ("client_metadata", "prompt_cache_key")
"""Top-level body fields that clients change from run to run (codex sends both, pi and opencode the second)."""


@dataclass(slots=True, frozen=True)
class MatchRules:
    """What may differ between a request and the recorded one that answers it.

    `host`: compare the host too. `ignore`: further top-level body fields. `normalizers`: names, see
    `harness.replaying.normalizers`. Raises `ValueError` for an unknown one.
    """

    host: bool = False
    ignore: tuple[str, ...] = ()
    normalizers: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in self.normalizers:
            normalizer(name)

    def body(self, value: Any) -> Any:
        """A JSON body as it is compared."""
        if isinstance(value, dict):
            left_out = {*VOLATILE, *self.ignore}
            value = {name: item for name, item in value.items() if name not in left_out}
        for name in self.normalizers:
            value = normalizer(name)(value)
        return value


@dataclass(slots=True, frozen=True)
class RequestKey:
    """What a request is matched by. `body`: a digest of the canonical JSON, or of the bytes as sent; `host` is "" by
    default."""

    method: str
    host: str
    path: str
    query: tuple[tuple[str, str], ...]
    body: bytes
    value: Any = field(compare=False, repr=False)
    """The body's JSON value; bytes where it is no JSON."""


@dataclass(slots=True, frozen=True)
class Difference:
    """One place where a request and a recorded one differ. `MISSING` stands for no value."""

    path: str
    recorded: Any
    sent: Any

    def __str__(self) -> str:
        return self.say("sent")

    def say(self, verb: str) -> str:
        """The difference in one line; `verb` tells what the second value is (`sent`, `now`)."""
        if isinstance(self.recorded, str) and isinstance(self.sent, str):
            recorded, sent = _around_difference(self.recorded, self.sent)
        else:
            recorded, sent = shorten(self.recorded), shorten(self.sent)
        path = "".join(char if char.isprintable() else "?" for char in self.path)
        return f"{path}: recorded {recorded}, {verb} {sent}"


class _Missing:
    def __repr__(self) -> str:
        return "nothing"


MISSING: Any = _Missing()


def request_key(method: str, url: str, body: Any, rules: MatchRules = MatchRules()) -> RequestKey:
    """The key of a request; `body` is a parsed JSON value, or bytes, which are parsed where they are JSON."""
    parts = urlsplit(url)
    query = tuple(
        sorted(
            (name, value)
            for name, value in parse_qsl(parts.query, keep_blank_values=True)
            if name.lower() not in KEY_QUERY
        )
    )
    if isinstance(body, bytes):
        try:
            body = loads_exact(body)
        except NotJSON:
            return RequestKey(
                method.upper(), parts.netloc if rules.host else "", parts.path, query, _digest(body), body
            )
    value = rules.body(body)
    digest = _digest(canonical(value))
    return RequestKey(method.upper(), parts.netloc if rules.host else "", parts.path, query, digest, value)


def differences(recorded: RequestKey, sent: RequestKey) -> list[Difference]:
    """Every place where two keys differ, in a fixed order."""
    found = [
        Difference(name, getattr(recorded, name), getattr(sent, name))
        for name in ("method", "host", "path")
        if getattr(recorded, name) != getattr(sent, name)
    ]
    if recorded.query != sent.query:
        one, other = _by_name(recorded.query), _by_name(sent.query)
        found += [Difference(f"query.{name}", *pair) for name, pair in _pairs(one, other) if pair[0] != pair[1]]
    if recorded.body != sent.body:
        found += value_differences(recorded.value, sent.value) or [Difference("body", recorded.value, sent.value)]
    return found


def value_differences(one: Any, other: Any, path: str = "", depth: int = 100) -> list[Difference]:
    """Every place where two JSON values differ, in a fixed order; below `depth` levels values are compared whole."""
    if depth and isinstance(one, dict) and isinstance(other, dict):
        found = []
        for name, (left, right) in _pairs(one, other):
            found += value_differences(left, right, f"{path}.{name}" if path else name, depth - 1)
        return found
    if depth and isinstance(one, list) and isinstance(other, list):
        found = []
        for index in range(max(len(one), len(other))):
            left = one[index] if index < len(one) else MISSING
            right = other[index] if index < len(other) else MISSING
            found += value_differences(left, right, f"{path}[{index}]", depth - 1)
        return found
    return [] if _same(one, other) else [Difference(path or "body", one, other)]


def nearest(candidates: Sequence[RequestKey], sent: RequestKey) -> tuple[int, list[Difference]] | None:
    """The index of the recorded key that differs least, and its differences; None without candidates."""
    best: tuple[tuple[int, int], int, list[Difference]] | None = None
    for index, candidate in enumerate(candidates):
        found = differences(candidate, sent)
        weight = sum(len(shorten(item.recorded)) + len(shorten(item.sent)) for item in found)
        if best is None or (len(found), weight) < best[0]:
            best = ((len(found), weight), index, found)
    return None if best is None else best[1:]


def shorten(value: Any, limit: int = 80) -> str:
    """A value as JSON in at most `limit` characters."""
    if value is MISSING:
        return "nothing"
    text = repr(value) if isinstance(value, bytes) else canonical(value).decode()
    return text if len(text) <= limit else f"{text[: limit - 1]}…"


def _digest(data: bytes) -> bytes:
    """A session sends its history with every request: the bodies themselves would take the square of its memory."""
    return blake2b(data, digest_size=32).digest()


def _around_difference(one: str, other: str, width: int = 60) -> tuple[str, str]:
    """Two long strings cut to where they begin to differ."""
    start = next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))
    start = max(0, start - 20) if max(len(one), len(other)) > width else 0
    mark = "…" if start else ""
    return shorten(mark + one[start:], width), shorten(mark + other[start:], width)


def _pairs(one: Mapping[str, Any], other: Mapping[str, Any]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    for name in [*one, *(name for name in other if name not in one)]:
        yield name, (one.get(name, MISSING), other.get(name, MISSING))


def _by_name(query: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """The values of each query parameter: the one, or a list."""
    found: dict[str, list[str]] = {}
    for name, value in query:
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}


def _same(one: Any, other: Any) -> bool:
    if one is MISSING or other is MISSING:
        return False
    if isinstance(one, bytes) or isinstance(other, bytes):
        return bool(one == other)
    return canonical(one) == canonical(other)
