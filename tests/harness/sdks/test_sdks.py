"""What the official SDKs do with misses, retries, resets, coded answers, and streams that they leave early."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

import harness
from harness.errors import ReplayMismatch
from harness.pytest_plugin.closed_network import closed_network
from tests.harness.sdks.drive import MESSAGES, PROMPT, SDKS, aask, aopened, ask, client_of, sdk
from tests.loopback import serve
from tests.scripted import error, fixture, scripted
from tests.threads import in_thread

ANSWERS = {
    "openai-chat": "openai-chat/tool-parallel.sse",
    "openai-responses": "openai-responses/session-answer.sse",
    "anthropic": "anthropic/tool-use.sse",
    "gemini": "gemini/session-parallel.sse",
}
CALLS = {"openai-chat": 2, "openai-responses": 2, "anthropic": 2, "gemini": 1}
"""Requests that one question makes."""

pytestmark = pytest.mark.filterwarnings("ignore:.*:UserWarning")
wires = pytest.mark.parametrize("wire", SDKS)


@pytest.fixture(autouse=True)
def alone(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)


def answer(wire):
    return fixture(ANSWERS[wire])


def made(wire, *answers, retries=0, everywhere=False):
    """Record one question; the URL of the server that was asked, and what the SDK made of its answers."""
    sdk(wire)
    with scripted(answers or [answer(wire)] * 2) as server, harness.record("a.jsonl", everywhere=everywhere) as session:
        http = None if everywhere else session.client("httpx2")
        return server.url, ask(wire, client_of(wire, server.url, http, retries=retries))


@wires
@pytest.mark.parametrize("everywhere", [False, True], ids=["client", "everywhere"])
def test_a_miss_is_tried_once_and_told(wire, everywhere):
    url, _ = made(wire)
    started = time.monotonic()
    session = harness.replay("a.jsonl", everywhere=everywhere)
    session.__enter__()
    http = None if everywhere else session.client("httpx2")
    outcomes = ask(wire, client_of(wire, url, http, retries=5), "changed")
    with pytest.raises(ReplayMismatch, match='recorded "hi", sent "changed"'):
        session.__exit__(None, None, None)
    assert time.monotonic() - started < 5, "no SDK waited to try again"
    assert len(session.misses) == CALLS[wire]
    for _, text in outcomes:
        assert "no recorded call answers POST /" in text
        assert 'recorded "hi", sent "changed"' in text
        assert "HARNESS_RECORD_MODE=record" in text


@wires
@pytest.mark.anyio
async def test_a_miss_in_an_async_client(wire):
    url, _ = made(wire)
    session = await harness.replay("a.jsonl").__aenter__()
    client = client_of(wire, url, session.async_client("httpx2"), is_async=True, retries=5)
    outcomes = await aask(wire, client, "changed")
    with pytest.raises(ReplayMismatch):
        await session.__aexit__(None, None, None)
    assert len(session.misses) == CALLS[wire]
    assert all('sent "changed"' in text for _, text in outcomes)


@wires
@pytest.mark.anyio
async def test_the_async_clients_that_sdks_build(wire):
    sdk(wire)
    with scripted([answer(wire)] * 2) as server:
        async with harness.record("a.jsonl", everywhere=True), aopened(wire, server.url) as client:
            live = await aask(wire, client)
    with closed_network():
        async with harness.replay("a.jsonl", everywhere=True, strict=True), aopened(wire, server.url) as client:
            assert await aask(wire, client) == live


@pytest.mark.parametrize("wire", ["openai-chat", "anthropic"])
def test_retries_after_429_are_recorded_and_replayed_without_waiting(wire):
    limited = error(429, "slow down", type="rate_limit_error")
    slow = type(limited)(limited.body, 429, limited.content_type, headers=(("retry-after-ms", "10"),))
    hours = (("retry-after", "50"),)
    url, live = made(wire, slow, answer(wire), slow, answer(wire), retries=2)
    path = harness.open("a.jsonl").path
    path.write_bytes(path.read_bytes().replace(b'["retry-after-ms","10"]', b'["retry-after","50"]'))
    assert [call.response.status for call in harness.open(path).calls] == [429, 200, 429, 200]
    assert harness.open(path).calls[0].response.headers[-1] == hours[0]
    started = time.monotonic()
    with closed_network(), harness.replay(path, strict=True) as session:
        assert ask(wire, client_of(wire, url, session.client("httpx2"), retries=2)) == live
    assert time.monotonic() - started < 10


def test_a_stream_that_the_sdk_leaves_after_its_end_mark_is_complete():
    """OpenAI's SDK closes the response right after `[DONE]`; this server says nothing more, nor does it close."""
    sdk("openai-chat")

    async def handle(exchange):
        await exchange.head(transfer_encoding="chunked")
        await exchange.chunk(answer("openai-chat").body)
        await exchange.until_closed()

    with in_thread(serve(handle)) as server, harness.record("a.jsonl") as session:
        live = ask("openai-chat", client_of("openai-chat", server.url, session.client("httpx2")))
    calls = harness.open("a.jsonl").calls
    assert [(call.end.kind, call.complete) for call in calls] == [("closed", True)] * 2
    with harness.replay("a.jsonl", strict=True) as session:
        assert ask("openai-chat", client_of("openai-chat", server.url, session.client("httpx2"))) == live


@wires
def test_a_stream_that_is_left_before_its_end(wire):
    """The caller stops reading; a replay gives the same beginning, and stops where it was left."""
    sdk(wire)
    stalled = fixture(ANSWERS[wire], ending="stall")
    with scripted([stalled]) as server, harness.record("a.jsonl") as session:
        first = first_chunk(wire, client_of(wire, server.url, session.client("httpx2")))
    (call,) = harness.open("a.jsonl").calls
    assert (call.end.kind, call.complete) == ("closed", False)
    assert answer(wire).body.startswith(call.body())
    with harness.replay("a.jsonl", strict=True) as session:
        assert first_chunk(wire, client_of(wire, server.url, session.client("httpx2"))) == first
    with closed_network(), harness.replay("a.jsonl", strict=True) as session:
        (outcome,) = ask(wire, client_of(wire, server.url, session.client("httpx2")), helper=False)
    assert outcome[0] in ("APIConnectionError", "ReadError"), "its cause is: the client closed here"


def first_chunk(wire, client):
    """The first chunk of the answer to the question that `ask` asks; the rest is left."""
    if wire == "gemini":
        stream = client.models.generate_content_stream(model="m", contents=PROMPT)
    elif wire == "openai-responses":
        stream = client.responses.create(model="m", input=PROMPT, stream=True)
    elif wire == "anthropic":
        stream = client.messages.create(model="m", max_tokens=9, messages=MESSAGES, stream=True)
    else:
        stream = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
    found = next(iter(stream)).model_dump_json(exclude={"sdk_http_response"})
    stream.close()
    return found


@wires
@pytest.mark.parametrize("ending", ["cut", "reset"])
def test_a_broken_stream_breaks_the_same_way(wire, ending):
    sdk(wire)
    whole = answer(wire)
    broken = replace(whole, body=whole.body[: len(whole.body) // 2], ending=ending)
    url, live = made(wire, broken, broken)
    assert harness.open("a.jsonl").calls[0].end.kind == "error"
    with closed_network(), harness.replay("a.jsonl", strict=True) as session:
        assert ask(wire, client_of(wire, url, session.client("httpx2"))) == live


@wires
def test_gzip(wire):
    sdk(wire)

    async def handle(exchange):
        await exchange.gzipped(answer(wire).body)

    with in_thread(serve(handle)) as server, harness.record("a.jsonl") as session:
        live = ask(wire, client_of(wire, server.url, session.client("httpx2")))
    assert harness.open("a.jsonl").calls[0].body() == answer(wire).body
    with closed_network(), harness.replay("a.jsonl", strict=True) as session:
        assert ask(wire, client_of(wire, server.url, session.client("httpx2"))) == live


@wires
def test_a_full_disk_is_not_seen_by_the_sdk(wire, monkeypatch, caplog):
    sdk(wire)
    written = []
    write = harness.Recorder.__init__.__globals__["Writer"].write

    def fill_up(self, records):
        written.append(len(records))
        if len(written) > 6:
            raise OSError(28, "No space left on device")
        return write(self, records)

    _, live = made(wire)
    monkeypatch.setattr("harness.recording.writer.Writer.write", fill_up)
    with scripted([answer(wire)] * 2) as server, harness.record("b.jsonl") as session:
        assert ask(wire, client_of(wire, server.url, session.client("httpx2"))) == live
    assert session.errors == ["OSError: [Errno 28] No space left on device"]
    assert [record.levelname for record in caplog.records if record.name == "harness"] == ["WARNING"] * 2
    assert not list(harness.open("a.jsonl").path.parent.glob("b.jsonl"))
