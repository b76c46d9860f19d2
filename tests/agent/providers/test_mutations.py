"""Streams as no provider should send them: frames lost, doubled, swapped or damaged, and values of any type.

For every fixture and every format: nothing raises, exactly one `usage` closes the call, everything can be written, and
any chunking gives the same events.
"""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import EOF, End, UsageEvent
from agent.jsonio import NotJSON, dumps, loads
from agent.providers import WIRES, adapter
from agent.sse import SSEDecoder
from tests.agent.providers.streams import SSE, assert_closed, fixture_form, is_stream, random_sizes, run
from tests.agent.providers.test_fixtures import STREAMS, expectation

EVENT_STREAMS = [path for path in STREAMS if is_stream(path.read_bytes(), expectation(path)["content_type"])]
ODD_VALUES: tuple[Any, ...] = (
    None, True, False, 0, -1, 1.5, 10**30, "", " ", "x", "{", "[DONE]", "\ud83d", "\udc00", [], [None], ["x"], [[]],
    {}, {"": None}, {"type": 1}, {"type": "text"}, {"error": {"message": 5}}, {"text": ["x"]}, float("inf"),
)  # fmt: skip


def frames(path: Path) -> list[bytes]:
    decoder = SSEDecoder()
    return [frame.raw for frame in [*decoder.feed(path.read_bytes()), *decoder.flush()]]


def places(value: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    found: list[tuple[Any, Any]] = []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found.append((value, key))
        found += places(item)
    return found


def mutate(payload: Any, source: random.Random) -> Any:
    """`payload` with one to three values replaced, removed or renamed."""
    for _ in range(source.randint(1, 3)):
        spots = places(payload)
        if not spots:
            return copy.deepcopy(source.choice(ODD_VALUES))
        box, key = source.choice(spots)
        action = source.randrange(6)
        if action == 0:
            del box[key]
        elif action == 1 and isinstance(box, dict):
            box[str(key) + "x"] = box.pop(key)
        elif action == 2:
            box[key] = [box[key]]
        elif action == 3:
            other, name = source.choice(spots)
            box[key] = copy.deepcopy(other[name])
        else:
            box[key] = copy.deepcopy(source.choice(ODD_VALUES))
    return payload


def mutated_frame(frame: bytes, source: random.Random) -> bytes:
    data = b"\n".join(line[5:].strip() for line in frame.splitlines() if line.startswith(b"data:"))
    try:
        payload = loads(data)
    except NotJSON:
        return frame
    return b"data: " + json.dumps(mutate(payload, source)).encode() + b"\n\n"


def check(wire: str, body: bytes, seed: int) -> None:
    end = (EOF, End("error", "ReadTimeout"), End("closed"))[seed % 3]
    events = run(wire, body, content_type=SSE, end=end)
    assert_closed(events)
    assert run(wire, body, random_sizes(body, seed), content_type=SSE, end=end) == events


@pytest.mark.parametrize("path", EVENT_STREAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_frames_lost_doubled_swapped_damaged(path: Path) -> None:
    whole = frames(path)
    for seed in range(4):
        source = random.Random(seed)
        lost, doubled, swapped, damaged = ([*whole] for _ in range(4))
        at, other = source.randrange(len(whole)), source.randrange(len(whole))
        del lost[at]
        doubled.insert(at, whole[at])
        swapped[at], swapped[other] = whole[other], whole[at]
        broken = bytearray(whole[at])
        broken[source.randrange(len(broken))] = source.randrange(256)
        damaged[at] = bytes(broken)
        for variant in (lost, doubled, swapped, damaged):
            check(path.parent.name, b"".join(variant), seed)


@given(seed=st.integers(0, 2**32))
@pytest.mark.parametrize("wire", WIRES)
def test_values_of_any_type(wire: str, seed: int) -> None:
    """Payloads of a fixture with values of wrong types, missing fields and renamed fields."""
    streams = [path for path in EVENT_STREAMS if path.parent.name == wire]
    if not streams:
        pytest.skip("no fixtures of this format")
    source = random.Random(seed)
    whole = frames(source.choice(streams))
    for _ in range(source.randint(1, 4)):
        at = source.randrange(len(whole))
        whole[at] = mutated_frame(whole[at], source)
    check(wire, b"".join(whole), seed)


@given(seed=st.integers(0, 2**32))
@pytest.mark.parametrize("wire", WIRES)
def test_bodies_of_any_type(wire: str, seed: int) -> None:
    bodies = [path for path in STREAMS if path.parent.name == wire and path not in EVENT_STREAMS]
    source = random.Random(seed)
    body = source.choice([b"{}", b"[]", b"null", b"[{}]", *(path.read_bytes() for path in bodies)])
    try:
        body = json.dumps(mutate(loads(body), source)).encode()
    except NotJSON:
        body = body[: source.randrange(len(body))]
    decoder = adapter(wire).decoder()
    assert_closed([*decoder.parse_body(body), *decoder.finish()])


@pytest.mark.parametrize("depth", [300, 700, 1015, 5000])
@pytest.mark.parametrize("path", EVENT_STREAMS[::5], ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_deep_nesting(path: Path, depth: int) -> None:
    """A value nested deeper than parsers go, in the place of each value of a payload in turn."""
    whole = frames(path)
    source = random.Random(depth)
    for opening, closing in (("[", "]"), ('{"a":', "}")):
        deep = json.dumps("@deep@").encode()
        at = source.randrange(len(whole))
        data = b"".join(line[5:].strip() for line in whole[at].splitlines() if line.startswith(b"data:"))
        try:
            payload = loads(data)
        except NotJSON:
            continue
        for number in range(len(places(payload))):
            payload = loads(data)
            box, key = places(payload)[number]
            box[key] = "@deep@"
            text = json.dumps(payload).encode().replace(deep, (opening * depth + "1" + closing * depth).encode())
            events = run(path.parent.name, b"".join([*whole[:at], b"data: " + text + b"\n\n", *whole[at + 1 :]]))
            assert [type(event) for event in events].count(UsageEvent) == 1
            assert loads(dumps(fixture_form(events)))
