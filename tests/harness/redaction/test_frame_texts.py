from __future__ import annotations

import json

import pytest

from agent.sse import SSEDecoder
from harness.redaction.frame_texts import FrameTexts, texts_of, written
from tests.harness.transports import BODIES


def frame(raw, *, ends=False):
    decoder = SSEDecoder()
    frames = decoder.feed(raw) or (decoder.flush() if ends else [])
    return frames[0]


def places(value):
    return [(text.place, text.data.decode("utf-8", "surrogatepass")) for text in texts_of([value])]


def test_the_order_of_the_document():
    value = {"a": "1", "b": {"c": ["2", {"d": "3"}, "4"], "e": "5"}, "f": [["6"], []]}
    assert [text for _, text in places(value)] == ["1", "2", "3", "4", "5", "6"]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": {"b": "x"}}, {"a": {"b": "x"}, "n": 1}, True),
        ({"a": {"b": "x"}}, {"a": {"c": "x"}}, False),
        ({"l": ["", "x"]}, {"l": ["x"]}, False),
        ({"parts": [{"n": 1}, {"text": "x"}]}, {"parts": [{"text": "x"}]}, True),
        ({"parts": [{"text": "x"}]}, {"parts": [{"text": "x", "thought": True}]}, False),
        ({"index": 1, "delta": {"text": "x"}}, {"index": 2, "delta": {"text": "x"}}, False),
        ({"delta": {"text": "x"}}, {"delta": {"text": "x"}, "index": 0}, True),
        ({"content_block": {"text": "x"}}, {"delta": {"text": "x"}}, True),
        ({"message": {"content": "x"}}, {"delta": {"content": [{"text": "x"}]}}, True),
        ({"reasoning": "x"}, {"reasoning_details": [{"text": "x"}]}, True),
        ({"type": 1, "delta": "x"}, {"type": 2, "delta": "x"}, False),
        ({"partialArgs": [{"jsonPath": "$.a", "stringValue": "x"}]},
         {"partialArgs": [{"jsonPath": "$.b", "stringValue": "x"}]}, False),
        ({"calls": [{"index": 0, "f": {"arguments": "x"}}]}, {"calls": [{"index": 1, "f": {"arguments": "x"}}]}, False),
    ],
)  # fmt: skip
def test_places(one, other, same):
    (first,) = [place for place, text in places(one) if text == "x"]
    (second,) = [place for place, text in places(other) if text == "x"]
    assert (first == second) is same


def test_streamed_texts():
    found = {
        text.place: text.streamed for text in texts_of([{"type": "a", "delta": {"text": "b", "partial_json": "c"}}])
    }
    assert found == {".type": False, ".delta.text": True, ".delta.partial_json": True}


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b'data: {"a":"x", "n":1.50}\n\n', b'data: {"a":"y","n":1.5}\n\n'),
        (b'\xef\xbb\xbfdata:{"a":"x"}\r\n: c\r\nid: 7\r\n\r\n', b'\xef\xbb\xbfdata: {"a":"y"}\r\n: c\r\nid: 7\r\n\r'),
        (b'event: e\ndata: {"a":\ndata: "x"}\nretry: 1\n\n', b'event: e\ndata: {"a":"y"}\nretry: 1\n\n'),
        (b"data: x\n\n", b"data: y\n\n"),
        (b"data: x1\ndata\ndata: x2\n\n", b"data: y\n\n"),
        (b'error: {"a":"x"}\n\n', b'error: {"a":"y"}\n\n'),
        (b'data: {"a":"x","b":12345678901234567890123}\n\n', b'data: {"a":"y","b":12345678901234567890123}\n\n'),
        (b'data: {"a":"x","b":"\\ud83d"}\n\n', b'data: {"a":"y","b":"\\ud83d"}\n\n'),
        (b'data: {"b":["x"]} \n\n', b'data: {"b":["y"]}\n\n'),
    ],
)
def test_frames_written_anew(raw, expected):
    found = FrameTexts(frame(raw))
    next(text for text in found.texts if text.data.startswith(b"x")).set(b"y")
    assert found.raw() == expected
    assert len(SSEDecoder().feed(expected)) == 1


@pytest.mark.parametrize("raw", [b": comment\n\n", b"\n\n", b"event: ping\n\n", b"data\n\n", b"id: 1\n\n"])
def test_frames_without_texts(raw):
    found = FrameTexts(frame(raw, ends=True))
    assert [text for text in found.texts if text.data] == []


@pytest.mark.parametrize("rest", [b'"', b'"}', b'"},"n', b"", b"\\", b"\\u00"])
def test_a_frame_that_the_stream_ended_in(rest):
    found = FrameTexts(frame(b'data: {"d":{"text":"x' + rest, ends=True))
    assert [(text.place, text.data) for text in found.texts] == [(".d.text", b"x")]
    found.texts[0].set(b"y")
    assert found.raw() == b'data: {"d":{"text":"y' + rest


def test_names_and_other_lines():
    found = FrameTexts(frame(b'event: ab\nid: cb\ndata: {"ab":{"b":"b"}}\n\n'))

    def change(text):
        return text.replace(b"b", b"xx")

    assert found.change_names(change)
    assert found.change_lines(change)
    assert found.raw() == b'event: axx\nid: cxx\ndata: {"axx":{"xx":"b"}}\n\n'
    assert not found.change_names(bytes)
    assert not found.change_lines(bytes)


@pytest.mark.parametrize("body", BODIES, ids=range(len(BODIES)))
def test_fixtures_keep_their_values(body):
    for each in SSEDecoder().feed(body):
        found = FrameTexts(each)
        for text in found.texts:
            text.set(text.data)
        if each.data is not None:
            (again,) = SSEDecoder().feed(found.raw())
            try:
                value = json.loads(each.data)
            except ValueError:
                assert again.data == each.data
            else:
                assert json.loads(again.data) == value
            assert again.event == each.event


def test_depth():
    value = current = []
    for _ in range(5000):
        current.append([])
        current = current[0]
    current.append("x")
    assert len(list(texts_of([value]))) == 1
    assert written(value).startswith(b"[[[")
