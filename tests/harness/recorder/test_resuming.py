"""Recordings that are gone on with: what the appended part takes from the file, and who reads it."""

from __future__ import annotations

import json

import pytest

import harness
from harness.errors import NewerVersion, RecordingError, UnreadableRecording
from harness.recorder.recorder import Recorder
from harness.recorder.resuming import Past
from harness.recording.reader import RecordReader
from harness.redaction.redactor import Redactor
from tests.harness.sessions import LOOK, Turn, chat, record
from tests.harness.transports import BODY, URL, Reply, Scripted, comparable, family, recorder, records
from tests.harness.turns import ANSWER, EARLIER, LEFT, LOOKS, TURNS

DONE = b'data: {"choices":[{"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
KEY = "sk-test-0123456789abcdefghijklmnop"
TOLD = Turn([LOOKS, ANSWER], history=EARLIER)
LONGER = TOLD.but(history=[*EARLIER, *EARLIER])
SESSION = [TURNS["tool"], TOLD, LONGER, TURNS["400"], LEFT["in a tool"], LEFT["waiting for a chunk"], LONGER]


def plain(path):
    """The records without what tells where the session was broken off."""
    found = [record for record in comparable(path) if record["kind"] not in ("resume", "end")]
    return [{name: value for name, value in record.items() if name != "seq"} for record in found]


@pytest.mark.parametrize("border", range(1, len(SESSION)))
def test_an_appended_session_is_as_one_that_was_recorded_at_once(tmp_path, border):
    at_once = record(tmp_path / "one.jsonl", *SESSION)
    path = record(tmp_path / "two.jsonl", *SESSION[:border])
    before = path.read_bytes()
    record(path, *SESSION[border:], append=True)
    assert path.read_bytes().startswith(before)
    assert plain(path) == plain(at_once)
    one, two = records(at_once)[-1], records(path)[-1]
    assert {**one, "seq": 0, "t": 0} == {**two, "seq": 0, "t": 0}


def test_the_records_of_the_border(tmp_path):
    path = record(tmp_path / "r.jsonl", TURNS["tool"])
    for _ in range(3):
        record(path, TURNS["text"], append=True)
    found = records(path)
    assert [r["kind"] for r in found if r["kind"] in ("header", "resume", "end")] == [
        "header", "end", *["resume", "end"] * 3,
    ]  # fmt: skip
    assert [r["seq"] for r in found] == [*range(len(found))]
    times = [r["t"] for r in found if r["kind"] in ("turn", "request", "resume", "end")]
    assert times == sorted(times)
    assert [(r["calls"], r["turns"]) for r in found if r["kind"] == "end"] == [(2, 1), (3, 2), (4, 3), (5, 4)]
    assert all(r["started_at"].endswith("Z") for r in found if r["kind"] == "resume")
    recording = harness.open(path, strict=True)
    assert recording.warnings == []
    assert [turn.number for turn in recording.turns] == [0, 1, 2, 3]
    assert [call.number for call in recording.calls] == [0, 1, 2, 3, 4]
    assert (len(recording.resumes), recording.end["calls"]) == (3, 5)


def test_what_was_sent_before_is_referred_to(tmp_path):
    body = {"model": "m", "messages": [{"role": "user", "content": "x" * 100}], "tools": [{"name": "y" * 100}]}
    path = tmp_path / "r.jsonl"
    for append in (False, True, True):
        body["messages"] = [*body["messages"], {"role": "user", "content": f"{append} {'z' * 100}"}]
        with recorder(path, append=append) as made:
            transport = made.transport(Scripted([Reply([DONE])]))
            family("httpx").Client(transport=transport).post(URL, content=json.dumps(body).encode())
    same = [r.get("same") for r in records(path) if r["kind"] == "request"]
    assert same[0] is None
    assert same[1] == {"tools": 0, "messages": [[0, 0, 2], {"new": [body["messages"][2]]}]}
    assert same[2] == {"tools": 0, "messages": [[1, 0, 3], [1, 2, 3]]}
    assert harness.open(path).calls[2].request.body == body


def test_placeholders_go_on(tmp_path):
    path = tmp_path / "r.jsonl"
    for append, letter in ((False, "a"), (True, "b"), (True, "c")):
        text = {"messages": [{"role": "user", "content": f"{KEY}{letter} and {KEY}{letter}"}]}
        with recorder(path, append=append) as made:
            transport = made.transport(Scripted([Reply([DONE])]))
            family("httpx").Client(transport=transport).post(URL, content=json.dumps(text).encode())
    texts = [call.request.body["messages"][0]["content"] for call in harness.open(path).calls]
    assert texts == [f"[redacted:openai:{n}] and [redacted:openai:{n}]" for n in (1, 2, 3)]


def test_placeholders_are_seen_over_the_borders_of_blocks(tmp_path, monkeypatch):
    path = record(tmp_path / "r.jsonl", Turn([ANSWER], input=f"mine is {KEY}"))
    size = path.read_bytes().index(b"[redacted:openai:1]") + 9
    monkeypatch.setattr("harness.recording.lines.BLOCK", size)
    redactor = Redactor()
    Past(redactor).read(path)
    assert redactor.text(KEY) == "[redacted:openai:2]"


TORN = {
    "inside a frame": lambda data: data[: data.rindex(b'"kind":"frame"') + 40],
    "inside the end": lambda data: data[:-9],
    "without its line feed": lambda data: data[:-1],
    "with NUL bytes": lambda data: data[: data.rindex(b'"kind":"call_end"') + 20] + bytes(5000),
    "inside a character": lambda data: data[: data.rindex("é".encode()) + 1],
    "inside the turn": lambda data: data[: data.index(b'"kind":"turn"') + 30],
    "inside the header": lambda data: data[:30],
}


@pytest.mark.parametrize("tear", TORN.values(), ids=TORN)
def test_a_torn_tail(tmp_path, tear):
    path = record(tmp_path / "r.jsonl", Turn([chat("caf", "é", "s")]))
    path.write_bytes(tear(path.read_bytes()))
    record(path, LEFT["between deltas"], TURNS["parallel"], append=True)
    recording = harness.open(path, strict=True)
    assert recording.warnings == []
    assert recording.turns[-1].loop[-1]["event"] == "done"
    assert recording.end["calls"] == len(recording.calls)
    assert [*RecordReader(path, strict=True)]
    assert [turn.number for turn in recording.turns] == [*range(len(recording.turns))]


REFUSED = {
    "missing": (None, RecordingError, "No such file"),
    "newer": (b'{"kind":"header","seq":0,"t":0,"format":"trajectory","version":2}\n{"to', NewerVersion, "pip install"),
    "a text": (b"some notes\nwithout a line feed at their end", UnreadableRecording, "not a recording"),
    "one line": (b"some notes", UnreadableRecording, "not a recording"),
    "JSON": (b'{"a":1}', UnreadableRecording, "not a recording"),
    "gzip": (b"\x1f\x8b\x08\x00", RecordingError, "compressed"),
}


@pytest.mark.parametrize(("data", "error", "says"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_appended_to_stays_as_it_was(tmp_path, data, error, says):
    path = tmp_path / "r.jsonl"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(error, match=says):
        Recorder(path, append=True)
    assert (path.read_bytes() if data is not None else None) == data
    assert path.exists() == (data is not None)


@pytest.mark.parametrize("data", [b"", b"\n\n", b'{"kind":"hea'], ids=["empty", "blank", "torn"])
def test_a_file_without_a_record_begins_anew(tmp_path, data):
    path = tmp_path / "r.jsonl"
    path.write_bytes(data)
    record(path, TURNS["text"], append=True)
    assert plain(path) == plain(record(tmp_path / "new.jsonl", TURNS["text"]))


def test_a_damaged_recording_is_gone_on_with(tmp_path):
    path = record(tmp_path / "r.jsonl", *SESSION[:3])
    lines = path.read_bytes().splitlines(keepends=True)
    number = next(i for i, line in enumerate(lines) if b'"kind":"request"' in line)
    path.write_bytes(b"".join([*lines[:number], b"{broken\n", *lines[number + 1 :]]))
    record(path, LONGER, append=True)
    recording = harness.open(path)
    assert {fault.what for fault in recording.warnings} <= {"bad_line", "bad_record", "unresolved_body"}
    assert recording.turns[-1].history == LONGER_HISTORY
    assert recording.calls[-1].request.body == harness.open(record(tmp_path / "n.jsonl", LONGER)).calls[-1].request.body


LONGER_HISTORY = [
    *[{"role": "user", "text": "before"}, {"role": "note", "text": "local"}],
    {
        "role": "assistant", "wire": "openai-chat",
        "parts": [{"type": "text", "text": "I look"},
                  {"type": "tool_call", "id": "c0", "name": "look", "input": {"at": "y"}}],
    },
    {"role": "tool", "text": "was seen", "id": "c0", "name": "look", "ok": True},
    {"role": "assistant", "wire": "openai-chat", "parts": [{"type": "text", "text": "ok"}]},
] * 2  # fmt: skip


def test_a_call_that_the_process_died_in_keeps_its_number(tmp_path):
    path = record(tmp_path / "r.jsonl", Turn([chat(calls=[LOOK]), ANSWER]))
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b'{"kind":"call_end"')])
    with recorder(path, append=True) as made:
        family("httpx").Client(transport=made.transport(Scripted([Reply([DONE])]))).post(URL, content=BODY)
    recording = harness.open(path, strict=True)
    assert [call.end_record is not None for call in recording.calls] == [True, False, True]
    assert [call.number for call in recording.calls] == [0, 1, 2]
