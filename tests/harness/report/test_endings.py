from __future__ import annotations

import pytest

import harness
from harness.recording.bodies import BodyLog
from harness.recording.records import call_end_record
from harness.report.endings import CALL_ENDINGS, call_ending, recording_ending
from tests.harness.report.session import call, error, session, usage, write

WHOLE, CUT = usage(), usage(None, "truncated", False)
CUT_SHORT = error("truncated_stream")


def reset(name="ReadError", message="gone"):
    return call_end_record(0, "error", 1, error=(name, message))


CLOSED = call_end_record(0, "closed", 1)

CASES = {
    "complete": ([WHOLE], {}, ("complete", None)),
    "complete and closed": ([WHOLE], {"end": CLOSED}, ("complete", "then closed by the client")),
    "complete and reset": ([WHOLE], {"end": reset()}, ("complete", "then ReadError: gone")),
    "cut": ([CUT_SHORT, CUT], {}, ("truncated", None)),
    "cut, without an error": ([CUT], {}, ("truncated", None)),
    "reset": ([CUT_SHORT, CUT], {"end": reset(message="")}, ("reset", "ReadError")),
    "reset without a name": ([CUT], {"end": reset("", "")}, ("reset", "an error without a name")),
    "timeout": ([CUT_SHORT, CUT], {"end": reset("ReadTimeout")}, ("timeout", "ReadTimeout: gone")),
    "closed": ([CUT], {"end": CLOSED}, ("cancelled", None)),
    "no response": ([error("network"), CUT], {"status": None, "end": reset()}, ("no_response", "ReadError: gone")),
    "closed before a response": ([CUT], {"status": None, "end": CLOSED}, ("cancelled", None)),
    "HTTP error": ([error(), CUT], {"status": 429}, ("http_error", None)),
    "error in the stream": ([error(), CUT], {}, ("stream_error", None)),
    "unknown format": ([], {"wire": None}, ("ended", None)),
    "died": ([], {"end": {}}, ("not_closed", None)),
}


@pytest.mark.parametrize(("events", "fields", "ending"), CASES.values(), ids=CASES)
def test_call(tmp_path, events, fields, ending):
    records = [session()[0], *call(BodyLog(), 0, events, **fields)]
    recording = harness.open(write(tmp_path / "x.jsonl", [{"t": 0.0, **record} for record in records]))
    assert call_ending(recording.calls[0]) == ending


def test_every_word_has_a_case():
    assert {ending[0] for _, _, ending in CASES.values()} == set(CALL_ENDINGS)


@pytest.mark.parametrize(
    ("end", "stop", "ending"),
    [
        (None, "stop", "not closed"),
        ({"status": "ok"}, "length", "length"),
        ({"status": "ok"}, None, "ok"),
        ({"status": "error"}, "stop", "error"),
        ({"status": "cancelled"}, None, "cancelled"),
        ({}, "stop", "?"),
    ],
)
def test_recording(end, stop, ending):
    assert recording_ending(end, stop) == ending
