from __future__ import annotations

import pytest

from harness.sweep.cases import Cut, Drop, Swap
from harness.sweep.minimize import minimize
from harness.sweep.streams import make_stream
from tests.harness.sweep.swept import SSE, chat

LONG = chat(*({"content": f"word {number}"} for number in range(40)))


def holds(*needles):
    """Breaks while what comes off the wire holds all of these."""

    def breaks(stream, case):
        body = b"".join(case.answer(stream).chunks)
        return "found" if all(needle in body for needle in needles) else None

    return breaks


def test_only_the_frames_that_matter_are_left():
    small = minimize(LONG, Cut(38, 0, "eof"), holds(b"word 3", b"word 17"))
    assert [*small.stream.pieces] == [LONG.pieces[3], LONG.pieces[17]]
    assert small.case.frame <= 2
    assert small.reason == "found"


def test_the_frame_of_the_case_stays():
    small = minimize(LONG, Drop(20, "reset"), lambda stream, case: "always")
    assert small.stream.pieces == (LONG.pieces[20],)
    assert small.case == Drop(0, "reset")
    small = minimize(LONG, Swap(5, 30, "eof"), lambda stream, case: "always")
    assert small.stream.pieces == (LONG.pieces[5], LONG.pieces[30])


def test_the_cut_moves_forward():
    def breaks(stream, case):
        return "late" if case.offset >= 13 else None

    small = minimize(LONG, Cut(2, 50, "eof"), breaks)
    assert 13 <= small.case.offset < 50
    assert len(small.stream.pieces) == 1


def test_a_plain_body_stays_as_it_is():
    body = make_stream("openai-chat", b'{"choices": []}', [("content-type", "application/json")])
    small = minimize(body, Cut(0, 5, "eof"), lambda stream, case: "always")
    assert (small.stream.pieces, small.case) == (body.pieces, Cut(0, 0, "eof"))


@pytest.mark.parametrize("frames", [0, 1, 2, 3])
def test_streams_of_few_frames(frames):
    stream = make_stream("openai-chat", b"data: {}\n\n" * frames, SSE)
    assert minimize(stream, Cut(0, 0, "eof"), lambda stream, case: "always").stream.pieces == ()


def test_a_case_that_breaks_only_beside_others_is_said_to():
    small = minimize(LONG, Cut(3, 0, "eof"), lambda stream, case: None)
    assert (small.stream.pieces, small.case) == (LONG.pieces, Cut(3, 0, "eof"))
    assert "by itself" in small.reason
