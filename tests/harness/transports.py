"""Transports that answer by script, for both families, sync and async; and what a caller sees of an answer."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from harness import wire
from harness.recorder.recorder import Recorder
from harness.recording.opening import open as open_recording
from harness.replaying.replay_transport import ReplayTransport

SSE = "text/event-stream"
WAIT = "wait"
"""An ending: nothing more comes until the caller leaves."""


def family(name: str) -> Any:
    """`httpx` or `httpx2`; the test is skipped where it is not installed."""
    return pytest.importorskip(name, reason=f"{name} is not installed")


@dataclass(frozen=True)
class Reply:
    """One scripted response. `end`: None for EOF, an exception's class name and message, or WAIT.

    `refused`: the exception that comes before any response.
    """

    chunks: Sequence[bytes] = ()
    status: int = 200
    content_type: str | None = SSE
    headers: tuple[tuple[str, str], ...] = ()
    end: tuple[str, str] | str | None = None
    refused: tuple[str, str] | None = None

    @property
    def all_headers(self) -> list[tuple[str, str]]:
        return [*([("content-type", self.content_type)] if self.content_type else []), *self.headers]


@dataclass
class Scripted:
    """Answers requests in order, or by `answer(request)`. `produced` counts the chunks handed out so far."""

    replies: list[Reply] = field(default_factory=list)
    answer: Callable[[Any], Reply] | None = None
    requests: list[Any] = field(default_factory=list)
    produced: int = 0
    closed: int = 0

    def _reply(self, request: Any) -> Reply:
        self.requests.append(request)
        reply = self.answer(request) if self.answer else self.replies.pop(0)
        if reply.refused is not None and reply.refused != WAIT:
            raise wire.transport_error(wire.family_of(request), *reply.refused, request)
        return reply

    def handle_request(self, request: Any) -> Any:
        reply = self._reply(request)
        lib = wire.family_of(request)

        def iterate():
            for chunk in reply.chunks:
                self.produced += 1
                yield chunk
            if reply.end is not None:
                raise wire.transport_error(lib, *reply.end, request)

        def close():
            self.closed += 1

        return lib.Response(
            reply.status, headers=reply.all_headers, stream=wire.stream_class(lib)(iterate=iterate, close=close)
        )

    async def handle_async_request(self, request: Any) -> Any:
        reply = self._reply(request)
        lib = wire.family_of(request)
        if reply.refused == WAIT:
            await asyncio.Event().wait()

        async def aiterate():
            for chunk in reply.chunks:
                self.produced += 1
                yield chunk
            if reply.end == WAIT:
                await asyncio.Event().wait()
            if reply.end is not None:
                raise wire.transport_error(lib, *reply.end, request)

        async def aclose():
            self.closed += 1

        return lib.Response(
            reply.status, headers=reply.all_headers, stream=wire.stream_class(lib)(aiterate=aiterate, aclose=aclose)
        )

    def close(self) -> None: ...

    async def aclose(self) -> None: ...

    def __enter__(self):
        return self

    def __exit__(self, *exc): ...

    async def __aenter__(self):
        return self

    async def __aexit__(self, *exc): ...


FIXTURES = sorted((Path(__file__).resolve().parents[2] / "fixtures").glob("*/*.*"))
BODIES = [path.read_bytes() for path in FIXTURES if path.suffix in (".sse", ".body")]
PATHS = ("/v1/chat/completions", "/v1/responses", "/v1/messages", "/v1beta/models/m:streamGenerateContent", "/other")
URL = "https://api.test/v1/chat/completions"
BODY = json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}).encode()


@dataclass
class Seen:
    """What a caller saw of one response."""

    status: int | None = None
    headers: list[tuple[str, str]] = field(default_factory=list)
    chunks: list[bytes] = field(default_factory=list)
    end: tuple[str, str] | None = None

    def without_framing(self) -> Seen:
        """Without the headers that a replay does not send."""
        left_out = ("content-length", "transfer-encoding", "connection", "keep-alive", "content-encoding")
        return Seen(self.status, [pair for pair in self.headers if pair[0] not in left_out], self.chunks, self.end)


async def call(
    lib: Any,
    transport: Any,
    *,
    is_async: bool,
    method: str = "POST",
    url: str = URL,
    content: Any = BODY,
    headers: Any = (),
    stop_after: int | None = None,
    raw: bool = True,
    extensions: Any = None,
) -> Seen:
    """Make one request and read its response, raw or decoded; leave after `stop_after` chunks."""
    seen = Seen()
    arguments = {"content": content, "headers": list(headers), "extensions": extensions or {}}
    try:
        if is_async:
            async with (
                lib.AsyncClient(transport=transport) as client,
                client.stream(method, url, **arguments) as response,
            ):
                seen.status, seen.headers = response.status_code, response.headers.multi_items()
                async for chunk in response.aiter_raw() if raw else response.aiter_bytes():
                    seen.chunks.append(chunk)
                    if len(seen.chunks) == stop_after:
                        break
        else:
            with lib.Client(transport=transport) as client, client.stream(method, url, **arguments) as response:
                seen.status, seen.headers = response.status_code, response.headers.multi_items()
                for chunk in response.iter_raw() if raw else response.iter_bytes():
                    seen.chunks.append(chunk)
                    if len(seen.chunks) == stop_after:
                        break
    except (lib.RequestError, OSError) as error:
        seen.end = type(error).__name__, str(error)
    return seen


def replayed(path: Any, **options: Any) -> ReplayTransport:
    return ReplayTransport(open_recording(path).calls, **options)


def records(path: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def comparable(path: Any) -> list[dict[str, Any]]:
    """The records without what differs between a recording and the recording of its replay."""
    found = []
    for record in records(path):
        left_out = {"t", "cut_t", "duration"} | (
            {"id", "started_at", "source"} if record["kind"] == "header" else set()
        )
        found.append({name: value for name, value in record.items() if name not in left_out})
    return found


class Watched(Recorder):
    """A recorder that fails the test where it could not record something."""

    def close(self, status: str = "ok") -> None:
        super().close(status)
        assert self.errors == []


def recorder(path: Any, **options: Any) -> Recorder:
    """A recorder that must not meet a fault, unless `warn` is given (also as None)."""
    return (Recorder if "warn" in options else Watched)(path, **{"source": "test", **options})


BOTH = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
FAMILIES = pytest.mark.parametrize("name", ["httpx", "httpx2"])
DONE = b'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


def body(text, **more):
    messages = [{"role": "system", "content": "be brief " * 20}, {"role": "user", "content": text}]
    return json.dumps({"model": "m", "messages": messages, **more}).encode()


def answer(request):
    """An answer that says what the request asked."""
    asked = json.loads(b"".join(request.stream))["messages"][-1]["content"]
    frame = json.dumps({"choices": [{"delta": {"content": f"re: {asked}"}}]}).encode()
    return Reply([b"data: " + frame + b"\n\n", DONE])


def texts(recorded):
    return ["".join(e["text"] for e in one.events if e["type"] == "text").removesuffix("a") for one in recorded]
