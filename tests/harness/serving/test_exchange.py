"""Endings on real sockets, and clients that leave while an answer is being made."""

from __future__ import annotations

import asyncio

import pytest

from harness.serving.exchange import Exchange, answer
from harness.serving.server import running
from tests.harness.serving.kit import ask

pytestmark = pytest.mark.anyio

HEAD = [(b"content-type", b"text/plain")]


def app(work, faults=None):
    async def found(scope, receive, send):
        exchange = Exchange(scope, receive, send)
        await exchange.body()
        await answer(exchange, work(exchange), [] if faults is None else faults)

    return found


async def sends(exchange, ending):
    await exchange.start(200, HEAD)
    await exchange.chunk(b"one")
    await exchange.chunk(b"two")
    await getattr(exchange, ending)()


@pytest.mark.parametrize(
    ("ending", "error"), [("finish", None), ("reset", "ReadError"), ("break_off", "RemoteProtocolError")]
)
async def test_an_ending_comes_after_all_bytes(ending, error):
    async with running(app(lambda exchange: sends(exchange, ending))) as url:
        got = await ask(url)
    assert (got.status, got.body, got.error) == (200, b"onetwo", error)


async def test_each_chunk_is_one_http_chunk():
    async def work(exchange):
        await exchange.start(200, HEAD)
        for chunk in (b"a", b"bc", b"def"):
            await exchange.chunk(chunk)
        await exchange.finish()

    async with running(app(work)) as url:
        assert (await ask(url)).chunks == [b"a", b"bc", b"def"]


@pytest.mark.parametrize("ending", ["reset", "break_off"])
async def test_an_ending_without_answer(ending):
    async with running(app(lambda exchange: getattr(exchange, ending)())) as url:
        got = await ask(url)
    assert (got.status, got.error) == (None, "ReadError" if ending == "reset" else "RemoteProtocolError")


async def test_work_is_ended_where_the_client_leaves():
    ended = asyncio.Event()
    faults = []

    async def work(exchange):
        try:
            await exchange.start(200, HEAD)
            await exchange.chunk(b"one")
            await asyncio.sleep(60)
        finally:
            ended.set()

    async with running(app(work, faults)) as url:
        _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        writer.write(b"GET / HTTP/1.1\r\nhost: x\r\n\r\n")
        await asyncio.sleep(0.1)
        writer.close()
        await asyncio.wait_for(ended.wait(), 10)
    assert faults == []


@pytest.mark.parametrize("started", [False, True])
async def test_a_fault_of_the_work_is_kept_and_told(started):
    faults = []

    async def work(exchange):
        if started:
            await exchange.start(200, HEAD)
        raise ValueError("odd")

    async with running(app(work, faults)) as url:
        got = await ask(url, "/x")
    assert faults == ["POST /x: ValueError: odd"]
    assert (got.status, got.error) == ((200, "ReadError") if started else (500, None))


async def test_the_path_is_kept_as_it_was_sent():
    seen = []

    async def work(exchange):
        seen.append((exchange.method, exchange.path, exchange.query, exchange.header("x-own"), exchange.header("none")))
        await exchange.refuse(400, "no", "no")

    async with running(app(work)) as url:
        got = await ask(url, "/a%2Fb%20c?x=%31&&y", method="GET", headers={"X-Own": "1"})
        retried = got.header("x-should-retry")
    assert seen == [("GET", "/a%2Fb%20c", "x=%31&&y", "1", None)]
    assert retried == "false"


async def test_the_connection_serves_further_requests():
    import httpx

    async with running(app(lambda exchange: sends(exchange, "finish"))) as url, httpx.AsyncClient() as client:
        for _ in range(3):
            response = await client.post(url, content=b"x" * 100_000)
            assert response.text == "onetwo"
