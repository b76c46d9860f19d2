"""The local HTTP server: uvicorn on loopback, which lets an app end a connection as a network does."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from harness.errors import HarnessError
from harness.serving.exchange import CONNECTION, Receive, Scope, Send

HOST = "127.0.0.1"

_KEEP_ALIVE = 3600
"""Seconds. Idle connections of the client stay open, so that it never meets one that is just being closed."""

_GRACE = 1
"""Seconds that calls which still run at the end are given."""

_HEAD_LIMIT = 1 << 18
"""Bytes of a request's head."""


class _Protocol(H11Protocol):
    """Hands the connection itself to the app."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        app = self.app

        async def with_connection(scope: Scope, receive: Receive, send: Send) -> None:
            scope["extensions"] = {**scope.get("extensions", {}), CONNECTION: self.transport}
            await app(scope, receive, send)

        self.app = with_connection


class _Server(uvicorn.Server):
    """Leaves signals to the command."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


@asynccontextmanager
async def running(app: Any, port: int = 0) -> AsyncIterator[str]:
    """The URL of a server that runs `app` (ASGI) on loopback; 0 is any free port. Raises `HarnessError`.

    It has stopped when the context is left, calls that still ran included.
    """
    sock = _listen(port)
    config = uvicorn.Config(
        app,
        interface="asgi3",
        http=_Protocol,
        ws="none",
        lifespan="off",
        log_config=None,
        log_level="critical",
        access_log=False,
        proxy_headers=False,
        server_header=False,
        date_header=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=_GRACE,
        h11_max_incomplete_event_size=_HEAD_LIMIT,
    )
    server = _Server(config)
    serving = asyncio.create_task(server.serve(sockets=[sock]))
    try:
        yield f"http://{HOST}:{sock.getsockname()[1]}"
    finally:
        server.should_exit = True
        await serving
        await asyncio.gather(*server.server_state.tasks, return_exceptions=True)


def _listen(port: int) -> socket.socket:
    sock = socket.socket()
    try:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind((HOST, port))
    except OSError as error:
        sock.close()
        raise HarnessError(f"cannot listen on {HOST}:{port}: {error.strerror}; name another --port") from None
    sock.listen(128)
    sock.setblocking(False)
    return sock
