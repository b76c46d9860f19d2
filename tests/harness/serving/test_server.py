from __future__ import annotations

import asyncio
import signal
import socket

import httpx
import pytest

from harness.errors import HarnessError
from harness.serving.exchange import Exchange
from harness.serving.server import running

pytestmark = pytest.mark.anyio


async def hello(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"hello"})


async def test_it_listens_on_loopback_on_a_free_port_until_the_context_is_left():
    async with running(hello) as url, running(hello) as other, httpx.AsyncClient() as client:
        assert url.startswith("http://127.0.0.1:")
        assert url != other
        response = await client.get(url)
        assert (response.text, response.headers.get("server"), response.headers.get("date")) == ("hello", None, None)
    with pytest.raises(ConnectionRefusedError):
        await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))


async def test_a_port_that_is_taken():
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        sock.listen()
        port = sock.getsockname()[1]
        with pytest.raises(HarnessError, match=f"cannot listen on 127.0.0.1:{port}.*--port"):
            async with running(hello, port):
                pass


async def test_it_stops_although_a_client_stays_and_a_call_runs():
    ended = []

    async def endless(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(scope["path"])

    async with running(endless) as url:
        _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(b"GET /it HTTP/1.1\r\nhost: x\r\n\r\n")
        await asyncio.sleep(0.1)
    assert ended == ["/it"]
    writer.close()


async def test_signals_are_left_alone():
    before = signal.getsignal(signal.SIGINT)
    async with running(hello):
        assert signal.getsignal(signal.SIGINT) is before


async def test_a_long_head_is_taken():
    async def app(scope, receive, send):
        exchange = Exchange(scope, receive, send)
        await exchange.refuse(400, str(len(exchange.header("x-long"))), "x")

    async with running(app) as url, httpx.AsyncClient() as client:
        response = await client.get(url, headers={"x-long": "a" * 100_000})
    assert response.json()["error"]["message"] == "100000"
