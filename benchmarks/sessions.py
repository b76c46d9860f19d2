"""Sessions out of memory: calls of some client, and turns of the agent as `harness ask` records them."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx

from agent.messages import user
from agent.providers.base import Target
from benchmarks import data
from harness.recorder.recorder import Recorder
from harness.recorder.session import Agent, open_turn
from harness.redaction.redactor import Redactor

KEY = "bench-key-0123456789"
PATHS = {"openai-chat": "chat/completions", "anthropic": "messages"}
_HEADERS = {"content-type": "text/event-stream"}


class Chunks(httpx.SyncByteStream, httpx.AsyncByteStream):
    """A response body out of memory."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._chunks)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self._chunks:
            yield chunk


class Server(httpx.BaseTransport, httpx.AsyncBaseTransport):
    """Answers every request with the same chunks."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = chunks

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return httpx.Response(200, headers=_HEADERS, stream=Chunks(self._chunks))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        return self.handle_request(request)


def target(wire: str) -> Target:
    return Target("openai" if wire.startswith("openai") else wire, wire, "http://bench.invalid/v1", key=KEY)


def recorder(path: Path) -> Recorder:
    """A recorder with redaction as `harness ask` sets it up: known shapes and the value of one key."""
    return Recorder(path, source="bench", force=True, redactor=Redactor({"BENCH_API_KEY": KEY}))


def call(transport: Any, wire: str = "openai-chat") -> Iterator[bytes]:
    """The chunks of one call through a transport."""
    headers = {"authorization": f"Bearer {KEY}"}
    body = {"model": "bench", "messages": [{"role": "user", "content": "Say something."}], "stream": True}
    request = httpx.Request("POST", f"http://bench.invalid/v1/{PATHS[wire]}", headers=headers, json=body)
    with closing(transport.handle_request(request)) as response:
        yield from response.stream


def record_call(path: Path, stream: data.Stream) -> None:
    """Record one call of some client, answered by `stream`."""
    with recorder(path) as recording:
        for _ in call(recording.transport(Server(stream.network_chunks())), stream.wire):
            pass
        assert not recording.errors, recording.errors


def record_turn(path: Path, stream: data.Stream) -> None:
    """Record one turn of the agent, whose answer is `stream`."""
    asyncio.run(_record_turn(path, stream))


async def _record_turn(path: Path, stream: data.Stream) -> None:
    agent = Agent(target(stream.wire), "bench", "PLAN", path.parent, "You are a benchmark.", tools=False)
    transport = Server(stream.network_chunks())
    with recorder(path) as recording:
        async with open_turn([user("Say something.")], agent, transport, recording, lambda *_: None) as events:
            async for _ in events:
                pass
        assert not recording.errors, recording.errors


def record_many(
    folder: Path, record: Callable[[Path, data.Stream], None], count: int, frames: int, distinct: int = 20
) -> list[Path]:
    """`count` recordings of `frames` frames each; copies of a few."""
    folder.mkdir()
    paths = [folder / f"{number:04}.jsonl" for number in range(count)]
    for number, path in enumerate(paths):
        if number < distinct:
            record(path, data.chat(frames, seed=number))
        else:
            shutil.copyfile(paths[number % distinct], path)
    return paths
