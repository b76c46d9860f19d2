"""The committed recordings: sound, replayed as recorded, free of secrets and of traces of the machine they are from."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path

import pytest

import harness
from agent.providers import WIRES
from harness.recorder.recorder import Recorder
from harness.recording.reader import RecordReader
from harness.redaction.redactor import Redactor
from harness.replaying.replayer import replay_recording
from harness.replaying.rerun import rerun
from tests.recorded_sessions import REAL, SCRIPTED, SESSIONS

FOLDER = Path(__file__).resolve().parents[1] / "recordings"
PATHS = sorted(FOLDER.glob("*.jsonl"))
each = pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)

MACHINE_PATH = re.compile(r"/(?:home|root|Users|tmp|work|mnt|opt|private|var|usr)/|\b[A-Za-z]:\\\\")
TIMES = ("t", "cut_t", "duration", "cost_usd")
"""What a replay does not repeat: times, and prices, which it does not ask for."""
OWN = ("id", "started_at", "by", "redaction")
"""What belongs to the header of one recording."""


def test_there_are_enough_and_of_every_kind():
    assert len(PATHS) >= 8
    recordings = [harness.open(path) for path in PATHS]
    assert {call.wire for recording in recordings for call in recording.calls} == set(WIRES)
    real = {call.wire for one in recordings if one.header["source"] == REAL for call in one.calls}
    assert real == {"openai-chat", "openai-responses", "anthropic"}
    tags = {tag for recording in recordings for tag in recording.header["tags"]}
    assert tags >= {"text", "reasoning", "tool-call", "http-400", "cut", "cancelled", "parallel-calls", "iterations"}
    assert {recording.end["status"] for recording in recordings} == {"ok", "error", "cancelled"}


def test_they_are_those_that_the_table_tells_of():
    readme = (FOLDER / "README.md").read_text("utf-8")
    assert [path.stem for path in PATHS] == sorted(session.name for session in SESSIONS)
    for session in SESSIONS:
        assert f"| `{session.name}.jsonl` | {session.source} | {session.shows} |" in readme
        assert f"# {session.name}: " in readme
        header = harness.open(FOLDER / f"{session.name}.jsonl").header
        assert (header["source"], tuple(header["tags"])) == (session.source, session.tags)


@each
def test_it_is_whole_and_says_what_it_shows(path):
    reader = RecordReader(path, strict=True)
    kinds = [record["kind"] for _, record in reader]
    assert reader.warnings == []
    assert (kinds[0], kinds[1], kinds[-1]) == ("header", "turn", "end")
    assert reader.header["source"] in (REAL, SCRIPTED, "no server")
    assert reader.header["tags"]
    assert path.stat().st_size < 50_000


@each
def test_it_replays_as_recorded(path):
    replayed = replay_recording(path)
    assert [(verdict.check, verdict.reason) for verdict in replayed.verdicts] == [("events", None), ("loop", None)]
    assert replayed.warnings == []


@each
def test_nothing_secret_stands_in_it(path):
    data = path.read_bytes()
    assert Redactor().bytes(data) == data
    for session in SESSIONS:
        for _, value in session.environ:
            assert value.encode() not in data


@each
def test_no_trace_of_a_machine_stands_in_it(path):
    text = path.read_text("utf-8")
    assert MACHINE_PATH.findall(text) == []
    urls = set(re.findall(r"https?://([^/\"\\]+)", text))
    assert {url.partition(":")[0] for url in urls} <= {"127.0.0.1"}


@each
def test_recording_its_replay_gives_the_same_records(path, tmp_path):
    again = tmp_path / "again.jsonl"
    recorded = harness.open(path)
    recorder = Recorder(again, source=recorded.header["source"], tags=recorded.header["tags"])
    assert asyncio.run(rerun(recorded, recorder)) is None
    recorder.close(recorded.end["status"])
    assert recorder.errors == []
    assert comparable(again) == comparable(path)


def comparable(path):
    """The records without what differs from run to run."""
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [without(record, OWN if record["kind"] == "header" else ()) for record in records]


def without(value, names=()):
    if isinstance(value, list):
        return [without(item) for item in value]
    if isinstance(value, dict):
        return {key: without(item) for key, item in value.items() if key not in (*TIMES, *names)}
    return value
