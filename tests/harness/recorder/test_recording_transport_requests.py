from __future__ import annotations

import json

import pytest

from harness.recording.opening import open as open_recording
from tests.harness.transports import (
    BODY,
    URL,
    Reply,
    Scripted,
    call,
    comparable,
    family,
    recorder,
    replayed,
)

BOTH = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


@BOTH
@pytest.mark.anyio
class TestOddRequests:
    async def test_no_body(self, tmp_path, is_async):
        lib = family("httpx")
        options = {"is_async": is_async, "method": "GET", "url": "https://api.test/v1/models?limit=2", "content": None}
        reply = Reply([b'{"data":[]}'], content_type="application/json")
        with recorder(tmp_path / "r.jsonl") as made:
            await call(lib, made.transport(Scripted([reply])), **options)
        recorded = open_recording(tmp_path / "r.jsonl", strict=True).calls[0]
        assert (recorded.method, recorded.wire, recorded.content(), recorded.events) == ("GET", None, b"", [])
        assert (await call(lib, replayed(tmp_path / "r.jsonl"), **options)).chunks == [b'{"data":[]}']

    @pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("DELETE", 204), ("POST", 204), ("POST", 304)])
    async def test_no_response_body(self, tmp_path, is_async, method, status):
        lib = family("httpx")
        options = {"is_async": is_async, "method": method, "content": None}
        reply = Reply(status=status, content_type=None, headers=(("content-length", "5"), ("content-encoding", "gzip")))
        plain = await call(lib, Scripted([reply]), raw=False, **options)
        with recorder(tmp_path / "one.jsonl") as made:
            assert await call(lib, made.transport(Scripted([reply])), raw=False, **options) == plain
        again = await call(lib, replayed(tmp_path / "one.jsonl"), raw=False, **options)
        assert (again.status, again.chunks, again.end) == (status, [], None)
        with recorder(tmp_path / "two.jsonl") as made:
            await call(lib, made.transport(replayed(tmp_path / "one.jsonl")), raw=False, **options)
        assert comparable(tmp_path / "one.jsonl") == comparable(tmp_path / "two.jsonl")

    async def test_a_streamed_body_is_sent_and_recorded_whole(self, tmp_path, is_async):
        lib = family("httpx")

        def pieces():
            yield BODY[:10]
            yield BODY[10:]

        async def apieces():
            for piece in pieces():
                yield piece

        def make():
            return apieces() if is_async else pieces()

        sent = []

        def answer(request):
            sent.append((b"".join(request.stream), request.headers["transfer-encoding"]))
            return Reply([b"data: [DONE]\n\n"])

        with recorder(tmp_path / "r.jsonl") as made:
            await call(lib, made.transport(Scripted(answer=answer)), is_async=is_async, content=make())
        assert sent == [(BODY, "chunked")]
        assert open_recording(tmp_path / "r.jsonl").calls[0].request.body == json.loads(BODY)
        again = await call(lib, replayed(tmp_path / "r.jsonl"), is_async=is_async, content=make())
        assert again.chunks == [b"data: [DONE]\n\n"]

    async def test_a_body_that_fails_is_the_callers(self, tmp_path, is_async):
        lib = family("httpx")

        def pieces():
            yield b"x"
            raise ZeroDivisionError

        async def apieces():
            for piece in pieces():
                yield piece

        with recorder(tmp_path / "r.jsonl") as made, pytest.raises(ZeroDivisionError):
            await call(lib, made.transport(Scripted()), is_async=is_async, content=apieces() if is_async else pieces())
        assert open_recording(tmp_path / "r.jsonl").calls == []

    async def test_a_big_body(self, tmp_path, is_async):
        lib = family("httpx")
        content = json.dumps({"model": "m", "messages": [{"role": "user", "content": "é" * 1_500_000}]}).encode()
        chunk = b"data: " + b"x" * 3_000_000 + b"\n\n"
        with recorder(tmp_path / "r.jsonl") as made:
            await call(lib, made.transport(Scripted([Reply([chunk])])), is_async=is_async, content=content)
        again = await call(lib, replayed(tmp_path / "r.jsonl"), is_async=is_async, content=content)
        assert again.chunks == [chunk]


@BOTH
@pytest.mark.anyio
async def test_identity_is_asked_upstream_and_the_callers_request_stays(tmp_path, is_async):
    lib = family("httpx")
    script = Scripted([Reply([b"data: [DONE]\n\n"])])
    with recorder(tmp_path / "r.jsonl") as made:
        transport = made.transport(script)
        if is_async:
            async with lib.AsyncClient(transport=transport) as client:
                response = await client.post(URL, content=BODY, headers={"x-a": "b"}, extensions={"trace": print})
        else:
            with lib.Client(transport=transport) as client:
                response = client.post(URL, content=BODY, headers={"x-a": "b"}, extensions={"trace": print})
    sent = script.requests[0]
    assert (sent.headers["accept-encoding"], sent.headers["x-a"]) == ("identity", "b")
    assert sent.extensions["trace"] is print
    assert "gzip" in response.request.headers["accept-encoding"]
