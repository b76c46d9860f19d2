from __future__ import annotations

import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.tools.text import SNIFFED, Capture, decode, is_binary


@given(st.lists(st.binary(max_size=40)), st.integers(1, 30), st.integers(1, 30))
def test_head_and_tail_are_the_first_and_last_bytes(chunks, head, tail):
    whole = b"".join(chunks)
    capture = Capture(head, tail)
    for chunk in chunks:
        capture.add(chunk)
    left_out = max(0, len(whole) - head - tail)
    assert capture.total == len(whole)
    assert capture.left_out == left_out
    assert capture.data() == (whole if not left_out else whole[:head] + whole[-tail:])


@given(st.text(), st.integers(1, 30), st.integers(1, 30))
def test_text_cuts_no_character(text, head, tail):
    capture = Capture(head, tail)
    for byte in text.encode():
        capture.add(bytes([byte]))
    assert "\ufffd" not in capture.text() or "\ufffd" in text
    if not capture.left_out:
        assert capture.text() == text


def test_what_was_left_out_is_told():
    capture = Capture(3, 3)
    capture.add(b"abc" + b"x" * 5000 + b"def")
    assert capture.text() == "abc\n[... 5,000 bytes left out ...]\ndef"


@pytest.mark.parametrize("size", [1, 1000, 1 << 20])
def test_memory_does_not_grow_with_the_stream(size):
    capture = Capture(1000, 1000)
    chunk = b"x" * size
    tracemalloc.start()
    for _ in range(max(20, 20_000 // size)):
        capture.add(chunk)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept < 200_000


def test_binary_is_a_nul_near_the_beginning():
    assert is_binary(b"ab\0")
    assert not is_binary(b"a" * SNIFFED + b"\0")
    assert not is_binary(b"")
    assert decode(b"\xff\xc3\xa9") == "\ufffdé"
