from __future__ import annotations

import pytest

from harness.redaction.scan_texts import CallTexts, place_of, texts_of


@pytest.mark.parametrize(
    ("record", "place"),
    [
        ({"kind": "header"}, "header"),
        ({"kind": "turn", "turn": 1}, "turn 1"),
        ({"kind": "frame", "call": 2, "i": 3}, "frame 3 of call 2"),
        ({"kind": "request", "call": 2, "turn": 0}, "request of call 2"),
        ({"kind": "loop", "turn": 0}, "loop of turn 0"),
        ({"kind": "frame", "call": "x", "i": None}, "frame"),
    ],
)
def test_a_record_in_words(record, place):
    assert place_of(record) == place


@pytest.mark.parametrize(
    ("record", "texts"),
    [
        ({"kind": "turn", "input": "a", "tools": [{"b": ["c", 1, None]}]}, {b"turn", b"a", b"b", b"c"}),
        ({"kind": "frame", "raw": 'data: {"x":"a\\"b"}\n\n'}, {b"x", b'a"b'}),
        ({"kind": "frame", "raw": "data: word\n\n"}, {b"data: word\n\n"}),
        ({"kind": "body", "raw": '{"x":"y"}'}, {b"x", b"y"}),
        ({"kind": "body", "raw_b64": "not base64!"}, {b"body", b"raw_b64", b"not base64!"}),
    ],
)
def test_texts_of_a_record(record, texts):
    assert texts <= set(texts_of(record))


def test_texts_of_a_call():
    texts = CallTexts()
    texts.add(1, {"kind": "frame", "raw": 'data: {"d":"a"}\n\n'})
    texts.add(2, {"kind": "event", "event": {"type": "text", "text": "a"}})
    texts.add(3, {"kind": "event", "event": {"type": "tool_call", "name": "x"}})
    texts.add(4, {"kind": "frame", "raw": 'data: {"d":"b"}\n\n'})
    texts.add(5, {"kind": "frame", "raw": ": ping\n\n"})
    texts.add(6, {"kind": "event", "event": None})
    texts.add(7, {"kind": "frame", "raw": 5})
    found = dict(texts.joined())
    assert found["d"] == [(1, b"a"), (4, b"b")]
    assert found["text"] == [(2, b"a")]
    assert [line for line, _ in found["bytes"]] == [1, 4, 5]
