from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.sse import SSEDecoder
from harness.recording.cuts import cuts_for, rebuild_chunks, timed_chunks


@pytest.mark.parametrize(
    ("chunks", "frames", "cuts"),
    [
        ([5], [5], [None]),
        ([5, 6], [5, 6], [None, None]),
        ([11], [5, 6], [[], None]),
        ([3, 2], [5], [[3, 5]]),
        ([3, 8], [5, 6], [[3], None]),
        ([1, 1, 1, 8], [5, 6], [[1, 2, 3], None]),
        ([7, 4], [5, 6], [[], [2, 6]]),
        ([0, 5, 0], [5], [None]),
        ([], [], []),
    ],
)
def test_cuts_for(chunks, frames, cuts):
    assert cuts_for(chunks, frames) == cuts


def test_times():
    parts = [
        (b"abcde", [1, 3], (0.1, 0.2), 0.3),
        (b"fg", [1, 2], (0.4,), 0.5),
        (b"hi", None, (), 0.6),
        (b"j", [], (), 0.7),
    ]
    assert timed_chunks(parts) == [(0.1, b"a"), (0.2, b"bc"), (0.4, b"def"), (0.5, b"g"), (0.6, b"hi"), (0.7, b"j")]


def test_cuts_that_redaction_moved_lose_no_byte():
    assert rebuild_chunks([(b"abc", [2, 3, 3]), (b"", []), (b"de", [2, 1])]) == [b"ab", b"c", b"de"]


streams = st.lists(
    st.sampled_from(
        [b"data: x", b"\n", b"\r", b"\r\n", b"\n\n", b"event: e", b": c", b"\xef\xbb\xbf", "é😀".encode(), b"\xff"]
    )
).map(b"".join)


@given(streams | st.binary(max_size=60), st.data())
def test_frames_and_cuts_give_back_the_chunks(body, data):
    decoder = SSEDecoder()
    chunks, frames, start = [], [], 0
    while start < len(body):
        size = data.draw(st.integers(1, 12))
        chunks.append(body[start : start + size])
        frames += decoder.feed(chunks[-1])
        start += size
    frames += decoder.flush()
    raws = [frame.raw for frame in frames]
    assert b"".join(raws) == body
    cuts = cuts_for(map(len, chunks), map(len, raws))
    assert rebuild_chunks(zip(raws, cuts, strict=True)) == chunks
