"""One request on a local server, and the means to answer it: chunk by chunk, and with the endings of a real network."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import struct
import sys
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from typing import Any, TypeAlias

from starlette.requests import Request

from harness.replaying.error_bodies import DONT_RETRY, error_body, shape_of

Scope: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send: TypeAlias = Callable[[MutableMapping[str, Any]], Awaitable[None]]

CONNECTION = "harness.connection"
"""The ASGI extension in which the server hands over the connection's `asyncio.Transport`."""

HOP_BY_HOP = frozenset({
    "connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection", "te", "trailer",
    "transfer-encoding", "upgrade",
})  # fmt: skip
"""Headers that belong to one connection and are not passed on (RFC 9110, 7.6.1)."""

_LINGER_NOT = struct.pack("ii", 1, 0)
_POLL = 0.002
_DARWIN_SO_NWRITE = 0x1024


class Exchange:
    """A request (`path` and `query` as they were sent, not decoded) and its answer."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.method: str = scope["method"]
        self.path: str = scope["raw_path"].decode("ascii")
        self.query: str = scope["query_string"].decode("latin-1")
        self.headers = [(name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]]
        self.started = False
        self.delivered = False
        """All that the head announced has been sent, so a client that leaves now left nothing behind."""
        self._request = Request(scope, receive)
        self._receive = receive
        self._send = send
        self._connection: asyncio.Transport = scope["extensions"][CONNECTION]

    def header(self, name: str) -> str | None:
        return next((value for key, value in self.headers if key.lower() == name), None)

    async def body(self) -> bytes:
        """The whole body. Raises `starlette.requests.ClientDisconnect`."""
        return await self._request.body()

    async def left(self) -> None:
        """Wait until the client has closed the connection, or has its whole answer."""
        while (await self._receive())["type"] != "http.disconnect":
            pass

    async def start(self, status: int, headers: Sequence[tuple[bytes, bytes]]) -> None:
        """Send the head, at once."""
        self.started = True
        await self._send({"type": "http.response.start", "status": status, "headers": list(headers)})

    async def chunk(self, data: bytes) -> None:
        """Send one chunk of the body, at once; waits where the client reads slowly."""
        await self._send({"type": "http.response.body", "body": data, "more_body": True})

    async def finish(self) -> None:
        await self._send({"type": "http.response.body", "body": b""})

    async def refused_upgrade(self) -> bool:
        """Whether the client asked for a WebSocket, and was told to use plain HTTP (codex falls back to it then)."""
        if (self.header("upgrade") or "").lower() != "websocket":
            return False
        await self.refuse(426, "no WebSocket here: send the request over plain HTTP", "upgrade_required")
        return True

    async def refuse(self, status: int, message: str, code: str, *, retry: bool = False) -> None:
        """Answer with an error of our own, in the shape of the provider that was asked."""
        body = error_body(shape_of(self.path, self.headers), status, message, code)
        headers = [("content-type", "application/json"), ("content-length", str(len(body)))]
        if not retry:
            headers.append(DONT_RETRY)
        await self.start(status, [(name.encode(), value.encode()) for name, value in headers])
        await self.chunk(body)
        await self.finish()

    async def reset(self) -> None:
        """End with a TCP reset, once the client's side has all that was sent before."""
        await self._sent()
        sock = self._connection.get_extra_info("socket")
        if sock is not None and not self._connection.is_closing():
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_NOT)
        self._connection.abort()
        await self.left()

    async def break_off(self) -> None:
        """Close the connection in an orderly way, although the answer is not whole."""
        self._connection.close()
        await self.left()

    async def _sent(self) -> None:
        """Wait until nothing is on its way any more: a reset throws that away."""
        connection = self._connection
        sock = connection.get_extra_info("socket")
        while not connection.is_closing() and (connection.get_write_buffer_size() or _unsent(sock)):  # noqa: ASYNC110
            await asyncio.sleep(_POLL)  # the kernel tells no event of this


async def answer(exchange: Exchange, work: Awaitable[None], faults: list[str]) -> None:
    """Do the work of answering; it is ended where the client leaves before its answer is whole.

    What the work should not raise is added to `faults`, and the client is told.
    """
    try:
        await _until_left(exchange, work)
    except Exception as error:
        faults.append(f"{exchange.method} {exchange.path}: {type(error).__name__}: {error}")
        if exchange.started:
            await exchange.reset()
        else:
            await exchange.refuse(500, f"harness: {type(error).__name__}: {error}", "internal_error")


async def _until_left(exchange: Exchange, work: Awaitable[None]) -> None:
    working = asyncio.ensure_future(work)
    leaving = asyncio.ensure_future(exchange.left())
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if exchange.delivered:
            await asyncio.wait({working})
    finally:
        for task in (working, leaving):
            if not task.done():
                task.cancel()
        for task in (leaving, working):
            with contextlib.suppress(asyncio.CancelledError):
                await task


def _unsent(sock: Any) -> int:
    """Bytes that the kernel has not handed to the other side yet; 0 where it does not tell."""
    if sys.platform == "darwin":
        with contextlib.suppress(OSError):
            unsent: int = sock.getsockopt(socket.SOL_SOCKET, _DARWIN_SO_NWRITE)
            return unsent
        return 0
    try:
        import fcntl
        import termios

        return int(struct.unpack("i", fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, bytes(4)))[0])
    except (ImportError, OSError):
        return 0
