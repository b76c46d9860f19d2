"""Rows from bytes to normalized events: decoder and adapter, alone and through httpx, against floor and SDKs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from agent.client import Client
from agent.messages import user
from agent.response import Framer, ResponseDecoder
from benchmarks import data, peers
from benchmarks.race import Race, Row, Setting
from benchmarks.sessions import Server, target
from benchmarks.sse import floor

_LIMITS = {"openai-chat": 3.5, "openai-responses": 3.5, "anthropic": 5.0, "gemini": 3.5}
_SDKS = {"openai": ("openai-chat", 40.0), "google-genai": ("gemini", 40.0), "anthropic": ("anthropic", 7.0)}

ROWS = (
    *(Row(f"bytes to events, {wire}", wire, f"floor {wire}", limit) for wire, limit in _LIMITS.items()),
    *(
        Row(f"frames a second against the {sdk} SDK", f"SDK {sdk}", wire, limit, at_least=True, unit="x faster")
        for sdk, (wire, limit) in _SDKS.items()
    ),
    *(Row(f"the client over httpx, {wire}", f"client {wire}", f"floor {wire}") for wire in _LIMITS),
)


def contestants(setting: Setting) -> Race:
    race = Race(laps=3)
    for wire, make in data.STREAMS.items():
        stream = make(setting.size(2000))
        race.add(f"floor {wire}", floor(stream.payloads), passes=3)
        race.add(wire, derive(wire, stream.frames))
        race.add(f"client {wire}", client(stream))
    for sdk, (wire, _) in _SDKS.items():
        stream = data.STREAMS[wire](setting.size(2000))
        race.peer(f"SDK {sdk}", partial(peers.sdk, sdk, stream.frames))
    return race


def derive(wire: str, chunks: Sequence[bytes]) -> Callable[[], None]:
    """What live calls, recordings and replays share: chunks in, events out."""

    def work() -> None:
        framer, decoder = Framer("text/event-stream"), ResponseDecoder(wire)
        for chunk in chunks:
            for frame in framer.feed(chunk):
                decoder.frame(frame)
        for frame in framer.flush():
            decoder.frame(frame)
        decoder.finish()

    return work


def client(stream: data.Stream) -> Callable[[], None]:
    """The same bytes over httpx."""

    async def work() -> None:
        async with Client(target(stream.wire), transport=Server(stream.frames)) as driver:
            async for _ in driver.stream([user("Say something.")], model="bench"):
                pass

    return lambda: asyncio.run(work())
