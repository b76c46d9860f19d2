"""The recording transport around real ones, over loopback."""

from __future__ import annotations

import asyncio

import pytest

from harness.recording.opening import open as open_recording
from tests.harness.transports import BODY, call, family, recorder, replayed
from tests.loopback import serve
from tests.threads import in_thread

FAMILIES = pytest.mark.parametrize("name", ["httpx", "httpx2"])
BOTH = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
TEXT = b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n'


async def cut(exchange):
    await exchange.head(transfer_encoding="chunked")
    await exchange.chunk(TEXT)
    await asyncio.sleep(0.05)


async def reset(exchange):
    await cut(exchange)
    exchange.reset()


async def stall(exchange):
    await cut(exchange)
    await exchange.until_closed()


async def whole(exchange):
    await exchange.whole(TEXT + b"data: [DONE]\n\n")


async def gzipped(exchange):
    assert exchange.headers["accept-encoding"] == "identity"
    await exchange.gzipped(TEXT)


ENDINGS = {cut: "RemoteProtocolError", reset: "ReadError", stall: "ReadTimeout", whole: None}


def transport(lib, is_async):
    return lib.AsyncHTTPTransport() if is_async else lib.HTTPTransport()


@FAMILIES
@BOTH
@pytest.mark.anyio
@pytest.mark.parametrize("handler", ENDINGS, ids=lambda handler: handler.__name__)
async def test_a_real_ending_is_passed_on_recorded_and_replayed(tmp_path, name, is_async, handler):
    lib = family(name)
    with in_thread(serve(handler)) as server:
        url = f"{server.url}/v1/chat/completions"
        timeout = {"read": 0.2, "connect": 5, "write": 5, "pool": 5}
        options = {"is_async": is_async, "url": url, "extensions": {"timeout": timeout}}
        plain = await call(lib, transport(lib, is_async), **options)
        with recorder(tmp_path / "r.jsonl") as made:
            seen = await call(lib, made.transport(transport(lib, is_async)), **options)
    assert seen == plain
    assert (plain.end or [None])[0] == ENDINGS[handler]
    again = await call(lib, replayed(tmp_path / "r.jsonl"), **options)
    assert (again.status, again.chunks, again.end) == (plain.status, plain.chunks, plain.end)


@FAMILIES
@BOTH
@pytest.mark.anyio
async def test_nothing_answers(tmp_path, name, is_async):
    lib = family(name)
    async with serve(whole) as server:
        url = f"{server.url}/v1/chat/completions"
    plain = await call(lib, transport(lib, is_async), is_async=is_async, url=url)
    with recorder(tmp_path / "r.jsonl") as made:
        assert await call(lib, made.transport(transport(lib, is_async)), is_async=is_async, url=url) == plain
    assert plain.end[0] == "ConnectError"
    assert await call(lib, replayed(tmp_path / "r.jsonl"), is_async=is_async, url=url) == plain


@FAMILIES
@BOTH
@pytest.mark.anyio
async def test_a_server_that_compresses_all_the_same(tmp_path, name, is_async):
    lib = family(name)
    with in_thread(serve(gzipped)) as server:
        url = f"{server.url}/v1/chat/completions"
        with recorder(tmp_path / "r.jsonl") as made:
            seen = await call(lib, made.transport(transport(lib, is_async)), is_async=is_async, url=url, raw=False)
    assert b"".join(seen.chunks) == TEXT == open_recording(tmp_path / "r.jsonl").calls[0].body()


@pytest.mark.anyio
async def test_the_first_chunk_is_there_before_the_second_is_sent_and_leaving_closes_the_socket(tmp_path):
    lib = family("httpx")
    read = asyncio.Event()

    async def handler(exchange):
        await exchange.head(transfer_encoding="chunked")
        await exchange.chunk(TEXT)
        await read.wait()
        await exchange.chunk(TEXT)
        await exchange.until_closed()

    with recorder(tmp_path / "r.jsonl") as made:
        async with (
            serve(handler) as server,
            lib.AsyncClient(transport=made.transport(lib.AsyncHTTPTransport())) as client,
        ):
            async with client.stream("POST", f"{server.url}/v1/chat/completions", content=BODY) as response:
                chunks = response.aiter_raw()
                assert await anext(chunks) == TEXT
                read.set()
                assert await anext(chunks) == TEXT
            await asyncio.wait_for(server.client_left.wait(), 10)
    recorded = open_recording(tmp_path / "r.jsonl").calls[0]
    assert (recorded.end.kind, recorded.chunks()) == ("closed", [TEXT, TEXT])
