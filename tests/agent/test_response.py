"""One response from bytes to events: how a stream is told from a plain body, and how each of them ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import EOF, End, Error, Text, UsageEvent
from agent.response import Framer, ResponseDecoder, no_response

STREAM = "text/event-stream"
JSON = "application/json"

# (content type, body) -> is it an event stream?
KINDS = {
    "a stream": (STREAM, b"data: 1\n\n", True),
    "with parameters": ("Text/Event-Stream; charset=utf-8", b"data: 1\n\n", True),
    "a stream that begins with blank lines": (STREAM, b"\n\ndata: 1\n\n", True),
    "a stream of nothing but blank lines": (STREAM, b"\r\n\n", True),
    "JSON called a stream": (STREAM, b'{"a":1}', False),
    "JSON called a stream, after blanks": (STREAM, b'\n \r\n {"a":1}', False),
    "JSON called a stream, a byte order mark": (STREAM, b'\xef\xbb\xbf{"a":1}', False),
    "a page called a stream": (STREAM, b"<html>", False),
    "JSON": (JSON, b' {"a":1}', False),
    "JSON, a byte order mark": (JSON, b'\xef\xbb\xbf{"a":1}', False),
    "a stream called JSON": (JSON, b"data: 1\n\n", True),
    "a stream called JSON, after blank lines": (JSON, b"\r\n\ndata: 1\n\n", True),
    "a comment called JSON": (JSON, b": hello\n\n", True),
    "a problem document": ("application/problem+json", b'{"a":1}', False),
    "no type, JSON": (None, b'\n {"a":1}', False),
    "no type, array": (None, b"[1]", False),
    "no type, JSON, a byte order mark": (None, b'\xef\xbb\xbf{"a":1}', False),
    "no type, a long wait": (None, b"\n" * 5000 + b"data: 1\n\n", True),
    "JSON, a long wait": (JSON, b" " * 5000 + b'{"a":1}', False),
    "no type, page": (None, b"<html>", False),
    "no type, stream": (None, b"\n\ndata: 1\n\n", True),
    "no type, a byte order mark": (None, b"\xef\xbb\xbfdata: 1\n\n", True),
    "plain text, stream": ("text/plain", b"event: x\ndata: 1\n\n", True),
    "plain text": ("text/plain", b"upstream connect error", False),
    "a page": ("text/html", b"data", False),
    "bytes": ("application/vnd.amazon.eventstream", b"data: 1\n\n", False),
    "empty stream": (STREAM, b"", True),
    "empty": (None, b"", False),
}


def run(framer: Framer, body: bytes, size: int) -> tuple[bytes, bytes]:
    """The bytes that came out as frames, and as body."""
    frames, rest = [], b""
    for start in range(0, len(body), size):
        chunk = body[start : start + size]
        frames += framer.feed(chunk)
        rest += framer.body(chunk)
    frames += framer.flush()
    return b"".join(frame.raw for frame in frames), rest


@pytest.mark.parametrize(("content_type", "body", "is_stream"), KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("size", [1, 2, 1000])
def test_kinds(content_type, body, is_stream, size):
    framer = Framer(content_type)
    framed, rest = run(framer, body, size)
    assert framer.is_stream is is_stream
    assert (framed, rest) == ((body, b"") if is_stream else (b"", body))


@given(st.sampled_from([STREAM, JSON, None, "text/plain"]), st.binary(max_size=30), st.integers(1, 5))
def test_no_byte_is_lost(content_type, body, size):
    framed, rest = run(Framer(content_type), body, size)
    assert body in (framed, rest) or framed + rest == body
    assert (framed, rest) == run(Framer(content_type), body, 1000)


def decode(body: bytes, *, end: End = EOF, content_type: str | None = STREAM, limit: int = 1000, **options) -> list:
    framer = Framer(content_type, limit=limit)
    decoder = ResponseDecoder("openai-chat", **options)
    events = [event for frame in framer.feed(body) for event in decoder.frame(frame)]
    rest = framer.body(body)
    if framer.overflowed:
        events += decoder.overflow(limit)
    else:
        decoder.body(rest)
    events += [event for frame in framer.flush() for event in decoder.frame(frame)]
    return [*events, *decoder.finish(end)]


CHUNK = b'data: {"choices":[{"delta":{"content":"hi"}}]}\n\n'
DONE = b"data: [DONE]\n\n"


def closing(events: list) -> tuple:
    """Types of the events, the error kind, and how the call closed."""
    usage = events[-1]
    assert isinstance(usage, UsageEvent)
    kinds = [event.kind for event in events if isinstance(event, Error)]
    return [type(event) for event in events[:-1]], kinds, usage.stop_reason, usage.complete


ENDINGS = {
    "complete": (CHUNK + DONE, {}, ([Text], [], "stop", True)),
    "cut": (CHUNK, {}, ([Text, Error], ["truncated_stream"], "truncated", False)),
    "reset": (
        CHUNK,
        {"end": End("error", "ReadError", "reset")},
        ([Text, Error], ["truncated_stream"], "truncated", False),
    ),
    "reset after the end mark": (CHUNK + DONE, {"end": End("error", "ReadError", "x")}, ([Text], [], "stop", True)),
    "closed by the client": (CHUNK, {"end": End("closed")}, ([Text], [], "cancelled", False)),
    "HTTP error": (b'{"error":"no"}', {"status": 401}, ([Error], ["auth"], "error", False)),
    "HTTP error as a stream": (b'data: {"error":"no"}\n\n', {"status": 503}, ([Error], ["overloaded"], "error", False)),
    "redirect": (b"", {"status": 302}, ([Error], ["invalid_request"], "error", False)),
    "page": (b"<html>", {"content_type": "text/html"}, ([Error], ["provider_error"], "error", False)),
    "text": (b"upstream gone", {"content_type": "text/plain"}, ([Error], ["provider_error"], "error", False)),
    "empty": (b"", {}, ([Error], ["truncated_stream"], "truncated", False)),
    "a frame over the limit": (
        CHUNK + b"data: " + b"x" * 2000,
        {},
        ([Text, Error], ["frame_too_large"], "error", False),
    ),
}


@pytest.mark.parametrize(("body", "options", "expected"), ENDINGS.values(), ids=ENDINGS)
def test_endings(body, options, expected):
    assert closing(decode(body, **options)) == expected


def test_counts_of_what_was_skipped():
    decoder = ResponseDecoder("openai-chat")
    for frame in Framer(STREAM).feed(b"data: nonsense\n\ndata: 1\n\n" + CHUNK):
        decoder.frame(frame)
    assert decoder.malformed == 2


def test_no_response():
    assert closing(no_response(End("closed"))) == ([], [], "cancelled", False)
    assert closing(no_response(End("error", "ConnectError", "refused"), "http://127.0.0.1:1/v1")) == (
        [Error],
        ["network"],
        "error",
        False,
    )
    assert closing(no_response(End("error", "ReadTimeout", ""))) == ([Error], ["timeout"], "error", False)


CODED = [("Content-Encoding", "gzip, br")]


class TestContentCoding:
    """A body in a coding that is not undone is not handed to the decoder: nothing of it can be read."""

    def test_what_happened_is_said(self):
        said, usage = ResponseDecoder("openai-chat", headers=CODED).finish()
        assert isinstance(said, Error)
        assert (said.kind, said.retryable, said.status) == ("provider_error", False, 200)
        assert said.message == (
            "the body came in a content coding that is not undone here (gzip, br): nothing of it was read"
        )
        assert (usage.stop_reason, usage.complete) == ("error", False)

    def test_of_an_http_error_too(self):
        said, _ = ResponseDecoder("openai-chat", status=429, headers=CODED).finish()
        assert said.kind == "rate_limit"
        assert said.message == "Provider HTTP 429: the body came in a content coding that is not undone here (gzip, br)"

    @pytest.mark.parametrize(
        ("headers", "end", "kinds"),
        [
            ([("content-encoding", "gzip")], EOF, ["truncated_stream"]),
            ([("content-encoding", "identity")], EOF, ["truncated_stream"]),
            (CODED, End("error", "ReadError", "reset"), ["truncated_stream"]),
            (CODED, End("closed"), []),
        ],
    )
    def test_where_something_else_happened(self, headers, end, kinds):
        events = ResponseDecoder("openai-chat", headers=headers).finish(end)
        assert [event.kind for event in events if isinstance(event, Error)] == kinds

    def test_what_could_be_read_is_read(self):
        decoder = ResponseDecoder("openai-chat", headers=CODED)
        framer = Framer(STREAM)
        for frame in framer.feed(b'data: {"model":"m","choices":[{"delta":{"content":"a"}}]}\n\n'):
            decoder.frame(frame)
        assert [event.kind for event in decoder.finish() if isinstance(event, Error)] == ["truncated_stream"]
