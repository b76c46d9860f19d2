"""Which recorded call answers a request: the match key, and the difference to the nearest one on a miss.

The key is the method, the path, the query without key parameters, and the body as canonical JSON (RFC 8259: members
are unordered). Model, messages, tools and sampling always count. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from agent.jsonio import NotJSON, canonical, loads_exact
from agent.providers.base_url import KEY_QUERY
from harness.differences import Difference, by_name, shorten, value_differences
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
        one, other = _values(recorded.query), _values(sent.query)
        found += [Difference(f"query.{name}", *pair) for name, *pair in by_name(one, other) if pair[0] != pair[1]]
    if recorded.body != sent.body:
        found += value_differences(recorded.value, sent.value) or [Difference("body", recorded.value, sent.value)]
    return found


def nearest(candidates: Sequence[RequestKey], sent: RequestKey) -> tuple[int, list[Difference]] | None:
    """The index of the recorded key that differs least, and its differences; None without candidates."""
    best: tuple[tuple[int, int], int, list[Difference]] | None = None
    for index, candidate in enumerate(candidates):
        found = differences(candidate, sent)
        weight = sum(len(shorten(item.one)) + len(shorten(item.other)) for item in found)
        if best is None or (len(found), weight) < best[0]:
            best = ((len(found), weight), index, found)
    return None if best is None else best[1:]


def _digest(data: bytes) -> bytes:
    """A session sends its history with every request: the bodies themselves would take the square of its memory."""
    return blake2b(data, digest_size=32).digest()


def _values(query: tuple[tuple[str, str], ...]) -> dict[str, Any]:
    """The values of each query parameter: the one, or a list."""
    found: dict[str, list[str]] = {}
    for name, value in query:
        found.setdefault(name, []).append(value)
    return {name: values[0] if len(values) == 1 else values for name, values in found.items()}
