"""A secret that is split over frames or chunks never reaches the file."""

from __future__ import annotations

import json
import random

import pytest

from tests.harness.planted import (
    KINDS,
    LEADS,
    SECRETS,
    WIRES,
    held_in,
    pieces,
    record,
    redactor,
    rule_of,
    stream,
)
from tests.harness.transports import Reply


def placeholder(name: str, number: int) -> str:
    return f"{LEADS.get(name, '')}[redacted:{rule_of(name)}:{number}]"


def planted(name: str) -> str:
    return LEADS.get(name, "") + SECRETS[name]


def in_pieces(kind: str, name: str, all_cuts: list[list[int]]) -> list[str]:
    """A text with the secret in it many times, each time cut elsewhere; where it is of arguments, they are JSON."""
    if kind != "arguments":
        return [part for cuts in all_cuts for part in ("one ", *pieces(planted(name), cuts), " two ")]
    found = ['{"a":["x ']
    for cuts in all_cuts:
        inner = json.dumps(planted(name))[1:-1]
        found += ["", *pieces(inner, [min(cut, len(inner)) for cut in cuts]), '", "x ']
    return [*found, '"]}']


def check(path, wire, kind, name, all_cuts, *, user_rules=True, chunks=lambda frames: frames):
    parts = in_pieces(kind, name, all_cuts)
    frames = stream(wire, kind, parts)
    found = record(path / "r.jsonl", wire, Reply(chunks(frames)), redactor(user_rules=user_rules))
    assert held_in(found.data, [SECRETS[name]]) == []
    shown = placeholder(name, 1)
    if kind != "arguments":
        assert found.text(kind) == f"one {shown} two " * len(all_cuts)
    elif wire == "gemini":
        text = "".join(parts).replace(json.dumps(planted(name))[1:-1], shown)
        assert found.arguments() == [{"a0": text}]
    else:
        assert found.arguments() == [{"a": [*[f"x {shown}"] * len(all_cuts), "x "]}]
    assert len(found.call.frames) == len(frames)
    return found


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wire", WIRES)
def test_at_every_byte(tmp_path, wire, kind, name):
    length = len(planted(name)) if kind != "arguments" else len(json.dumps(planted(name))) - 2
    check(tmp_path, wire, kind, name, [[cut] for cut in range(length + 1)])


@pytest.mark.parametrize("user_rules", [False, True])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("wire", WIRES)
def test_over_many_frames_and_any_chunks(tmp_path, wire, kind, user_rules):
    rng = random.Random(f"{wire} {kind}")

    def network(frames):
        body = b"".join(frames)
        cuts = sorted(rng.randrange(len(body)) for _ in range(len(frames) // 2))
        return [body[start:end] for start, end in zip([0, *cuts], [*cuts, len(body)], strict=True)]

    for name in SECRETS if user_rules else [name for name in SECRETS if name != "badge"]:
        length = len(planted(name))
        all_cuts = [sorted(rng.randrange(length + 1) for _ in range(rng.randrange(2, 9))) for _ in range(3)]
        all_cuts.append([*range(1, length)])
        check(tmp_path, wire, kind, name, all_cuts, user_rules=user_rules, chunks=network)
