from __future__ import annotations

import gzip
import zlib

import pytest

from harness.recorder.encodings import Undecodable, Unpacker, content_decoder
from harness.recording.opening import open as open_recording
from harness.replaying.replayer import replay_recording
from tests.harness.transports import Reply, Scripted, call, comparable, family, recorder, replayed

BOTH = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
FAMILIES = pytest.mark.parametrize("name", ["httpx", "httpx2"])
START = gzip.compress(b"x", mtime=0)[:5]
"""Of a coded body, too short to hold a byte of it."""


@pytest.mark.parametrize("coding", ["br", "zstd", "x-gzip", "gzip, gzip", "compress"])
def test_what_not_every_client_undoes_stays(coding):
    assert content_decoder(coding) is None
    unpacker = Unpacker(coding)
    assert (unpacker.opaque, unpacker.decided) == (True, True)
    assert unpacker.feed(0.5, b"x") == [(0.5, b"x")]
    assert unpacker.end() == []


def deflated(data: bytes) -> bytes:
    maker = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return maker.compress(data) + maker.flush()


STREAM = b'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'


@FAMILIES
@BOTH
@pytest.mark.anyio
@pytest.mark.parametrize("size", [2, 7, 1000])
@pytest.mark.parametrize("coding", ["gzip", "GZip", "deflate", "raw deflate"])
async def test_a_coded_answer_is_recorded_decoded(tmp_path, name, is_async, size, coding):
    lib = family(name)
    encode = {"gzip": gzip.compress, "deflate": zlib.compress, "raw deflate": deflated}[coding.lower()]
    data = encode(STREAM)
    header = coding.split()[-1]
    reply = Reply(
        [data[at : at + size] for at in range(0, len(data), size)],
        headers=(("content-encoding", header), ("content-length", str(len(data)))),
    )
    options = {"is_async": is_async, "raw": False}
    plain = await call(lib, Scripted([reply]), **options)
    with recorder(tmp_path / "one.jsonl") as made:
        seen = await call(lib, made.transport(Scripted([reply])), **options)
    assert seen == plain
    recorded = open_recording(tmp_path / "one.jsonl", strict=True).calls[0]
    assert recorded.body() == STREAM == b"".join(plain.chunks)
    assert recorded.response.encoding == header.lower()
    assert ("content-encoding", header) not in recorded.response.headers
    assert ("content-length", str(len(data))) in recorded.response.headers
    assert recorded.complete
    again = await call(lib, replayed(tmp_path / "one.jsonl"), **options)
    assert (again.status, again.chunks, again.end) == (plain.status, plain.chunks, plain.end)
    with recorder(tmp_path / "two.jsonl") as made:
        await call(lib, made.transport(replayed(tmp_path / "one.jsonl")), **options)
    assert comparable(tmp_path / "one.jsonl") == comparable(tmp_path / "two.jsonl")


@FAMILIES
@BOTH
@pytest.mark.anyio
class TestNotDecodable:
    """The body is kept as it came, with its header, so that a replay gives the client what it had."""

    async def check(self, tmp_path, lib, is_async, reply):
        """What a caller sees, live and replayed, is the same; the recording of it."""
        options = {"is_async": is_async, "raw": False}
        plain = await call(lib, Scripted([reply]), **options)
        with recorder(tmp_path / "one.jsonl") as made:
            assert await call(lib, made.transport(Scripted([reply])), **options) == plain
        again = await call(lib, replayed(tmp_path / "one.jsonl"), **options)
        assert (again.status, again.chunks, again.end) == (plain.status, plain.chunks, plain.end)
        with recorder(tmp_path / "two.jsonl") as made:
            await call(lib, made.transport(replayed(tmp_path / "one.jsonl")), **options)
        assert comparable(tmp_path / "one.jsonl") == comparable(tmp_path / "two.jsonl")
        recorded = open_recording(tmp_path / "one.jsonl", strict=True).calls[0]
        assert [event["type"] for event in recorded.events].count("usage") == 1
        return plain, recorded

    @pytest.mark.parametrize("coding", ["br", "zstd", "gzip, br", "gzip, gzip"])
    async def test_without_a_decoder(self, tmp_path, name, is_async, coding):
        lib = family(name)
        for package in ("brotli", "brotlicffi", "zstandard"):
            with pytest.raises(ImportError):
                __import__(package)
        inner = b"\x0b\x02\x80\xff\x00data"
        for _ in range(coding.count("gzip")):
            inner = gzip.compress(inner)
        data = inner
        reply = Reply([data[:3], data[3:]], headers=(("content-encoding", coding),))
        _, recorded = await self.check(tmp_path, lib, is_async, reply)
        assert recorded.chunks() == [data[:3], data[3:]]
        assert ("content-encoding", coding) in recorded.response.headers
        assert recorded.response.encoding is None
        said, usage = recorded.events
        assert (said["kind"], said["retryable"]) == ("provider_error", False)
        assert said["message"].startswith(f"the body came in a content coding that is not undone here ({coding})")
        assert "accept-encoding: identity" in said["hint"]
        assert (usage["stop_reason"], usage["complete"]) == ("error", False)
        assert replay_recording(tmp_path / "one.jsonl").status == "pass"

    async def test_a_header_that_lies(self, tmp_path, name, is_async):
        reply = Reply([b"data: {}\n\n", b"data: [DONE]\n\n"], headers=(("content-encoding", "gzip"),))
        plain, recorded = await self.check(tmp_path, family(name), is_async, reply)
        assert plain.end is not None
        assert plain.end[0] == "DecodingError"
        assert recorded.body() == b"data: {}\n\n"
        assert (recorded.end.kind, recorded.end.error_class) == ("error", "DecodingError")
        assert ("content-encoding", "gzip") in recorded.response.headers

    async def test_corrupt_in_the_middle(self, tmp_path, name, is_async):
        maker = zlib.compressobj(wbits=31)
        first = maker.compress(b"data: 1\n\n") + maker.flush(zlib.Z_SYNC_FLUSH)
        reply = Reply([first, b"\xff\xff garbage", b"more"], headers=(("content-encoding", "gzip"),))
        plain, recorded = await self.check(tmp_path, family(name), is_async, reply)
        assert (plain.chunks, plain.end[0]) == ([b"data: 1\n\n"], "DecodingError")
        assert (recorded.body(), recorded.end.error_class) == (b"data: 1\n\n", "DecodingError")
        assert recorded.response.encoding == "gzip"

    async def test_corrupt_after_chunks_that_gave_nothing(self, tmp_path, name, is_async):
        reply = Reply([START, b"\xff" * 20], headers=(("content-encoding", "gzip"),))
        plain, recorded = await self.check(tmp_path, family(name), is_async, reply)
        assert (plain.chunks, plain.end[0]) == ([], "DecodingError")
        assert recorded.chunks() == [START, b"\xff" * 20]

    @pytest.mark.parametrize("end", [None, ("ReadError", "reset")], ids=["eof", "reset"])
    async def test_cut_before_anything_was_decoded(self, tmp_path, name, is_async, end):
        reply = Reply([START], headers=(("content-encoding", "gzip"),), end=end)
        _, recorded = await self.check(tmp_path, family(name), is_async, reply)
        assert recorded.body() == START

    @pytest.mark.parametrize("end", [None, ("ReadError", "reset")], ids=["eof", "reset"])
    async def test_cut_later(self, tmp_path, name, is_async, end):
        maker = zlib.compressobj(wbits=31)
        first = maker.compress(b"data: 1\n\n") + maker.flush(zlib.Z_SYNC_FLUSH)
        reply = Reply([first], headers=(("content-encoding", "gzip"),), end=end)
        plain, recorded = await self.check(tmp_path, family(name), is_async, reply)
        assert recorded.body() == b"".join(plain.chunks) == b"data: 1\n\n"

    async def test_words_that_are_no_coding(self, tmp_path, name, is_async):
        reply = Reply([STREAM], headers=(("content-encoding", "none"),))
        _, recorded = await self.check(tmp_path, family(name), is_async, reply)
        assert recorded.complete


def test_an_error_after_decoded_bytes_is_raised():
    unpacker = Unpacker("gzip")
    data = gzip.compress(b"a" * 1000)
    assert unpacker.feed(0.0, data[:10]) == []
    assert unpacker.feed(1.0, data[10:]) == [(1.0, b"a" * 1000)]
    unpacker = Unpacker("deflate")
    assert unpacker.feed(0.0, deflated(b"abc")[:4])
    with pytest.raises(Undecodable):
        unpacker.feed(1.0, b"\xff\xff\xff")
