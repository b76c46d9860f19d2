from __future__ import annotations

import pytest

from agent.sse import SSEDecoder
from harness.redaction.frame_data import change_other_lines, data_of, with_data

FRAMES = {
    "plain": (b"data: a\n\n", b"a"),
    "two-lines": (b"data: a\ndata: b\n\n", b"a\nb"),
    "no-space": (b"data:a\n\n", b"a"),
    "two-spaces": (b"data:  a\n\n", b" a"),
    "crlf": (b"event: x\r\ndata: a\r\nid: 1\r\n\r\n", b"a"),
    "cr": (b"data: a\rdata: b\r\r", b"a\nb"),
    "name-alone": (b"data\n\n", b""),
    "bom": (b"\xef\xbb\xbfdata: a\n\n", b"a"),
    "unterminated": (b"event: x\ndata: a", b"a"),
    "no-data": (b": data: a\nevent: x\n\n", None),
    "other-names": (b"database: 1\ndata x: 2\n Data: 3\n\n", None),
}


@pytest.mark.parametrize(("raw", "data"), FRAMES.values(), ids=FRAMES)
def test_data_of_a_frame(raw, data):
    assert data_of(raw) == data
    if raw.endswith((b"\n", b"\r")):
        decoder = SSEDecoder()
        frames = [frame for frame in (*decoder.feed(raw), *decoder.flush()) if frame.data is not None]
        assert [frame.data for frame in frames] == ([] if data is None else [data])


@pytest.mark.parametrize("new", [b"[1]", b"x\ny", b""])
@pytest.mark.parametrize(("raw", "data"), FRAMES.values(), ids=FRAMES)
def test_other_data_in_the_same_frame(raw, data, new):
    again = with_data(raw, new)
    assert data_of(again) == (None if data is None else new)
    assert change_other_lines(again, lambda line: b"").replace(b"\r\n", b"\n").count(b"event") == 0
    if data is not None:
        assert with_data(again, data) == raw or raw.count(b"data") > 1 or b"\n" in new or raw == b"data\n\n"


def test_only_the_other_lines_change():
    raw = b"event: a\r\ndata: a\r\n: a\r\n\r\n"
    assert change_other_lines(raw, lambda line: line.replace(b"a", b"b")) == b"event: b\r\ndata: a\r\n: b\r\n\r\n"
