"""A record proxy in front of a loopback server, and a replay server over what it recorded."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

pytest.importorskip("starlette", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

import harness
from agent.providers.table import PROVIDERS
from harness.recorder.recorder import Recorder
from harness.serving.answer import ReplayServer
from harness.serving.doors import plan
from harness.serving.forward import RecordProxy
from harness.serving.server import running
from tests.loopback import Handler, Server, serve

CHAT = "/openai/v1/chat/completions"
FRAMES = [b'data: {"choices":[{"index":0,"delta":{"content":"%d"}}]}\n\n' % i for i in range(5)]
DONE = b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def prompt(text: str = "hi") -> dict[str, Any]:
    """The body of a chat request."""
    return {"model": "tiny", "stream": True, "messages": [{"role": "user", "content": text}]}


@dataclass
class Proxied:
    """A record proxy at `url`, in front of `upstream`."""

    url: str
    upstream: Server
    app: RecordProxy
    recorder: Recorder


@asynccontextmanager
async def recording(path: Path, handler: Handler, **options: Any) -> AsyncIterator[Proxied]:
    """Record to `path` what is answered by `handler`; the recording is closed when the context is left."""
    async with serve(handler) as upstream:
        recorder = Recorder(path, **options)
        app = RecordProxy(recorder, plan({}, PROVIDERS, [upstream.url]))
        async with running(app) as url:
            yield Proxied(url, upstream, app, recorder)
        await app.aclose()
        recorder.close()


@dataclass
class Replayed:
    """A replay server at `url`."""

    url: str
    app: ReplayServer


@asynccontextmanager
async def replaying(*paths: Path, **options: Any) -> AsyncIterator[Replayed]:
    """Answer from recordings."""
    calls = [call for path in paths for call in harness.open(path).calls]
    app = ReplayServer(calls, plan({}, PROVIDERS), **options)
    async with running(app) as url:
        yield Replayed(url, app)
    assert not app.faults


@dataclass
class Got:
    """What a client saw of one answer: `error` is the class of the exception that ended it, if any."""

    status: int | None = None
    headers: list[tuple[str, str]] | None = None
    chunks: list[bytes] | None = None
    error: str | None = None

    @property
    def body(self) -> bytes:
        return b"".join(self.chunks or [])

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers or [] if key == name), None)


async def ask(url: str, path: str = CHAT, *, method: str = "POST", json: Any = None, **options: Any) -> Got:
    """One request on a connection of its own, the answer as it came (nothing decoded)."""
    got = Got()
    if json is None and "content" not in options and method == "POST":
        json = prompt()
    try:
        async with (
            httpx.AsyncClient(timeout=20) as client,
            client.stream(method, url + path, json=json, **options) as response,
        ):
            got.status, got.headers, got.chunks = response.status_code, response.headers.multi_items(), []
            async for chunk in response.aiter_raw():
                got.chunks.append(chunk)
    except httpx.TransportError as error:
        got.error = type(error).__name__
    return got
