from __future__ import annotations

import pytest

from agent.events import EOF
from harness.sweep.cases import (
    ENDINGS,
    Chunks,
    Corrupt,
    Cut,
    Double,
    Drop,
    Fail,
    Leave,
    Slow,
    Status,
    Swap,
    Whole,
)
from harness.sweep.marks import MARKS
from tests.harness.sweep.swept import chat

STREAM = chat({"content": "a"}, {"content": "b"})
A, B, STOP, DONE = STREAM.pieces


@pytest.mark.parametrize(
    ("case", "chunks", "end"),
    [
        (Whole(), (A, B, STOP, DONE), EOF),
        (Cut(1, 5, "reset"), (A, B[:5]), ENDINGS["reset"]),
        (Cut(1, 0, "closed"), (A, b""), ENDINGS["closed"]),
        (Cut(4, 0, "timeout"), (A, B, STOP, DONE, b""), ENDINGS["timeout"]),
        (Drop(0, "eof"), (B, STOP, DONE), EOF),
        (Double(3), (A, B, STOP, DONE, DONE), EOF),
        (Swap(0, 2, "eof"), (STOP, B, A, DONE), EOF),
        (Corrupt(0, 0, 0x21, "reset"), (b"!" + A[1:], B, STOP, DONE), ENDINGS["reset"]),
        (Fail(1), (A, MARKS["openai-chat"].failure, B, STOP, DONE), EOF),
        (Leave(3), (A, B, STOP, DONE), EOF),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_what_comes_off_the_wire(case, chunks, end):
    answer = case.answer(STREAM)
    assert (answer.chunks, answer.end, answer.status, answer.headers) == (chunks, end, 200, STREAM.headers)


def test_chunks_are_the_same_bytes():
    for case in (Chunks(1), Chunks(7), Chunks(10**6), Chunks(at=(1, 5, 5, 9))):
        chunks = case.answer(STREAM).chunks
        assert b"".join(chunks) == STREAM.body
        assert all(chunks)
    assert [len(chunk) for chunk in Chunks(at=(1, 5)).answer(STREAM).chunks][:2] == [1, 4]
    assert Chunks(3).answer(chat(stop=None, done=False)).chunks == ()


def test_an_http_error_and_a_slow_stream():
    assert Status(529).answer(STREAM).status == 529
    answer = Slow(2, 1.5).answer(STREAM)
    assert (answer.chunks, answer.late_from, answer.silence) == (STREAM.pieces, 2, 1.5)


@pytest.mark.parametrize(
    ("case", "moved"),
    [
        (Cut(3, 2, "eof"), {0: Cut(2, 2, "eof"), 3: None, 5: Cut(3, 2, "eof")}),
        (Cut(3, 0, "eof"), {3: Cut(3, 0, "eof")}),
        (Drop(1, "eof"), {0: Drop(0, "eof"), 1: None}),
        (Double(1), {1: None, 2: Double(1)}),
        (Swap(1, 4, "eof"), {0: Swap(0, 3, "eof"), 1: None, 2: Swap(1, 3, "eof"), 4: None}),
        (Corrupt(1, 2, 3, "eof"), {0: Corrupt(0, 2, 3, "eof"), 1: None}),
        (Fail(1), {0: Fail(0), 1: Fail(1)}),
        (Slow(1, 2.0), {0: Slow(0, 2.0), 1: Slow(1, 2.0)}),
        (Whole(), {0: Whole()}),
        (Chunks(2), {0: Chunks(2)}),
        (Status(500), {0: Status(500)}),
        (Leave(1), {0: Leave(1)}),
    ],
    ids=lambda value: getattr(value, "kind", ""),
)
def test_the_same_case_without_a_frame(case, moved):
    assert {frame: case.without(frame) for frame in moved} == moved


def test_every_case_says_what_it_did():
    cases = [Cut(3, 2, "eof"), Cut(3, 0, "eof"), Chunks(2), Chunks(at=(1,)), Status(500), Status(500, True), Slow(1, 2)]
    said = [case.says() for case in cases]
    assert said == [
        "cut in frame 3 after 2 bytes, eof", "cut before frame 3, eof", "in chunks of 2 bytes", "in 2 chunks",
        "HTTP 500 in its place", "HTTP 500 in its place and in that of each retry",
        "each frame from 1 on 2 s late",
    ]  # fmt: skip
