"""The official SDKs through the proxy and from the replay server: what they make of an answer is the same."""

from __future__ import annotations

import json
import re
from contextlib import closing, contextmanager

import pytest

import harness
from tests.harness.sdks.drive import SDKS, aask, aopened, ask, client_of, sdk
from tests.harness.serving.kit import FRAMES, recording, replaying
from tests.shared import SHARED, needs_shared
from tests.threads import in_thread

pytestmark = [
    # What an SDK says of odd answers (an unknown field, a body that is no JSON) is no concern of ours.
    pytest.mark.filterwarnings("ignore"),
]

PREFIXES = {"openai-chat": "/openai", "openai-responses": "/openai", "anthropic": "/anthropic", "gemini": "/gemini"}


def corpus(wire):
    """Bodies of the handed corpus by id, with status and content type."""
    index = (SHARED / "corpus" / "index.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, index) if row["wire_format"] == wire]
    return {row["id"]: row for row in rows if not row["body_file"].endswith(".array.json")}


def answering(rows):
    """A handler that sends the stored answer that the prompt names, frame by frame."""

    async def handle(exchange):
        row = next(row for name, row in rows.items() if f'"{name}"'.encode() in exchange.body)
        body = (SHARED / "corpus" / "cases" / row["body_file"]).read_bytes()
        await exchange.head(row["http_status"], row["content_type"], transfer_encoding="chunked")
        for piece in re.split(rb"(?<=\n\n)|(?<=\r\n\r\n)", body):
            if piece:
                await exchange.chunk(piece)
        await exchange.chunk(b"")

    return handle


@contextmanager
def opened(wire, url):
    """A client of the SDK, which builds its own HTTP client."""
    client = client_of(wire, url, None)
    with closing(client):
        yield client


@needs_shared
@pytest.mark.parametrize("wire", list(SDKS))
def test_sync(wire, tmp_path):
    sdk(wire)
    rows = corpus(wire)
    path = tmp_path / "r.jsonl"
    with in_thread(recording(path, answering(rows))) as proxy:
        with opened(wire, proxy.url + PREFIXES[wire]) as client:
            live = {name: ask(wire, client, name) for name in rows}
        with opened(wire, proxy.upstream.url) as client:
            assert live == {name: ask(wire, client, name) for name in rows}
    with in_thread(replaying(path)) as server, opened(wire, server.url + PREFIXES[wire]) as client:
        assert {name: ask(wire, client, name) for name in rows} == live
        assert server.app.misses == server.app.unused == []


@needs_shared
@pytest.mark.anyio
@pytest.mark.parametrize("wire", list(SDKS))
async def test_async(wire, tmp_path):
    sdk(wire)
    rows = corpus(wire)
    path = tmp_path / "r.jsonl"
    async with recording(path, answering(rows)) as proxy, aopened(wire, proxy.url + PREFIXES[wire]) as client:
        live = {name: await aask(wire, client, name) for name in rows}
    async with replaying(path) as server, aopened(wire, server.url + PREFIXES[wire]) as client:
        assert {name: await aask(wire, client, name) for name in rows} == live
        assert server.app.misses == server.app.unused == []


@pytest.mark.parametrize("wire", list(SDKS))
def test_a_changed_prompt_is_told_by_the_sdk(wire, tmp_path):
    sdk(wire)

    async def handle(exchange):
        await exchange.head()
        await exchange.send(FRAMES[0])

    path = tmp_path / "r.jsonl"
    with in_thread(recording(path, handle)) as proxy, opened(wire, proxy.url + PREFIXES[wire]) as client:
        ask(wire, client, "hi")
    calls = len(harness.open(path).calls)
    with (
        in_thread(replaying(path)) as server,
        closing(client_of(wire, server.url + PREFIXES[wire], None, retries=2)) as client,
    ):
        found = ask(wire, client, "changed")
        assert len(server.app.misses) == calls  # tried once each
    place = {"openai-responses": "input", "gemini": "contents[0].parts[0].text"}.get(wire, "messages[0].content")
    for outcome in found:
        assert f'{place}: recorded "hi", sent "changed"' in str(outcome).replace('\\"', '"')
