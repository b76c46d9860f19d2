"""The rules that all decoders share: surrogate halves, held calls, end marks, failures."""

from __future__ import annotations

import pytest

from agent.events import End, Error, Reasoning, Text, ToolCall, UsageEvent
from agent.jsonio import dumps
from agent.providers.base import Decoder, parse_arguments
from agent.sse import Frame


class Plain(Decoder):
    """A wire format that says what it does: `{"text": ...}`, `{"call": [id, name, arguments]}`, `{"end": reason}`."""

    def _payload(self, payload, raw):
        if "text" in payload:
            self._text(payload["text"])
        if "reasoning" in payload:
            self._reasoning(payload["reasoning"])
        if "call" in payload:
            self._tool_call(*payload["call"])
        if "fail" in payload:
            self._fail(Error(payload["fail"], "overloaded", True))
        if "end" in payload:
            self._end(payload["end"], payload["end"])


def run(*payloads, end=End(), **options):
    decoder = Plain(**options)
    events = []
    for payload in payloads:
        data = payload if isinstance(payload, bytes) else dumps(payload)
        events += decoder.feed(Frame(b"", data))
    return [*events, *decoder.finish(end)]


def closing(stop, *, complete=True, raw=None):
    return UsageEvent(None, None, stop, raw, complete)


STOP = {"end": "stop"}
STOPPED = closing("stop", raw="stop")
HIGH, LOW = b"\\ud83d", b"\\ude00"

SURROGATES = {
    "joined over two pieces": ([b'{"text":"a%s"}' % HIGH, b'{"text":"%sb"}' % LOW, STOP], [Text("a"), Text("😀b")]),
    "joined over an empty piece": ([b'{"text":"%s"}' % HIGH, b'{"text":"%s"}' % LOW, STOP], [Text("😀")]),
    "lone at the end": ([b'{"text":"a%s"}' % HIGH, STOP], [Text("a"), Text("\ufffd")]),
    "lone before other text": ([b'{"text":"%s"}' % HIGH, {"text": "b"}, STOP], [Text("\ufffdb")]),
    "lone low half": ([b'{"text":"%sa"}' % LOW, STOP], [Text("\ufffda")]),
    "not joined over kinds": (
        [b'{"text":"%s"}' % HIGH, b'{"reasoning":"%s"}' % LOW, STOP],
        [Text("\ufffd"), Reasoning("\ufffd")],
    ),
}


@pytest.mark.parametrize(("payloads", "expected"), SURROGATES.values(), ids=SURROGATES)
def test_surrogate_halves(payloads, expected):
    assert run(*payloads) == [*expected, STOPPED]


def test_a_call_settles_a_half():
    events = run(b'{"text":"%s"}' % HIGH, {"call": ["1", "f", "{}"]}, STOP)
    assert events == [Text("\ufffd"), ToolCall("1", "f", {}), closing("tool_calls", raw="stop")]


def test_blank_arguments_hold_back_what_follows_until_the_end_is_known():
    decoder = Plain()
    assert decoder.feed(Frame(b"", dumps({"call": ["1", "f", " "]}))) == []
    assert decoder.feed(Frame(b"", dumps({"call": ["2", "g", '{"x":1}']}))) == []
    assert decoder.feed(Frame(b"", dumps(STOP))) == []
    first, second, usage = decoder.finish()
    assert (first, second) == (ToolCall("1", "f", {}), ToolCall("2", "g", {"x": 1}))
    assert usage.stop_reason == "tool_calls"


@pytest.mark.parametrize(
    ("last", "end"),
    [({}, End()), ({"end": "length"}, End()), ({"fail": "no"}, End()), ({}, End("closed"))],
    ids=["cut", "length", "error", "closed"],
)
def test_blank_arguments_of_any_other_end_are_unparsed(last, end):
    call = next(event for event in run({"call": ["1", "f", ""]}, last, end=end) if isinstance(event, ToolCall))
    assert (call.unparsed, call.input) == (True, {"_raw": ""})


def test_a_missing_id_is_made_from_call_and_position():
    events = run({"call": ["a", "f", "{}"]}, {"call": ["", "f", "{}"]}, {"call": [None, "f", {}]}, STOP, call=7)
    assert [(event.id, event.synthetic_id) for event in events[:3]] == [
        ("a", False),
        ("call_7_1", True),
        ("call_7_2", True),
    ]


def test_only_the_first_failure_is_told_and_text_before_it_stays():
    events = run({"text": "a"}, {"fail": "one"}, {"fail": "two"}, STOP)
    assert events == [Text("a"), Error("one", "overloaded", True), closing("error", complete=False, raw="stop")]


def test_endings():
    assert run({"text": "a"}, end=End("closed")) == [Text("a"), closing("cancelled", complete=False)]
    assert [type(event) for event in run({"text": "a"})] == [Text, Error, UsageEvent]
    assert run(STOP, end=End("error", "ReadError", "x")) == [STOPPED]


def test_what_is_no_object_is_counted():
    decoder = Plain()
    for data in (b"nonsense", b"1", b"[]", b"null"):
        assert decoder.feed(Frame(b"", data)) == []
    assert decoder.feed(Frame(b"", b" [DONE] ")) == []
    assert decoder.feed(Frame(b"", None)) == []
    assert decoder.malformed == 4


ARGUMENTS = {
    "an object": ('{"a": 1}', {"a": 1}, False),
    "big numbers stay exact": ('{"a": 123456789012345678901}', {"a": 123456789012345678901}, False),
    "a lone surrogate": ('{"a": "\\ud83d"}', {"a": "\ufffd"}, False),
    "an array": ("[1]", {"_raw": "[1]"}, True),
    "half": ('{"a": ', {"_raw": '{"a": '}, True),
    "a string": ('"a"', {"_raw": '"a"'}, True),
}


@pytest.mark.parametrize(("text", "value", "unparsed"), ARGUMENTS.values(), ids=ARGUMENTS)
def test_arguments(text, value, unparsed):
    assert parse_arguments(text) == (value, unparsed)
