"""The record proxy, over real connections: what passes is untouched, and the recording says what happened."""

from __future__ import annotations

import asyncio
import gzip
import socket

import httpx
import pytest

import harness
from agent.providers.table import PROVIDERS
from harness.recorder.recorder import Recorder
from harness.serving.doors import plan
from harness.serving.forward import RecordProxy
from harness.serving.server import running
from tests.harness.serving.kit import CHAT, DONE, FRAMES, ask, prompt, recording
from tests.loopback import Exchange

pytestmark = pytest.mark.anyio

HOP = {"connection", "transfer-encoding"}


def one_call(path):
    recording = harness.open(path, strict=True)
    assert len(recording.calls) == 1
    return recording.calls[0]


async def chunked(exchange: Exchange, frames=FRAMES) -> None:
    await exchange.head(transfer_encoding="chunked")
    for frame in frames:
        await exchange.chunk(frame)
        await asyncio.sleep(0.01)
    await exchange.chunk(b"")


async def test_each_chunk_is_written_on_before_the_next_one_comes(tmp_path):
    passed_on = [asyncio.Event() for _ in FRAMES]

    async def handler(exchange):
        await exchange.head(transfer_encoding="chunked")
        for frame, event in zip(FRAMES, passed_on, strict=True):
            await exchange.chunk(frame)
            await asyncio.wait_for(event.wait(), 10)
        await exchange.chunk(b"")

    async with (
        recording(tmp_path / "r.jsonl", handler) as proxy,
        httpx.AsyncClient() as client,
        client.stream("POST", proxy.url + CHAT, json=prompt()) as response,
    ):
        chunks = []
        async for chunk in response.aiter_raw():
            chunks.append(chunk)
            passed_on[len(chunks) - 1].set()
    assert chunks == FRAMES
    call = one_call(tmp_path / "r.jsonl")
    assert call.chunks() == FRAMES
    assert call.end.kind == "eof"
    assert call.wire == "openai-chat"


async def test_the_request_arrives_as_it_was_sent(tmp_path):
    async def handler(exchange):
        await exchange.whole(b"{}", content_type="application/json")

    body = b'{"b": 1,\n "a": "\xc3\xab"}'
    headers = {"authorization": "Bearer one-key", "x-own": "1", "connection": "keep-alive, x-hop", "x-hop": "2",
               "accept-encoding": "br", "content-type": "application/json"}  # fmt: skip
    async with recording(tmp_path / "r.jsonl", handler) as proxy:
        got = await ask(proxy.url, "/openai/v1/a%2Fb/%C3%AB?x=%20y&z=1", content=body, headers=headers)
    assert got.status == 200
    [sent] = proxy.upstream.exchanges
    assert (sent.method, sent.path, sent.body) == ("POST", "/v1/a%2Fb/%C3%AB?x=%20y&z=1", body)
    assert sent.headers["host"] == proxy.upstream.url.removeprefix("http://")
    assert sent.headers["accept-encoding"] == "identity"
    assert {"authorization", "x-own", "content-type", "content-length"} <= sent.headers.keys()
    assert "x-hop" not in sent.headers
    call = one_call(tmp_path / "r.jsonl")
    assert call.url == f"{proxy.upstream.url}/v1/a%2Fb/%C3%AB?x=%20y&z=1"
    assert "one-key" not in (tmp_path / "r.jsonl").read_text()


async def stream(exchange):
    await chunked(exchange)


async def until_closed(exchange):
    await exchange.head()
    await exchange.send(b"".join(FRAMES))


async def packed(exchange):
    await exchange.whole(gzip.compress(b"".join(FRAMES), mtime=0), content_encoding="gzip")


async def overloaded(exchange):
    await exchange.whole(b'{"error": {"message": "busy"}}', 529, "application/json", retry_after="1", x_own="a, b")


async def moved(exchange):
    await exchange.whole(b"", 302, None, location="https://example.com/there")


async def nothing(exchange):
    exchange.keep_alive = True
    await exchange.head(204, None)


async def binary(exchange):
    await exchange.whole(bytes(range(256)) * 10, content_type="audio/mpeg")


ANSWERS = [stream, until_closed, packed, overloaded, moved, nothing, binary]


@pytest.mark.parametrize("handler", ANSWERS, ids=lambda handler: handler.__name__)
async def test_the_answer_arrives_as_it_was_sent(tmp_path, handler):
    async with recording(tmp_path / "r.jsonl", handler) as proxy:
        direct = await ask(proxy.upstream.url, "/v1/chat/completions")
        got = await ask(proxy.url)
    assert (got.status, got.body, got.error) == (direct.status, direct.body, None)
    assert [pair for pair in got.headers if pair[0] not in HOP] == [p for p in direct.headers if p[0] not in HOP]
    call = one_call(tmp_path / "r.jsonl")
    assert call.response.status == direct.status
    assert call.end.kind == "eof"
    assert call.body() == (gzip.decompress(direct.body) if handler is packed else direct.body)


async def test_a_head_request_has_no_body(tmp_path):
    async def handler(exchange):
        exchange.keep_alive = True
        await exchange.head(200, "application/json", content_length="5")

    async with recording(tmp_path / "r.jsonl", handler) as proxy:
        got = await ask(proxy.url, "/openai/v1/models", method="HEAD")
    assert (got.status, got.body, got.header("content-length")) == (200, b"", "5")


async def broken_off(exchange):
    await exchange.head(transfer_encoding="chunked")
    await exchange.chunk(FRAMES[0])
    await exchange.chunk(FRAMES[1][:9])
    await asyncio.sleep(0.05)


async def reset(exchange):
    await broken_off(exchange)
    exchange.reset()


async def reset_without_answer(exchange):
    exchange.reset()


async def closed_without_answer(exchange):
    pass


@pytest.mark.parametrize(
    ("handler", "error"),
    [(broken_off, "RemoteProtocolError"), (reset, "ReadError"), (reset_without_answer, "ReadError"),
     (closed_without_answer, "RemoteProtocolError")],
    ids=["closed mid-frame", "reset mid-frame", "reset without answer", "closed without answer"],
)  # fmt: skip
async def test_a_broken_answer_breaks_in_the_same_way(tmp_path, handler, error):
    async with recording(tmp_path / "r.jsonl", handler) as proxy:
        direct = await ask(proxy.upstream.url, "/v1/chat/completions")
        got = await ask(proxy.url)
    assert got == direct or (got.status, got.body, got.error) == (direct.status, direct.body, direct.error)
    assert got.error == error
    call = one_call(tmp_path / "r.jsonl")
    assert (call.end.kind, call.end.error_class) == ("error", error)
    assert call.body() == got.body
    assert (call.response is None) == (got.status is None)


async def test_a_client_that_leaves_ends_the_call_upstream(tmp_path):
    async def handler(exchange):
        await exchange.head(transfer_encoding="chunked")
        await exchange.chunk(FRAMES[0])
        await exchange.until_closed()

    async with recording(tmp_path / "r.jsonl", handler) as proxy:
        async with httpx.AsyncClient() as client, client.stream("POST", proxy.url + CHAT, json=prompt()) as response:
            async for chunk in response.aiter_raw():
                assert chunk == FRAMES[0]
                break
        await asyncio.wait_for(proxy.upstream.client_left.wait(), 10)
    call = one_call(tmp_path / "r.jsonl")
    assert (call.end.kind, call.body(), call.complete) == ("closed", FRAMES[0], False)


async def test_a_client_that_leaves_before_the_answer_ends_the_call_upstream(tmp_path):
    async with recording(tmp_path / "r.jsonl", Exchange.until_closed) as proxy:
        with pytest.raises(httpx.ReadTimeout):
            async with httpx.AsyncClient(timeout=0.2) as client:
                await client.post(proxy.url + CHAT, json=prompt())
        await asyncio.wait_for(proxy.upstream.client_left.wait(), 10)
    call = one_call(tmp_path / "r.jsonl")
    assert (call.end.kind, call.response) == ("closed", None)


async def test_a_client_that_leaves_with_its_whole_answer_has_not_closed_early(tmp_path):
    body = b'{"choices": []}'

    async def handler(exchange):
        await exchange.whole(body, content_type="application/json")

    async with recording(tmp_path / "r.jsonl", handler) as proxy:
        port = int(proxy.url.rpartition(":")[2])
        for _ in range(5):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.write(b"POST " + CHAT.encode() + b" HTTP/1.1\r\nhost: x\r\ncontent-length: 2\r\n\r\n{}")
            while body not in (await reader.read(65536)):
                pass
            writer.close()
    assert [call.end.kind for call in harness.open(tmp_path / "r.jsonl").calls] == ["eof"] * 5


SHAPES = [
    (CHAT, {}, ("error", "message")),
    ("/anthropic/v1/messages", {"anthropic-version": "2023-06-01"}, ("error", "message")),
    ("/gemini/v1beta/models/x:generateContent", {}, ("error", "message")),
]


@pytest.mark.parametrize(("path", "headers", "place"), SHAPES, ids=["openai", "anthropic", "gemini"])
async def test_a_server_that_is_not_reached_is_told_in_the_shape_of_the_provider(tmp_path, path, headers, place):
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        upstream = f"http://127.0.0.1:{sock.getsockname()[1]}"
        recorder = Recorder(tmp_path / "r.jsonl")
        app = RecordProxy(recorder, plan({}, PROVIDERS, [upstream]))
        async with running(app) as url, httpx.AsyncClient() as client:
            response = await client.post(url + path, json=prompt(), headers=headers)
    recorder.close()
    assert response.status_code == 502
    value = response.json()
    for name in place:
        value = value[name]
    assert upstream in value
    assert "x-should-retry" not in response.headers
    call = one_call(tmp_path / "r.jsonl")
    assert (call.response, call.end.kind, call.end.error_class) == (None, "error", "ConnectError")


async def test_each_call_has_a_connection_of_its_own(tmp_path):
    async with recording(tmp_path / "r.jsonl", binary) as proxy, httpx.AsyncClient() as client:
        for _ in range(3):
            assert (await client.post(proxy.url + CHAT, json=prompt())).status_code == 200
    assert proxy.upstream.connections == 3


async def test_calls_at_the_same_time(tmp_path):
    all_here = asyncio.Event()
    here = 0

    async def handler(exchange):
        nonlocal here
        await exchange.head(transfer_encoding="chunked")
        await exchange.chunk(exchange.body)
        here += 1
        if here == 32:
            all_here.set()
        await asyncio.wait_for(all_here.wait(), 10)
        await exchange.chunk(b"data: [DONE]\n\n")
        await exchange.chunk(b"")

    async with recording(tmp_path / "r.jsonl", handler) as proxy:
        found = await asyncio.gather(*(ask(proxy.url, json={"n": number}) for number in range(32)))
    assert [got.body for got in found] == [b'{"n":%d}data: [DONE]\n\n' % number for number in range(32)]
    calls = harness.open(tmp_path / "r.jsonl", strict=True).calls
    assert sorted(call.request.body["n"] for call in calls) == list(range(32))
    assert all(call.body() == call.content() + b"data: [DONE]\n\n" for call in calls)


@pytest.mark.parametrize(
    ("method", "path", "content"),
    [("GET", "/openai/v1/files", b""), ("POST", "/openai/v1/embeddings", b'{"input": "a"}'), ("DELETE", "/x/y", b""),
     ("POST", "/openai/v1/files", b"--b\r\n\x00\xff--b--\r\n"), ("PUT", "/ollama/api/blobs/1", bytes(range(256)))],
)  # fmt: skip
async def test_other_traffic_is_recorded_all_the_same(tmp_path, method, path, content):
    async with recording(tmp_path / "r.jsonl", binary) as proxy:
        got = await ask(proxy.url, path, method=method, content=content)
    call = one_call(tmp_path / "r.jsonl")
    assert (call.wire, call.method, call.events) == (None, method, [])
    assert call.body() == got.body == bytes(range(256)) * 10
    assert proxy.upstream.exchanges[0].body == content


async def test_a_websocket_is_refused_without_asking_upstream(tmp_path):
    async with recording(tmp_path / "r.jsonl", binary) as proxy:
        headers = {"connection": "upgrade", "upgrade": "websocket", "sec-websocket-version": "13"}
        got = await ask(proxy.url, "/openai/v1/responses", method="GET", headers=headers)
        upgrade = {"connection": "upgrade, http2-settings", "upgrade": "h2c", "http2-settings": "AAMAAABk"}
        other = await ask(proxy.url, headers=upgrade)
    assert (got.status, other.status) == (426, 200)
    [exchange] = proxy.upstream.exchanges
    assert not {"upgrade", "http2-settings"} & exchange.headers.keys()


async def test_a_path_without_provider_goes_nowhere(tmp_path):
    recorder = Recorder(tmp_path / "r.jsonl")
    app = RecordProxy(recorder, plan({}, PROVIDERS))
    async with running(app) as url:
        got = await ask(url, "/v1/chat/completions")
    recorder.close()
    assert got.status == 400
    assert b"/openai/v1" in got.body
    assert app.faults
    assert app.calls == 0


async def test_a_recorder_that_fails_changes_nothing(tmp_path):
    async with recording(tmp_path / "r.jsonl", stream) as proxy:

        def full(*_):
            raise OSError(28, "No space left on device")

        proxy.recorder._writer.write = full
        got = await ask(proxy.url)
    assert got.body == b"".join(FRAMES)
    assert proxy.recorder.errors


async def test_a_fault_of_the_proxy_is_told_to_the_client(tmp_path, monkeypatch):
    async with recording(tmp_path / "r.jsonl", stream) as proxy:
        monkeypatch.setattr(proxy.recorder, "transport", lambda inner: 1 / 0)
        got = await ask(proxy.url)
    assert got.status == 500
    assert b"ZeroDivisionError" in got.body
    assert "ZeroDivisionError" in proxy.app.faults[0]


async def test_the_provider_is_named_where_the_server_is_its_own():
    doors = plan({}, PROVIDERS)
    assert doors.route("/groq/openai/v1/chat/completions")[0].provider == "groq"
    assert plan({}, PROVIDERS, ["http://127.0.0.1:1"]).route(CHAT)[0].provider is None


async def test_a_long_answer_is_not_held(tmp_path):
    piece = bytes(1 << 16)
    pieces = 256
    sent = 0

    async def handler(exchange):
        nonlocal sent
        await exchange.head(200, "application/octet-stream", transfer_encoding="chunked")
        for _ in range(pieces):
            await exchange.chunk(piece)
            sent += 1
        await exchange.chunk(b"")

    async with (
        recording(tmp_path / "r.jsonl", handler) as proxy,
        httpx.AsyncClient() as client,
        client.stream("POST", proxy.url + CHAT, json=prompt()) as response,
    ):
        await asyncio.sleep(0.5)
        assert sent < pieces  # the client does not read: what is under way fills the sockets' buffers and no more
        size = 0
        async for chunk in response.aiter_raw():
            size += len(chunk)
    assert size == pieces * len(piece)


async def test_the_end_mark_makes_a_call_complete_although_the_client_left_after_it(tmp_path):
    async def handler(exchange):
        await exchange.head(transfer_encoding="chunked")
        await exchange.chunk(DONE)
        await exchange.until_closed()

    async with recording(tmp_path / "r.jsonl", handler) as proxy:
        async with httpx.AsyncClient() as client, client.stream("POST", proxy.url + CHAT, json=prompt()) as response:
            async for chunk in response.aiter_raw():
                assert chunk == DONE
                break
        await asyncio.wait_for(proxy.upstream.client_left.wait(), 10)
    call = one_call(tmp_path / "r.jsonl")
    assert (call.end.kind, call.complete) == ("closed", True)
