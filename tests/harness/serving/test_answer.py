"""The replay server, over real connections: same bytes, chunk borders and endings as recorded, and telling misses."""

from __future__ import annotations

import asyncio
import gzip
import json
import random
import struct

import httpx
import pytest

import harness
from agent.providers.table import PROVIDERS
from harness.serving import answer
from harness.serving.answer import ReplayServer
from harness.serving.doors import plan
from harness.serving.server import running
from tests.harness.serving.kit import CHAT, DONE, FRAMES, ask, prompt, recording, replaying
from tests.shared import SHARED, needs_shared

pytestmark = pytest.mark.anyio


async def stream(exchange):
    await exchange.head(transfer_encoding="chunked")
    for frame in (*FRAMES, DONE):
        await exchange.chunk(frame)
        await asyncio.sleep(0.01)
    await exchange.chunk(b"")


async def cut_anywhere(exchange):
    body = b"".join((*FRAMES, DONE))
    chance = random.Random(7)
    await exchange.head(transfer_encoding="chunked")
    while body:
        size = chance.randint(1, 60)
        await exchange.chunk(body[:size])
        await asyncio.sleep(0.005)
        body = body[size:]
    await exchange.chunk(b"")


async def packed(exchange):
    await exchange.whole(gzip.compress(b"".join(FRAMES) + DONE, mtime=0), content_encoding="gzip")


async def json_body(exchange):
    await exchange.whole(b'{"choices": [], "usage": null}', content_type="application/json", x_request_id="req_1")


async def busy(exchange):
    await exchange.whole(b'{"error": {"message": "busy"}}', 529, "application/json", retry_after="1")


async def unknown_format(exchange):
    await exchange.whole(bytes(range(256)), content_type="application/octet-stream")


async def undecodable(exchange):
    await exchange.whole(b"\xff\x00not zstd", content_encoding="x-own")


async def nothing(exchange):
    exchange.keep_alive = True
    await exchange.head(204, None)


async def broken_off(exchange):
    await exchange.head(transfer_encoding="chunked")
    await exchange.chunk(FRAMES[0])
    await exchange.chunk(FRAMES[1][:9])
    await asyncio.sleep(0.05)


async def reset(exchange):
    await broken_off(exchange)
    exchange.reset()


async def reset_before_the_body(exchange):
    await exchange.head(transfer_encoding="chunked")
    await asyncio.sleep(0.05)
    exchange.reset()


async def reset_without_answer(exchange):
    exchange.reset()


async def closed_without_answer(exchange):
    pass


ANSWERS = [stream, cut_anywhere, packed, json_body, busy, unknown_format, undecodable, nothing, broken_off, reset,
           reset_before_the_body, reset_without_answer, closed_without_answer]  # fmt: skip


@pytest.mark.parametrize("handler", ANSWERS, ids=lambda handler: handler.__name__)
async def test_the_same_answer(tmp_path, handler):
    path = tmp_path / "r.jsonl"
    async with recording(path, handler) as proxy:
        live = await ask(proxy.url)
    async with replaying(path) as server:
        got = await ask(server.url)
        assert (server.app.answered, server.app.misses, server.app.unused) == (1, [], [])
    body = gzip.decompress(live.body) if handler is packed else live.body
    assert (got.status, got.body, got.error) == (live.status, body, live.error)
    [call] = harness.open(path).calls
    if got.chunks is not None:
        assert got.chunks == call.chunks()
        left_out = {"transfer-encoding", "content-length", "content-encoding"}
        kept = {(name.lower(), value) for name, value in call.response.headers if name.lower() not in left_out}
        assert kept <= set(got.headers)
        assert got.header("content-encoding") == ("x-own" if handler is undecodable else None)
        assert got.header("content-length") in (None, str(len(body)))


async def test_a_head_request_is_answered_with_the_recorded_length(tmp_path):
    async def handler(exchange):
        exchange.keep_alive = True
        await exchange.head(200, "application/json", content_length="5")

    async with recording(tmp_path / "r.jsonl", handler) as proxy:
        await ask(proxy.url, "/openai/v1/files", method="HEAD")
    async with replaying(tmp_path / "r.jsonl") as server:
        got = await ask(server.url, "/openai/v1/files", method="HEAD")
    assert (got.status, got.body, got.header("content-length")) == (200, b"", "5")


async def test_a_reset_comes_after_the_last_byte_also_for_a_slow_client(tmp_path):
    big = bytes(1 << 16)

    async def handler(exchange):
        await exchange.head(200, "application/octet-stream", transfer_encoding="chunked")
        for _ in range(100):
            await exchange.chunk(big)
        while exchange.writer.transport.get_write_buffer_size() or unsent(exchange):
            await asyncio.sleep(0.01)
        exchange.reset()

    async with recording(tmp_path / "r.jsonl", handler) as proxy:
        live = await ask(proxy.url)
    assert (len(live.body), live.error) == (100 * len(big), "ReadError")
    async with replaying(tmp_path / "r.jsonl") as server, httpx.AsyncClient() as client:
        size, error = 0, None
        try:
            async with client.stream("POST", server.url + CHAT, json=prompt()) as response:
                await asyncio.sleep(0.3)
                async for chunk in response.aiter_raw():
                    size += len(chunk)
        except httpx.ReadError as found:
            error = found
    assert error is not None
    assert size == 100 * len(big)


def unsent(exchange):
    import fcntl
    import termios

    sock = exchange.writer.get_extra_info("socket")
    return struct.unpack("i", fcntl.ioctl(sock.fileno(), termios.TIOCOUTQ, bytes(4)))[0]


async def leave_after_one(url):
    async with httpx.AsyncClient() as client, client.stream("POST", url + CHAT, json=prompt()) as response:
        return await anext(response.aiter_raw())


@pytest.mark.parametrize(("frame", "error"), [(FRAMES[0], "ReadError"), (DONE, None)], ids=["early", "after the end"])
async def test_where_the_client_left(tmp_path, frame, error):
    async def handler(exchange):
        await exchange.head(transfer_encoding="chunked")
        await exchange.chunk(frame)
        await exchange.until_closed()

    async with recording(tmp_path / "r.jsonl", handler) as proxy:
        assert await leave_after_one(proxy.url) == frame
        await asyncio.wait_for(proxy.upstream.client_left.wait(), 10)
    async with replaying(tmp_path / "r.jsonl", repeat=True) as server:
        got = await ask(server.url)
        assert await leave_after_one(server.url) == frame
    assert (got.body, got.error) == (frame, error)


async def test_a_server_that_was_not_reached_is_told_as_by_the_proxy(tmp_path):
    async with recording(tmp_path / "r.jsonl", stream) as proxy:
        proxy.app._doors.upstreams["openai"] = type(proxy.app._doors.upstreams["openai"])("http://127.0.0.1:9")
        live = await ask(proxy.url)
    async with replaying(tmp_path / "r.jsonl") as server:
        got = await ask(server.url)
    assert (live.status, got.status) == (502, 502)
    assert got.body == live.body


async def test_speed_brings_the_timing_back(tmp_path, monkeypatch):
    async with recording(tmp_path / "r.jsonl", stream) as proxy:
        await ask(proxy.url)
    [call] = harness.open(tmp_path / "r.jsonl").calls
    whole = call.end_record["t"] - call.started
    waited = []
    real_sleep = asyncio.sleep

    async def sleep(seconds):
        waited.append(seconds)
        await real_sleep(0)

    class Clock:
        def __getattr__(self, name):
            return sleep if name == "sleep" else getattr(asyncio, name)

    monkeypatch.setattr(answer, "asyncio", Clock())
    async with replaying(tmp_path / "r.jsonl", speed=2.0) as server:
        assert (await ask(server.url)).body == call.body()
    assert sum(waited) == pytest.approx(whole / 2)
    waited.clear()
    async with replaying(tmp_path / "r.jsonl") as server:
        await ask(server.url)
    assert waited == []


@pytest.mark.parametrize(("speed", "error"), [(None, "ReadError"), (1000.0, "ReadTimeout")])
async def test_a_time_out_takes_its_time_only_where_timing_is_asked_for(tmp_path, speed, error):
    path = tmp_path / "r.jsonl"
    async with recording(path, reset) as proxy:
        await ask(proxy.url)
    path.write_text(path.read_text().replace("ReadError", "ReadTimeout"))
    calls = harness.open(path).calls
    assert calls[0].end.error_class == "ReadTimeout"
    server = ReplayServer(calls, plan({}, PROVIDERS), speed=speed)
    async with running(server) as url, httpx.AsyncClient(timeout=0.5) as client:
        with pytest.raises(httpx.TransportError) as raised:
            await client.post(url + CHAT, json=prompt())
    assert type(raised.value).__name__ == error


@needs_shared
@pytest.mark.parametrize("wire", ["openai-chat", "openai-responses", "anthropic", "gemini", "other"])
async def test_real_streams_come_through_and_back(tmp_path, wire):
    index = [json.loads(line) for line in (SHARED / "corpus" / "index.jsonl").read_text("utf-8").splitlines()]
    paths = {"openai-chat": CHAT, "openai-responses": "/openai/v1/responses", "anthropic": "/anthropic/v1/messages",
             "gemini": "/gemini/v1beta/models/m:streamGenerateContent"}  # fmt: skip
    cases = [case for case in index if case["wire_format"] == wire]
    bodies = {}
    for case in cases:
        [file] = [f for f in (SHARED / "corpus" / "cases").glob(f"{case['id']}.*") if not f.name.endswith(".json")
                  or f.name.endswith(".array.json")]  # fmt: skip
        bodies[case["id"]] = file.read_bytes()
    chance = random.Random(3)

    async def handler(exchange):
        case = next(case for case in cases if case["id"] == json.loads(exchange.body)["case"])
        body = bodies[case["id"]]
        await exchange.head(case["http_status"], case["content_type"], transfer_encoding="chunked")
        while body:
            size = chance.choice((1, 7, 100, 3000, 100_000))
            await exchange.chunk(body[:size])
            body = body[size:]
        await exchange.chunk(b"")

    path = tmp_path / "r.jsonl"
    async with recording(path, handler) as proxy:
        for case in cases:
            got = await ask(proxy.url, paths.get(wire, "/openai/other"), json={"case": case["id"]})
            assert (got.status, got.body, got.error) == (case["http_status"], bodies[case["id"]], None), case["id"]
    chunks = {call.request.body["case"]: call.chunks() for call in harness.open(path, strict=True).calls}
    async with replaying(path) as server:
        for case in reversed(cases):
            got = await ask(server.url, paths.get(wire, "/openai/other"), json={"case": case["id"]})
            assert (got.status, b"".join(got.chunks)) == (case["http_status"], b"".join(chunks[case["id"]])), case["id"]
            assert got.error is None
        assert server.app.unused == []
