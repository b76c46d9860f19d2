"""The SSE decoder against the standard, at every chunking, and its frame laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.sse import Frame, SSEDecoder


def decode(body: bytes, cuts: list[int] | None = None, **options) -> list[Frame]:
    decoder = SSEDecoder(**options)
    frames = []
    start = 0
    for cut in [*(cuts or []), len(body)]:
        frames += decoder.feed(body[start:cut])
        start = cut
    return frames + decoder.flush()


def chunkings(body: bytes) -> list[list[int]]:
    return [[], *(list(range(size, len(body), size)) for size in (1, 2, 3, 7))]


def fields(frames: list[Frame]) -> list[tuple]:
    return [(f.data, f.event, f.id, f.unterminated) for f in frames]


# body -> (data, event, id, unterminated) of each frame; the rules are WHATWG HTML 9.2.
CASES = {
    "empty body": (b"", []),
    "lf": (b"data: a\n\ndata: b\n\n", [(b"a", "message", None, False), (b"b", "message", None, False)]),
    "crlf": (
        b"data: a\r\n\r\ndata: b\r\n\r\n",
        [(b"a", "message", None, False), (b"b", "message", None, False), (None, None, None, False)],
    ),
    "cr": (b"data: a\r\rdata: b\r\r", [(b"a", "message", None, False), (b"b", "message", None, False)]),
    "mixed line ends": (
        b"data: a\r\ndata: b\n\rdata: c\r\r",
        [(b"a\nb", "message", None, False), (b"c", "message", None, False)],
    ),
    "bom": (b"\xef\xbb\xbfdata: a\n\n", [(b"a", "message", None, False)]),
    "second bom is no bom": (
        b"data: a\n\n\xef\xbb\xbfdata: b\n\n",
        [(b"a", "message", None, False), (None, None, None, False)],
    ),
    "two boms": (b"\xef\xbb\xbf\xef\xbb\xbfdata: a\n\n", [(None, None, None, False)]),
    "bom only": (b"\xef\xbb\xbf", [(None, None, None, False)]),
    "part of a bom": (b"\xef\xbb", [(None, None, None, True)]),
    "bom then blank lines": (b"\xef\xbb\xbf\n\n\ndata: a\n\n", [(b"a", "message", None, False)]),
    "no space": (b"data:a\n\n", [(b"a", "message", None, False)]),
    "one space is removed": (b"data:  a\n\n", [(b" a", "message", None, False)]),
    "tab stays": (b"data:\ta\n\n", [(b"\ta", "message", None, False)]),
    "several lines": (b"data: a\ndata\ndata: b\n\n", [(b"a\n\nb", "message", None, False)]),
    "empty data dispatches": (b"data:\n\n", [(b"", "message", None, False)]),
    "field without colon": (b"data\n\n", [(b"", "message", None, False)]),
    "comment": (b": hello\n\n:\ndata: a\n\n", [(None, None, None, False), (b"a", "message", None, False)]),
    "event": (b"event: ping\ndata: {}\n\n", [(b"{}", "ping", None, False)]),
    "last event wins": (b"event: a\nevent: b\ndata: 1\n\n", [(b"1", "b", None, False)]),
    "empty event is message": (b"event:\ndata: 1\n\n", [(b"1", "message", None, False)]),
    "event without data dispatches nothing": (
        b"event: ping\n\ndata: 1\n\n",
        [(None, None, None, False), (b"1", "message", None, False)],
    ),
    "id stays": (
        b"id: 7\ndata: a\n\ndata: b\n\nid\n\ndata: c\n\n",
        [
            (b"a", "message", "7", False),
            (b"b", "message", "7", False),
            (None, None, "", False),
            (b"c", "message", "", False),
        ],
    ),
    "id with nul is ignored": (b"id: 1\0\ndata: a\n\n", [(b"a", "message", None, False)]),
    "retry and unknown fields": (b"retry: 10\nfoo: bar\nDATA: x\ndata: a\n\n", [(b"a", "message", None, False)]),
    "space before the colon": (b"data : x\ndata: a\n\n", [(b"a", "message", None, False)]),
    "unicode line ends are none": (
        "data: a\u2028b\u0085c\u2029\x0b\x0c\n\n".encode(),
        [("a\u2028b\u0085c\u2029\x0b\x0c".encode(), "message", None, False)],
    ),
    "leading blank lines": (
        b"\n\n\ndata: a\n\n\n\ndata: b\n\n\n",
        [
            (b"a", "message", None, False),
            (b"b", "message", None, False),
            (None, None, None, False),
        ],
    ),
    "whole json at the end": (b'data: {"a":1}', [(b'{"a":1}', "message", None, True)]),
    "whole json and a line end": (b'data: {"a":1}\n', [(b'{"a":1}', "message", None, True)]),
    "half json at the end": (b'data: {"a":1', [(None, None, None, True)]),
    "done at the end": (b"data: [DONE] ", [(b"[DONE] ", "message", None, True)]),
    "half a field after whole json": (b'data: {"a":1}\nda', [(b'{"a":1}', "message", None, True)]),
    "error field": (b'error: {"code":500}\n\n', [(b'{"error":{"code":500}}', "error", None, False)]),
    "error field that is no json": (b"error: oops\n\n", [(None, None, None, False)]),
    "error field beside data": (b'error: {"code":500}\ndata: 1\n\n', [(b"1", "message", None, False)]),
}


@pytest.mark.parametrize(("body", "expected"), CASES.values(), ids=CASES)
def test_fields(body, expected):
    for cuts in chunkings(body):
        frames = decode(body, cuts)
        assert fields(frames) == expected
        assert b"".join(frame.raw for frame in frames) == body


def test_strict_mode_drops_the_pending_block_and_knows_no_error_field():
    assert fields(decode(b'data: {"a":1}', strict=True)) == [(None, None, None, True)]
    assert fields(decode(b'error: {"code":500}\n\n', strict=True)) == [(None, None, None, False)]


def test_frame_borders():
    """A CR ends a line at once: the LF that follows it, like blank lines, opens the next frame."""
    frames = decode(b"\n: a\r\n\r\n\ndata: b\n\n")
    assert [frame.raw for frame in frames] == [b"\n: a\r\n\r", b"\n\ndata: b\n\n"]


PIECES = st.sampled_from(
    [b"data: ", b"data:", b"data", b"event: x", b"id: 1", b": c", b"\n", b"\r", b"\r\n", b"\n\n", b"\r\n\r\n",
     b'{"a":1}', b"[DONE]", b"\xef\xbb\xbf", "é😀\u2028".encode(), b"\xff", b"retry: 1", b"\0"]
)  # fmt: skip


@given(st.lists(PIECES, max_size=30).map(b"".join), st.data())
def test_any_chunking_gives_the_same_frames(body, data):
    whole = decode(body)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=8)))
    assert decode(body, cuts) == whole
    assert decode(body, list(range(1, len(body)))) == whole
    assert b"".join(frame.raw for frame in whole) == body


@given(st.lists(PIECES, max_size=20).map(b"".join), st.integers(1, 40), st.data())
def test_limit(body, limit, data):
    """Past a frame over the limit the rest is handed over as bytes, at any chunking, and nothing is lost."""
    whole = decode(body)
    kept = []
    for frame in whole:
        if len(frame.raw) > limit:
            break
        kept.append(frame)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(body)), max_size=8)))
    decoder = SSEDecoder(limit=limit)
    frames, rest, start = [], b"", 0
    for cut in [*cuts, len(body)]:
        frames += decoder.feed(body[start:cut])
        rest += decoder.take_rest()
        start = cut
    frames += decoder.flush()
    assert frames == kept
    assert decoder.overflowed == (len(kept) < len(whole))
    assert b"".join(frame.raw for frame in frames) + rest == body


@pytest.mark.parametrize("size", [1, 100, 300_000])
def test_any_number_of_blank_lines_may_come_before_a_frame(size):
    body = b"\n" * 300_000
    decoder = SSEDecoder()
    frames = [frame for start in range(0, len(body), size) for frame in decoder.feed(body[start : start + size])]
    frames += decoder.feed(b"data: 1\n\n")
    assert fields(frames) == [(b"1", "message", None, False)]
    assert frames[0].raw == body + b"data: 1\n\n"
