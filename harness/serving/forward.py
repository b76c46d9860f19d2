"""The record proxy: passes requests on to the providers, answers back, and records what passes through."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import anyio.lowlevel
import httpx
from starlette.requests import ClientDisconnect

from agent.network import network_transport, proxy_for
from agent.providers import WIRES, adapter
from harness.serving.doors import Doors, NoRoute, Upstream
from harness.serving.exchange import HOP_BY_HOP, Exchange, Receive, Scope, Send, answer

if TYPE_CHECKING:
    from harness.recorder.recorder import Recorder

_NOT_SENT_ON = HOP_BY_HOP | {"host", "content-length", "accept-encoding", "expect"}
_TIMEOUTS = {"connect": 30.0, "read": None, "write": None, "pool": None}
"""Seconds. How long an answer may take is the client's to decide; it leaves when it has waited enough."""

_NOT_REACHED = (httpx.ConnectError, httpx.ConnectTimeout, httpx.UnsupportedProtocol, httpx.ProxyError)
NOT_REACHED = frozenset(error.__name__ for error in _NOT_REACHED)
"""Exceptions of a try that reached no server. Clients get status 502 with the reason, and may try again."""

_CUT = httpx.RemoteProtocolError
CUT = _CUT.__name__
"""The server closed its connection in the middle of an answer, without a reset."""


class RecordProxy:
    """An ASGI app. `calls` counts the requests that were passed on; `faults` tells of others, and of what failed."""

    def __init__(self, recorder: Recorder, doors: Doors) -> None:
        self.calls = 0
        self.faults: list[str] = []
        self._recorder = recorder
        self._doors = doors
        self._transports: dict[tuple[str, str | None], httpx.AsyncBaseTransport] = {}

    async def warm(self) -> None:
        """Load what the first call needs, so that it need not wait for that: adapters, certificates, the HTTP stack."""
        for wire in WIRES:
            adapter(wire)
        await anyio.lowlevel.checkpoint()
        for upstream in self._doors.upstreams.values():
            with contextlib.suppress(httpx.ProxyError, httpx.ConnectError):  # told to who calls it
                self._transport(upstream)
            await asyncio.sleep(0)

    async def aclose(self) -> None:
        """Close what is open upstream."""
        for transport in self._transports.values():
            await transport.aclose()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send)
        if await exchange.refused_upgrade():
            return
        try:
            upstream, path = self._doors.route(exchange.path)
        except NoRoute as error:
            self.faults.append(str(error))
            await exchange.refuse(400, str(error), "no_route")
            return
        try:
            body = await exchange.body()
        except ClientDisconnect:
            return
        self.calls += 1
        await answer(exchange, self._forward(exchange, upstream, path, body), self.faults)

    async def _forward(self, exchange: Exchange, upstream: Upstream, path: str, body: bytes) -> None:
        try:
            request = _request(exchange, upstream, path, body)
        except httpx.InvalidURL as error:
            await exchange.refuse(400, f"the path {path[:80]!r} cannot be sent on: {error}", "no_route")
            return
        try:
            response = await self._recorder.transport(self._transport(upstream)).handle_async_request(request)
        except _NOT_REACHED as error:
            await exchange.refuse(502, unreachable(request.url, error), "unreachable", retry=True)
            return
        except _CUT:
            await exchange.break_off()
            return
        except (httpx.TransportError, OSError):
            await exchange.reset()
            return
        try:
            await _pass_on(exchange, response)
        finally:
            await response.stream.aclose()

    def _transport(self, upstream: Upstream) -> httpx.AsyncBaseTransport:
        """A fresh connection for each call: servers announce keep-alive and close all the same (llama.cpp does)."""
        way = (urlsplit(upstream.origin).scheme, proxy_for(upstream.origin))
        transport = self._transports.get(way)
        if transport is None:
            limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)
            transport = self._transports[way] = network_transport(upstream.origin, limits=limits)
        return transport


async def _pass_on(exchange: Exchange, response: Any) -> None:
    """The answer as it comes: each chunk is written on before the next one is read."""
    headers = [(name, value) for name, value in response.headers.raw if not _is_hop(name, response.headers)]
    await exchange.start(response.status_code, headers)
    announced = response.headers.get("content-length", "")
    left = int(announced) if announced.isdecimal() else None
    try:
        async for chunk in response.stream:
            if left is not None:
                left -= len(chunk)
                exchange.delivered = left <= 0
            await exchange.chunk(chunk)
    except _CUT:
        await exchange.break_off()
    except (httpx.TransportError, OSError):
        await exchange.reset()
    else:
        await exchange.finish()


def unreachable(url: object, error: object) -> str:
    """One line for a client whose request reached no server."""
    parts = urlsplit(str(url))
    return f"the record proxy cannot reach {parts.scheme}://{parts.netloc}: {error or type(error).__name__}"


def _request(exchange: Exchange, upstream: Upstream, path: str, body: bytes) -> httpx.Request:
    """The request as it is sent upstream. Answers are asked for uncompressed, so that they stream frame by frame."""
    named = _named_by_connection(exchange.headers)
    headers = [
        (name, value)
        for name, value in exchange.headers
        if name.lower() not in _NOT_SENT_ON and name.lower() not in named
    ]
    target = f"{path}?{exchange.query}" if exchange.query else path
    about = {} if upstream.provider is None else {"provider": upstream.provider}
    return httpx.Request(
        exchange.method,
        httpx.URL(upstream.origin).copy_with(raw_path=target.encode("latin-1")),
        headers=[*headers, ("accept-encoding", "identity")],
        content=body,
        extensions={"timeout": _TIMEOUTS, "trajectory": about},
    )


def _named_by_connection(headers: Iterable[tuple[str, str]]) -> set[str]:
    """Further headers that belong to this connection only (RFC 9110, 7.6.1)."""
    values = [value for name, value in headers if name.lower() == "connection"]
    return {token.strip().lower() for value in values for token in value.split(",")}


def _is_hop(name: bytes, headers: Any) -> bool:
    lower = name.decode("latin-1").lower()
    return lower in HOP_BY_HOP or lower in _named_by_connection(headers.multi_items())
