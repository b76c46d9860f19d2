"""A small HTTP/1.1 server on loopback that does exactly what a test tells it to, byte by byte."""

from __future__ import annotations

import asyncio
import gzip
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

SSE = "text/event-stream"


@dataclass
class Exchange:
    """One request that came in, and the means to answer it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    server: Server
    keep_alive: bool = False

    async def head(self, status: int = 200, content_type: str | None = SSE, **headers: str) -> None:
        """Send the status line and the headers; the body ends with the connection unless a header says otherwise.

        A client is told where the connection ends with this answer (RFC 9112, 9.6): else it may send its next request
        on it before it sees that it was closed.
        """
        lines = [f"HTTP/1.1 {status} X"]
        if content_type is not None:
            lines.append(f"content-type: {content_type}")
        if not self.keep_alive:
            lines.append("connection: close")
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.send(("\r\n".join(lines) + "\r\n\r\n").encode())

    async def send(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def chunk(self, data: bytes) -> None:
        """Send one chunk of a chunked body; no bytes end the body."""
        await self.send(b"%x\r\n%b\r\n" % (len(data), data))

    async def whole(self, body: bytes, status: int = 200, content_type: str | None = SSE, **headers: str) -> None:
        """Answer with a body of known length; the connection can be used again."""
        self.keep_alive = True
        await self.head(status, content_type, content_length=str(len(body)), **headers)
        await self.send(body)

    async def gzipped(self, body: bytes) -> None:
        await self.whole(gzip.compress(body, mtime=0), content_encoding="gzip")

    def reset(self) -> None:
        """Drop the connection with a TCP reset."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()

    async def until_closed(self) -> None:
        """Wait until the client closes the connection; the server counts it."""
        try:
            while await self.reader.read(1024):
                pass
        except ConnectionError:
            pass
        self.server.closed_by_client += 1
        self.server.client_left.set()


Handler = Callable[[Exchange], Awaitable[None]]


@dataclass
class Server:
    """What happened so far. `url` has no path."""

    url: str = ""
    exchanges: list[Exchange] = field(default_factory=list)
    connections: int = 0
    closed_by_client: int = 0
    client_left: asyncio.Event = field(default_factory=asyncio.Event)


async def _read(reader: asyncio.StreamReader) -> tuple[str, str, dict[str, str], bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    method, path, _ = head[0].split(" ", 2)
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:] if line)}
    return method, path, headers, await reader.readexactly(int(headers.get("content-length", 0)))


@asynccontextmanager
async def serve(handler: Handler, port: int = 0) -> AsyncIterator[Server]:
    """Serve on loopback, on a free port by default. A connection stays open only after a body of known length."""
    server = Server()
    tasks: set[asyncio.Task[None]] = set()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        server.connections += 1
        try:
            while True:
                exchange = Exchange(*await _read(reader), reader, writer, server)
                server.exchanges.append(exchange)
                await handler(exchange)
                if not exchange.keep_alive:
                    break
        except (asyncio.IncompleteReadError, ConnectionError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            writer.close()

    listener = await asyncio.start_server(connection, "127.0.0.1", port)
    server.url = f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    try:
        yield server
    finally:
        listener.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await listener.wait_closed()
