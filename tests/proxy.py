"""A TCP proxy on loopback that lets a given number of response bytes through and then breaks the connection."""

from __future__ import annotations

import asyncio
import socket
import struct
from collections.abc import AsyncIterator
from contextlib import AbstractContextManager, asynccontextmanager
from urllib.parse import urlsplit

from tests.threads import in_thread


def proxy(upstream: str, after: int, ending: str, port: int = 0) -> AbstractContextManager[str]:
    """The URL of a proxy for the server at `upstream`.

    Each connection gets at most `after` bytes of the response, head included, then `ending`: `reset` (a TCP reset),
    `cut` (closed without the end of the body) or `stall` (nothing more comes until the client leaves).
    """
    return in_thread(_proxy(upstream, after, ending, port))


@asynccontextmanager
async def _proxy(upstream: str, after: int, ending: str, port: int) -> AsyncIterator[str]:
    host, up_port = urlsplit(upstream).hostname, urlsplit(upstream).port
    tasks: set[asyncio.Task[None]] = set()

    async def connection(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        up_reader, up_writer = await asyncio.open_connection(host, up_port)
        sending = asyncio.create_task(_pump(reader, up_writer))
        try:
            left = after
            while left and (data := await up_reader.read(min(left, 4096))):
                left -= len(data)
                writer.write(data)
                await writer.drain()
            if ending == "stall":
                await sending
            elif ending == "reset":
                await asyncio.sleep(0.05)  # let the client read what it was sent
                sock = writer.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                writer.transport.abort()
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            tasks.discard(task)
            sending.cancel()
            up_writer.close()
            writer.close()

    listener = await asyncio.start_server(connection, "127.0.0.1", port)
    try:
        yield f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    finally:
        listener.close()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        await listener.wait_closed()


async def _pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Pass the client's bytes on until it leaves."""
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except ConnectionError:
        pass
