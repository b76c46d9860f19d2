"""Every stream of the handed corpus, as the official SDKs read it: recorded from a server, replayed without network."""

from __future__ import annotations

import json
import re

import pytest

import harness
from harness.pytest_plugin.closed_network import closed_network
from tests.harness.sdks.drive import SDKS, aask, ask, client_of, sdk
from tests.harness.transports import family
from tests.loopback import serve
from tests.shared import SHARED, needs_shared
from tests.threads import in_thread

pytestmark = [
    needs_shared,
    # What an SDK says of odd answers (an unknown field, a body that is no JSON) is no concern of ours.
    pytest.mark.filterwarnings("ignore"),
]

CORPUS = SHARED / "corpus"
BOTH_FAMILIES = ("openai-chat", "gemini")
"""Formats whose SDK takes clients of httpx and of httpx2."""


def cases():
    index = CORPUS / "index.jsonl"
    if not index.exists():
        return []
    rows = [json.loads(line) for line in index.read_text("utf-8").splitlines()]
    return [
        pytest.param(row, id=row["id"])
        for row in rows
        if row["wire_format"] in SDKS and not row["body_file"].endswith(".array.json")
    ]


def server_of(row):
    """A server that gives the stored answer to each request, frame by frame."""
    body = (CORPUS / "cases" / row["body_file"]).read_bytes()
    pieces = [piece for piece in re.split(rb"(?<=\n\n)|(?<=\r\n\r\n)", body) if piece]

    async def handle(exchange):
        await exchange.head(row["http_status"], row["content_type"], transfer_encoding="chunked")
        for piece in pieces:
            await exchange.chunk(piece)
        await exchange.chunk(b"")

    return in_thread(serve(handle))


@pytest.mark.parametrize("row", cases())
def test_sync(row, tmp_path):
    wire = row["wire_format"]
    sdk(wire)
    family("httpx2")
    path = tmp_path / "a.jsonl"
    with server_of(row) as server, harness.record(path) as session:
        live = ask(wire, client_of(wire, server.url, session.client("httpx2")))
    with closed_network(), harness.replay(path, strict=True) as session:
        again = ask(wire, client_of(wire, server.url, session.client("httpx2")))
    assert again == live
    assert_all_recorded(path, row, session)


@pytest.mark.parametrize("row", cases())
@pytest.mark.anyio
async def test_async(row, tmp_path):
    wire = row["wire_format"]
    sdk(wire)
    family("httpx2")
    path = tmp_path / "a.jsonl"
    with server_of(row) as server:
        async with harness.record(path) as session:
            live = await aask(wire, client_of(wire, server.url, session.async_client("httpx2"), is_async=True))
    with closed_network():
        async with harness.replay(path, strict=True) as session:
            again = await aask(wire, client_of(wire, server.url, session.async_client("httpx2"), is_async=True))
    assert again == live
    assert_all_recorded(path, row, session)


@pytest.mark.parametrize("row", [case for case in cases() if case.values[0]["wire_format"] in BOTH_FAMILIES])
def test_with_clients_of_httpx(row, tmp_path):
    wire = row["wire_format"]
    sdk(wire)
    path = tmp_path / "a.jsonl"
    with server_of(row) as server, harness.record(path) as session:
        live = ask(wire, client_of(wire, server.url, session.client("httpx")))
    with closed_network(), harness.replay(path, strict=True) as session:
        assert ask(wire, client_of(wire, server.url, session.client("httpx"))) == live


@pytest.mark.parametrize("row", cases()[::10])
def test_with_the_clients_that_the_sdk_builds(row, tmp_path):
    wire = row["wire_format"]
    sdk(wire)
    path = tmp_path / "a.jsonl"
    with server_of(row) as server, harness.record(path, everywhere=True):
        live = ask(wire, client_of(wire, server.url, None))
    with closed_network(), harness.replay(path, everywhere=True, strict=True):
        assert ask(wire, client_of(wire, server.url, None)) == live


def assert_all_recorded(path, row, session):
    """What was read stands in the file, and a stream that the SDK left after its end mark is complete."""
    body = (CORPUS / "cases" / row["body_file"]).read_bytes()
    for call in harness.open(path, strict=True).calls:
        assert body.startswith(call.body())
        assert call.wire == row["wire_format"]
        assert call.body() == body or call.end.kind == "closed"
    assert not session.errors
