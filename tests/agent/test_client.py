"""The driver against a real server on loopback, and against scripted transports for what no server here sends."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing

import anyio
import httpx
import pytest

from agent.client import EXTENSION, Client, Timeouts
from agent.events import DecodeOptions, Error, Reasoning, Text, ToolCall, UsageEvent
from agent.messages import ToolSpec, user
from agent.providers.base import Target
from tests.loopback import SSE, serve

pytestmark = pytest.mark.anyio


def delta(**fields):
    chunk = {"id": "c", "model": "m-test", "choices": [{"index": 0, "delta": fields}]}
    return b"data: " + json.dumps(chunk).encode() + b"\n\n"


FINISH = b'data: {"model":"m-test","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n'
USAGE = b'data: {"choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2}}\n\n'
DONE = b"data: [DONE]\n\n"
STREAM = delta(content="Hel") + delta(content="lo") + FINISH + USAGE + DONE


def target(url, wire="openai-chat", path="/v1"):
    return Target("test", wire, f"{url}{path}", key="k-test", key_variable="TEST_KEY")


async def collect(client, **options):
    return [event async for event in client.stream([user("hi")], model="m", **options)]


async def answer(handler, **options):
    """The events of one call to a server that answers with `handler`."""
    async with serve(handler) as server, Client(target(server.url), **options) as client:
        return await collect(client)


def text(events):
    return "".join(event.text for event in events if isinstance(event, Text))


def failure(events):
    """The one error of a call, whose closing usage event is checked as well."""
    assert isinstance(events[-1], UsageEvent)
    assert sum(isinstance(event, UsageEvent) for event in events) == 1
    assert not events[-1].complete
    [error] = [event for event in events if isinstance(event, Error)]
    return error


async def test_a_whole_answer_and_what_was_sent():
    async def handler(exchange):
        await exchange.head(transfer_encoding="chunked")
        for at in range(0, len(STREAM), 50):
            await exchange.chunk(STREAM[at : at + 50])
        await exchange.chunk(b"")

    async with serve(handler) as server, Client(target(server.url)) as client:
        events = await collect(client, tools=[ToolSpec("t", "does", {"type": "object"})], system="be short")
    assert text(events) == "Hello"
    last = events[-1]
    assert (last.stop_reason, last.complete, last.model) == ("stop", True, "m-test")
    assert (last.usage.input_tokens, last.usage.output_tokens) == (3, 2)
    [sent] = server.exchanges
    assert (sent.method, sent.path) == ("POST", "/v1/chat/completions")
    assert sent.headers["accept-encoding"] == "identity"
    assert sent.headers["content-type"] == "application/json"
    assert sent.headers["authorization"] == "Bearer k-test"
    body = json.loads(sent.body)
    assert (body["model"], body["stream"]) == ("m", True)
    assert body["messages"] == [{"role": "system", "content": "be short"}, {"role": "user", "content": "hi"}]


async def test_nothing_is_sent_before_the_first_pull():
    async def handler(exchange):
        await exchange.whole(STREAM)

    async with serve(handler) as server, Client(target(server.url)) as client:
        async with aclosing(client.stream([user("hi")], model="m")):
            await asyncio.sleep(0.02)
        assert server.connections == 0
        assert text(await collect(client)) == text(await collect(client)) == "Hello"
        assert (server.connections, len(server.exchanges)) == (1, 2)


async def test_events_come_as_frames_come():
    go_on = asyncio.Event()

    async def handler(exchange):
        await exchange.head()
        await exchange.send(delta(content="first"))
        await go_on.wait()
        await exchange.send(STREAM)

    async with serve(handler) as server, Client(target(server.url)) as client:
        events = client.stream([user("hi")], model="m")
        assert await anext(events) == Text("first")
        go_on.set()
        assert text([event async for event in events]) == "Hello"


async def test_a_slow_reader_slows_the_stream():
    sent = 0

    async def handler(exchange):
        nonlocal sent
        await exchange.head()
        piece = delta(content="x" * 60_000)
        while True:
            await exchange.send(piece)
            sent += 1

    async with serve(handler) as server, Client(target(server.url)) as client:
        events = client.stream([user("hi")], model="m")
        await anext(events)
        await asyncio.sleep(0.1)
        before = sent
        await asyncio.sleep(0.1)
        assert sent == before
        await events.aclose()


async def test_a_compressed_answer_is_read():
    assert text(await answer(lambda exchange: exchange.gzipped(STREAM))) == "Hello"


async def test_a_reset_in_the_middle_of_a_frame():
    async def handler(exchange):
        await exchange.head(transfer_encoding="chunked")
        await exchange.chunk(delta(content="kept") + b'data: {"choices"')
        await asyncio.sleep(0.05)
        exchange.reset()

    events = await answer(handler)
    error = failure(events)
    assert text(events) == "kept"
    assert (error.kind, error.retryable, events[-1].stop_reason) == ("truncated_stream", True, "truncated")
    assert "ReadError" in error.message


@pytest.mark.parametrize("chunked", [True, False], ids=["chunked", "until close"])
async def test_a_close_without_the_end(chunked):
    async def handler(exchange):
        if chunked:
            await exchange.head(transfer_encoding="chunked")
            await exchange.chunk(delta(content="kept"))
        else:
            await exchange.head()
            await exchange.send(delta(content="kept"))

    events = await answer(handler)
    assert text(events) == "kept"
    assert failure(events).kind == "truncated_stream"
    assert ("RemoteProtocolError" in failure(events).message) is chunked


async def test_silence_after_the_headers():
    async def handler(exchange):
        await exchange.head()
        await exchange.send(delta(content="kept"))
        await exchange.until_closed()

    events = await answer(handler, timeouts=Timeouts(read=0.2))
    assert (text(events), failure(events).kind) == ("kept", "truncated_stream")
    assert "ReadTimeout" in failure(events).message


async def test_silence_before_the_headers():
    events = await answer(lambda exchange: exchange.until_closed(), timeouts=Timeouts(read=0.2))
    error = failure(events)
    assert (error.kind, error.retryable, error.status) == ("timeout", True, None)
    assert "127.0.0.1:" in error.message
    assert (events[-1].usage, events[-1].stop_reason, events[-1].stop_reason_raw) == (None, "error", None)


async def test_an_error_status_with_a_page():
    events = await answer(
        lambda exchange: exchange.whole(b"<html><title>502 Bad Gateway</title></html>", 502, "text/html")
    )
    error = failure(events)
    assert (error.kind, error.status, error.message) == ("bad_gateway", 502, "Provider HTTP 502: 502 Bad Gateway")
    assert events[-1] == UsageEvent(None, None, "error", None, False)


async def test_a_wrong_key_names_its_variable():
    events = await answer(lambda exchange: exchange.whole(b'{"error":{"message":"no"}}', 401, "application/json"))
    assert failure(events).kind == "auth"
    assert "TEST_KEY" in failure(events).hint


async def test_a_rate_limit_says_how_long():
    events = await answer(lambda exchange: exchange.whole(b"", 429, None, retry_after="12"))
    assert (failure(events).kind, failure(events).retry_after) == ("rate_limit", 12)


async def test_redirects_are_not_followed():
    async def handler(exchange):
        await exchange.whole(b"", 307, None, location=f"{exchange.server.url}/elsewhere")

    async with serve(handler) as server, Client(target(server.url)) as client:
        error = failure(await collect(client))
    assert (error.status, error.kind, len(server.exchanges)) == (307, "invalid_request", 1)
    assert "/elsewhere" in error.message


async def test_a_page_with_status_200():
    events = await answer(lambda exchange: exchange.whole(b"<html><title>Log in</title>", 200, "text/html"))
    assert (failure(events).kind, failure(events).status) == ("provider_error", 200)


async def test_an_answer_that_is_no_stream():
    body = {"model": "m", "choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}]}
    events = await answer(lambda exchange: exchange.whole(json.dumps(body).encode(), 200, "application/json"))
    assert (text(events), events[-1].complete) == ("whole", True)


async def test_an_endless_error_body_is_not_read_to_its_end():
    async def handler(exchange):
        await exchange.head(500, "text/plain")
        while True:
            await exchange.send(b"x" * 65_536)

    assert failure(await answer(handler)).kind == "provider_error"


async def test_a_frame_beyond_the_limit_ends_the_reading():
    async def pieces():
        yield delta(content="kept") + b"data: "
        while True:
            yield b"x" * 2**22

    def handler(request):
        return httpx.Response(200, headers={"content-type": SSE}, content=pieces())

    async with Client(target("http://h"), transport=httpx.MockTransport(handler)) as client:
        events = await collect(client)
    assert (text(events), failure(events).kind, events[-1].stop_reason) == ("kept", "frame_too_large", "error")


async def forever(exchange):
    await exchange.head()
    await exchange.send(delta(content="first"))
    await exchange.until_closed()


async def test_leaving_early_closes_the_connection():
    async with serve(forever) as server, Client(target(server.url)) as client:
        async with aclosing(client.stream([user("hi")], model="m")) as events:
            assert await anext(events) == Text("first")
        await asyncio.wait_for(server.client_left.wait(), 5)
        assert server.closed_by_client == 1


async def test_cancelling_the_task_closes_the_connection():
    async with serve(forever) as server, Client(target(server.url)) as client:
        started = asyncio.Event()

        async def read():
            async with aclosing(client.stream([user("hi")], model="m")) as events:
                async for _ in events:
                    started.set()

        task = asyncio.create_task(read())
        await asyncio.wait_for(started.wait(), 5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.client_left.wait(), 5)


async def test_a_cancelled_scope_closes_the_connection():
    async with serve(forever) as server, Client(target(server.url)) as client:
        with anyio.CancelScope() as scope:
            async with aclosing(client.stream([user("hi")], model="m")) as events:
                async for _ in events:
                    scope.cancel()
        await asyncio.wait_for(server.client_left.wait(), 5)


async def test_cancelling_before_the_headers_closes_the_connection():
    async with serve(lambda exchange: exchange.until_closed()) as server, Client(target(server.url)) as client:
        task = asyncio.create_task(collect(client))
        while not server.exchanges:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.client_left.wait(), 5)


async def test_a_port_where_nothing_listens():
    async with serve(forever) as server:
        url = server.url
    async with Client(target(url)) as client:
        error = failure(await collect(client))
    assert (error.kind, error.retryable, error.status) == ("network", True, None)
    assert url.removeprefix("http://") in error.message
    assert "server is running" in error.hint


@pytest.mark.parametrize(
    ("raised", "kind", "words"),
    [
        (httpx.ConnectError("[Errno -2] Name or service not known"), "network", "api.test:443"),
        (httpx.ConnectTimeout(""), "timeout", "no connection to api.test:443"),
        (httpx.ProxyError("407 Proxy Authentication Required"), "network", "407 Proxy"),
        (httpx.RemoteProtocolError("Server disconnected without sending a response."), "network", "disconnected"),
        (UnicodeError("label too long"), "network", "label too long"),
        (FileNotFoundError(2, "No such file or directory"), "network", "No such file"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
async def test_no_response(raised, kind, words):
    def handler(request):
        raise raised

    async with Client(target("https://api.test"), transport=httpx.MockTransport(handler)) as client:
        error = failure(await collect(client))
    assert error.kind == kind
    assert words in error.message


async def test_other_exceptions_of_a_transport_pass():
    def handler(request):
        raise LookupError("no such recorded call")

    async with Client(target("http://h"), transport=httpx.MockTransport(handler)) as client:
        with pytest.raises(LookupError):
            await collect(client)


async def test_a_transport_learns_about_the_call():
    seen = []

    def handler(request):
        seen.append(request.extensions[EXTENSION])
        return httpx.Response(200, headers={"content-type": SSE}, content=STREAM)

    async with Client(target("http://h"), transport=httpx.MockTransport(handler)) as client:
        await collect(client, call=7, retry_of=6, options=DecodeOptions(think_tags=True))
    assert seen == [
        {
            "call": 7,
            "retry_of": 6,
            "wire": "openai-chat",
            "provider": "test",
            "model": "m",
            "decode": {"think_tags": True, "key_variable": "TEST_KEY"},
        }
    ]


WIRES = {
    "openai-chat": ("/v1", STREAM),
    "openai-responses": (
        "/v1",
        b'data: {"type":"response.output_text.delta","output_index":0,"item_id":"i","delta":"Hello"}\n\n'
        b'data: {"type":"response.completed","response":{"status":"completed","model":"m","output":[]}}\n\n',
    ),
    "anthropic": (
        "/v1",
        b'data: {"type":"message_start","message":{"model":"m","content":[],"usage":{"input_tokens":1}}}\n\n'
        b'data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n'
        b'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}\n\n'
        b'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":2}}\n\n'
        b'data: {"type":"message_stop"}\n\n',
    ),
    "gemini": (
        "/v1beta",
        b'data: {"candidates":[{"index":0,"content":{"role":"model","parts":[{"text":"Hello"}]},'
        b'"finishReason":"STOP"}],"modelVersion":"m"}\r\n\r\n',
    ),
}


@pytest.mark.parametrize("wire", sorted(WIRES))
async def test_every_wire_format(wire):
    path, stream = WIRES[wire]

    async def handler(exchange):
        await exchange.whole(stream)

    async with serve(handler) as server, Client(target(server.url, wire, path)) as client:
        events = await collect(client, system="s", params={"max_tokens": 5})
    assert text(events) == "Hello"
    assert (events[-1].stop_reason, events[-1].complete) == ("stop", True)
    assert not any(isinstance(event, Error | Reasoning | ToolCall) for event in events)
    [sent] = server.exchanges
    assert sent.path.startswith(path)
    assert "k-test" in " ".join(sent.headers.values())
    assert "k-test" not in sent.path
