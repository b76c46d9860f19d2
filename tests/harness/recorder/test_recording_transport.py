from __future__ import annotations

import asyncio
import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from harness.recording.opening import open as open_recording
from tests.harness.transports import (
    BODIES,
    BODY,
    PATHS,
    SSE,
    URL,
    WAIT,
    Reply,
    Scripted,
    call,
    comparable,
    family,
    recorder,
    records,
    replayed,
)  # fmt: skip

BOTH = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
FAMILIES = pytest.mark.parametrize("name", ["httpx", "httpx2"])
ENDINGS = [None, ("ReadError", "reset by peer"), ("ReadTimeout", ""), ("RemoteProtocolError", "peer closed: é\nx")]

sse_ish = st.lists(
    st.sampled_from(
        [b"data: ", b"data:", b"event: x", b"\n", b"\r\n", b"\r", b"\n\n", b": c", b"id: 7", b"{}", b"[DONE]", b"\xff",
         b"\xef\xbb\xbf", b'{"choices":[{"delta":{"content":"a"}}]}', "é".encode(), b"x", b" ", b"error: {}"]
    ),
    max_size=30,
).map(b"".join)  # fmt: skip
bodies = st.sampled_from(BODIES) | sse_ish | st.binary(max_size=80) | sse_ish.map(lambda raw: b'{"a":1}' + raw)


@st.composite
def replies(draw):
    body = draw(bodies)
    cuts = sorted(draw(st.lists(st.integers(0, len(body)), max_size=8)))
    chunks = [body[a:b] for a, b in zip([0, *cuts], [*cuts, len(body)], strict=True)]
    content_type = draw(
        st.sampled_from([SSE, "text/event-stream; charset=utf-8", "application/json", "text/plain", None])
    )
    end = draw(st.sampled_from([*ENDINGS, ("ConnectionResetError", "[Errno 104] reset"), ("OddError", "odd")]))
    refused = draw(st.sampled_from([None] * 9 + [("ConnectError", "all attempts failed")]))
    headers = (("x-request-id", "r1"), ("content-length", "7"), ("set-cookie", "a=b"))
    return Reply(chunks, draw(st.sampled_from([200, 201, 400, 429, 500])), content_type, headers, end, refused)


@settings(max_examples=120)
@given(
    reply=replies(),
    path=st.sampled_from(PATHS),
    name=st.sampled_from(["httpx", "httpx2"]),
    is_async=st.booleans(),
    stop_after=st.none() | st.integers(1, 4),
)
def test_recording_changes_nothing_and_the_replay_is_the_same(
    tmp_path_factory, reply, path, name, is_async, stop_after
):
    lib = family(name)
    folder = tmp_path_factory.mktemp("r")
    options = {"is_async": is_async, "url": f"https://api.test{path}", "stop_after": stop_after}

    async def check():
        plain = await call(lib, Scripted([reply]), **options)
        with recorder(folder / "one.jsonl") as one:
            seen = await call(lib, one.transport(Scripted([reply])), **options)
        assert seen == plain
        again = await call(lib, replayed(folder / "one.jsonl"), **options)
        assert again.without_framing().headers == [
            pair for pair in plain.without_framing().headers if pair[0] != "set-cookie"
        ]
        assert (again.status, again.chunks, again.end) == (plain.status, plain.chunks, plain.end)
        with recorder(folder / "two.jsonl") as two:
            await call(lib, two.transport(replayed(folder / "one.jsonl")), **options)

    asyncio.run(check())
    assert comparable(folder / "one.jsonl") == comparable(folder / "two.jsonl")
    recorded = open_recording(folder / "one.jsonl", strict=True).calls[0]
    sent = b"".join(reply.chunks)
    assert sent.startswith(recorded.body())
    if stop_after is None and reply.refused is None:
        assert recorded.body() == sent
        assert recorded.chunks() == [chunk for chunk in reply.chunks if chunk]
    usages = [event for event in recorded.events if event["type"] == "usage"]
    assert len(usages) == (0 if path == "/other" else 1)


@FAMILIES
@BOTH
@pytest.mark.anyio
@pytest.mark.parametrize("end", ENDINGS, ids=lambda end: end[0] if end else "eof")
async def test_the_ending_is_recorded(tmp_path, name, is_async, end):
    lib = family(name)
    reply = Reply([b'data: {"choices":[{"delta":{"content":"a"}}]}\n\n', b"data: {"], end=end)
    with recorder(tmp_path / "r.jsonl") as made:
        await call(lib, made.transport(Scripted([reply])), is_async=is_async)
    last = next(record for record in records(tmp_path / "r.jsonl") if record["kind"] == "call_end")
    if end is None:
        assert (last["end"], "error" in last) == ("eof", False)
    else:
        assert (last["end"], last["error"]) == ("error", {"class": end[0], "message": end[1]})


@BOTH
@pytest.mark.anyio
async def test_leaving_early_is_closed(tmp_path, is_async):
    lib = family("httpx")
    script = Scripted([Reply([b"data: 1\n\n", b"data: 2\n\n", b"data: 3\n\n"])])
    with recorder(tmp_path / "r.jsonl") as made:
        await call(lib, made.transport(script), is_async=is_async, stop_after=2)
    assert (script.produced, script.closed) == (2, 1)
    recorded = open_recording(tmp_path / "r.jsonl").calls[0]
    assert (recorded.end.kind, recorded.chunks()) == ("closed", [b"data: 1\n\n", b"data: 2\n\n"])


def test_closing_the_response_closes_the_call_while_its_chunks_are_held(tmp_path):
    lib = family("httpx")
    made = recorder(tmp_path / "r.jsonl")
    with lib.Client(transport=made.transport(Scripted([Reply([b"data: 1\n\n", b"data: 2\n\n"])]))) as client:
        with client.stream("POST", URL, content=BODY) as response:
            chunks = response.iter_raw()
            next(chunks)
        assert records(tmp_path / "r.jsonl")[-1]["end"] == "closed"
    del chunks
    made.close()


class TestFromWithin:
    """What the caller raises itself passes through, and the call is closed."""

    @pytest.mark.anyio
    async def test_a_cancelled_reader(self, tmp_path):
        lib = family("httpx")
        with recorder(tmp_path / "r.jsonl") as made:
            task = asyncio.ensure_future(
                call(lib, made.transport(Scripted([Reply([b"data: 1\n\n"], end=WAIT)])), is_async=True)
            )
            for _ in range(20):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        recorded = open_recording(tmp_path / "r.jsonl").calls[0]
        assert (recorded.end.kind, recorded.body()) == ("closed", b"data: 1\n\n")
        assert recorded.events[-1]["stop_reason"] == "cancelled"

    @pytest.mark.anyio
    async def test_cancelled_before_the_response(self, tmp_path):
        lib = family("httpx")
        with recorder(tmp_path / "r.jsonl") as made:
            task = asyncio.ensure_future(
                call(lib, made.transport(Scripted([Reply(refused=WAIT)])), is_async=True)  # type: ignore[arg-type]
            )
            for _ in range(20):
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        recorded = open_recording(tmp_path / "r.jsonl").calls[0]
        assert (recorded.response, recorded.end.kind) == (None, "closed")
        assert [event["stop_reason"] for event in recorded.events] == ["cancelled"]

    @pytest.mark.parametrize("raised", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
    def test_an_exception_of_the_stream_or_the_transport(self, tmp_path, raised):
        lib = family("httpx")

        class Raising:
            def handle_request(self, request):
                raise raised("now")

            def close(self): ...

        def chunks():
            yield b"data: 1\n\n"
            raise raised("now")

        with recorder(tmp_path / "r.jsonl") as made:
            for inner in (Raising(), lib.MockTransport(lambda request: lib.Response(200, content=chunks()))):
                client = lib.Client(transport=made.transport(inner))
                with pytest.raises(raised, match="now"):
                    client.post(URL, content=BODY)
        kinds = [recorded.end.kind for recorded in open_recording(tmp_path / "r.jsonl").calls]
        assert kinds == ["error" if issubclass(raised, Exception) else "closed"] * 2


class TestNothingIsHeldBack:
    @pytest.mark.anyio
    async def test_async(self, tmp_path):
        """The first chunk is with the caller, and in the file, before the second one is made."""
        lib = family("httpx")
        script = Scripted([Reply([b"data: 1\n\n", b"data: 2\n\n"])])
        with recorder(tmp_path / "r.jsonl") as made:
            async with (
                lib.AsyncClient(transport=made.transport(script)) as client,
                client.stream("POST", URL, content=BODY) as response,
            ):
                assert script.produced == 0
                chunks = response.aiter_raw()
                assert await anext(chunks) == b"data: 1\n\n"
                assert script.produced == 1
                assert records(tmp_path / "r.jsonl")[-1]["raw"] == "data: 1\n\n"
                assert await anext(chunks) == b"data: 2\n\n"
                await chunks.aclose()

    def test_sync(self, tmp_path):
        lib = family("httpx")
        script = Scripted([Reply([b"data: 1\n\n", b"data: 2\n\n"])])
        with (
            recorder(tmp_path / "r.jsonl") as made,
            lib.Client(transport=made.transport(script)) as client,
            client.stream("POST", URL, content=BODY) as response,
        ):
            assert next(response.iter_raw()) == b"data: 1\n\n"
            assert script.produced == 1


@FAMILIES
@BOTH
@pytest.mark.anyio
class TestResponsesReadBefore:
    """Mock transports hand out responses whose body was read already."""

    async def test_from_memory(self, tmp_path, name, is_async):
        lib = family(name)
        body = gzip.compress(b"data: [DONE]\n\n")

        def answer(request):
            return lib.Response(200, headers={"content-type": SSE, "content-encoding": "gzip"}, content=body)

        plain = await call(lib, lib.MockTransport(answer), is_async=is_async, raw=False)
        with recorder(tmp_path / "r.jsonl") as made:
            seen = await call(lib, made.transport(lib.MockTransport(answer)), is_async=is_async, raw=False)
        assert seen == plain
        recorded = open_recording(tmp_path / "r.jsonl", strict=True).calls[0]
        assert (recorded.body(), recorded.end.kind, recorded.response.encoding) == (b"data: [DONE]\n\n", "eof", "gzip")
        again = await call(lib, replayed(tmp_path / "r.jsonl"), is_async=is_async, raw=False)
        assert again.chunks == plain.chunks

    async def test_from_a_stream_that_is_used_up(self, tmp_path, name, is_async):
        lib = family(name)

        def answer(request):
            response = lib.Response(200, json={"a": 1}, headers={"content-encoding": "identity"})
            response.stream = Scripted([Reply()]).handle_request(request).stream
            return response

        with recorder(tmp_path / "r.jsonl") as made:
            seen = await call(lib, made.transport(lib.MockTransport(answer)), is_async=is_async, raw=False)
        assert json.loads(b"".join(seen.chunks)) == {"a": 1}
        recorded = open_recording(tmp_path / "r.jsonl", strict=True).calls[0]
        assert json.loads(recorded.body()) == {"a": 1}


@BOTH
@pytest.mark.anyio
async def test_the_inner_transport_is_entered_and_closed(tmp_path, is_async):
    done = []

    class Inner(Scripted):
        def __enter__(self):
            done.append("enter")

        def __exit__(self, *exc):
            done.append("exit")

        async def __aenter__(self):
            done.append("enter")

        async def __aexit__(self, *exc):
            done.append("exit")

        def close(self):
            done.append("close")

        async def aclose(self):
            done.append("close")

    lib = family("httpx")
    with recorder(tmp_path / "r.jsonl") as made:
        await call(lib, made.transport(Inner([Reply()])), is_async=is_async)
        if is_async:
            await lib.AsyncClient(transport=made.transport(Inner())).aclose()
        else:
            lib.Client(transport=made.transport(Inner())).close()
    assert done == ["enter", "exit", "close"]


def test_a_closed_recorder_lets_everything_pass(tmp_path):
    lib = family("httpx")
    made = recorder(tmp_path / "r.jsonl")
    transport = made.transport(Scripted([Reply([b"data: 1\n\n", b"data: 2\n\n"])] * 2))
    client = lib.Client(transport=transport)
    with client.stream("POST", URL, content=BODY) as response:
        chunks = response.iter_raw()
        next(chunks)
        made.close()
        assert list(chunks) == [b"data: 2\n\n"]
    assert client.post(URL, content=BODY).content == b"data: 1\n\ndata: 2\n\n"
    assert made.errors == []
    recorded = open_recording(tmp_path / "r.jsonl", strict=True).calls
    assert [(one.end.kind, one.body()) for one in recorded] == [("closed", b"data: 1\n\n")]
