from __future__ import annotations

from collections import Counter

import pytest

from harness.sweep.plan import EVERY_BYTE, SAMPLE, Plan, cut_offsets, mutations, turn_cases, turn_cuts
from harness.sweep.streams import make_stream
from tests.harness.sweep.swept import SSE, chat, frame

TEXT = chat({"content": "a"}, {"content": "é" * 40}, {"content": "b"})


def source(seed=0):
    return Plan(seed).source("place")


@pytest.mark.parametrize(
    ("sample", "size", "cuts"),
    [
        (None, EVERY_BYTE, None), (None, EVERY_BYTE + 1, SAMPLE), (0, 10**9, None), (7, 5, 7), (7, 10**9, 7),
    ],
)  # fmt: skip
def test_how_many_cuts_a_file_gets(sample, size, cuts):
    assert Plan(0, sample).cuts_of(size) == cuts


def test_every_byte():
    offsets = cut_offsets(TEXT, None, source())
    assert [list(inside) for inside in offsets] == [*(list(range(len(piece))) for piece in TEXT.pieces), [0]]
    assert cut_offsets(TEXT, len(TEXT.body), source()) == offsets


def test_a_sample_holds_every_border_and_some_cuts_inside_characters():
    offsets = cut_offsets(TEXT, 12, source())
    assert all(inside[0] == 0 for inside in offsets)
    assert sum(len(inside) - 1 for inside in offsets) <= 12
    assert any(TEXT.pieces[1][at] & 0xC0 == 0x80 for at in offsets[1][1:])


@pytest.mark.parametrize("make", [mutations, lambda stream, source: turn_cases(stream, source, 300.0)])
def test_the_same_seed_gives_the_same_cases(make):
    assert [*make(TEXT, source(3))] == [*make(TEXT, source(3))]
    assert [*make(TEXT, source(3))] != [*make(TEXT, source(4))]


def test_every_kind_of_case():
    kinds = Counter(case.kind for case in mutations(TEXT, source()))
    assert {*kinds} == {"whole", "chunks", "status", "drop", "double", "swap", "corrupt", "fail"}
    assert kinds["drop"] == kinds["double"] == len(TEXT.pieces)
    assert {case.kind for case in turn_cases(TEXT, source(), 300.0)} == {*kinds} - {"whole"} | {"slow"}


def test_an_error_comes_no_later_than_the_end_mark():
    assert [case.frame for case in mutations(TEXT, source()) if case.kind == "fail"] == [0, 1, 2, 3]


def test_a_frame_that_is_not_ended_is_not_doubled():
    stream = make_stream("openai-chat", TEXT.body + b'data: {"usage": {}}', SSE)
    doubled = [case.frame for case in mutations(stream, source()) if case.kind == "double"]
    assert doubled == [*range(len(stream.pieces) - 1)]


def test_a_plain_body_and_nothing_at_all():
    body = make_stream("openai-chat", b'{"choices": []}', [("content-type", "application/json")])
    assert {case.kind for case in mutations(body, source())} == {"whole", "chunks", "status", "corrupt"}
    nothing = make_stream("openai-chat", b"", SSE)
    assert {case.kind for case in mutations(nothing, source())} == {"whole", "chunks", "status"}
    assert [list(inside) for inside in cut_offsets(nothing, None, source())] == [[0]]


def test_a_huge_stream_gets_fewer_cases():
    huge = make_stream("openai-chat", frame({"x": "a" * 10_000}) * 1000, SSE)
    assert sum(1 for _ in mutations(huge, source())) < 30
    assert len(turn_cuts(huge, source())) <= 3
    assert len(turn_cuts(TEXT, source())) == 3 * len(TEXT.pieces) + 1
