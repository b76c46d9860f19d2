"""What an adapter that changed makes of old recordings. The change is planted where every decoder ends."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace

import pytest

from agent.events import EOF, Error, Event, Text, UsageEvent
from agent.providers.base import Decoder
from harness.recording.opening import open as open_recording
from harness.replaying.replayer import replay_recording
from harness.replaying.updating import EventChange, update
from tests.harness.judging import SESSIONS, setting
from tests.harness.sessions import Turn, change, chat, record
from tests.harness.turns import ANSWER, LOOKS


@contextmanager
def changed(events_of_end: Callable[[list[Event]], list[Event]]) -> Iterator[None]:
    """Decoders whose last events are others."""
    before = Decoder.finish
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Decoder, "finish", lambda self, end=EOF: events_of_end(before(self, end)))
        yield


def renamed(events: list[Event]) -> list[Event]:
    return [replace(event, model="renamed") if isinstance(event, UsageEvent) else event for event in events]


def signed(events: list[Event]) -> list[Event]:
    """The answer ends with a word more, which goes into the next request."""
    return [Text("Yours."), *events]


def failing(events: list[Event]) -> list[Event]:
    return [Error("new", kind="provider_error", retryable=False), *events]


@pytest.mark.parametrize("name", SESSIONS)
def test_nothing_changes(tmp_path, name):
    path = record(tmp_path / "run.jsonl", *SESSIONS[name])
    before = path.read_bytes()
    found = update(path, accept=True)
    assert (found.status, found.changes, path.read_bytes()) == ("unchanged", [], before)


@pytest.mark.parametrize("name", SESSIONS)
def test_there_and_back(tmp_path, name):
    """What is accepted replays with the new adapters; with the old ones the update gives the old bytes again."""
    path = record(tmp_path / "run.jsonl", *SESSIONS[name])
    before = path.read_bytes()
    with changed(renamed):
        shown = update(path, accept=False)
        assert (shown.status, path.read_bytes()) == ("would change", before)
        found = update(path, accept=True)
        assert (found.status, found.changes) == ("updated", shown.changes)
        assert replay_recording(path).status == "pass"
        assert path.read_bytes() != before
    assert update(path, accept=True).status == "updated"
    assert path.read_bytes() == before


def test_what_follows_from_events_is_changed_too(tmp_path):
    path = record(tmp_path / "run.jsonl", Turn([LOOKS, ANSWER]))
    with changed(renamed):
        update(path, accept=True)
    recording = open_recording(path, strict=True)
    assert recording.end is not None
    assert [*recording.end["usage"]] == ["renamed"]
    (finish,) = (record for record in recording.turns[0].loop if record["event"] == "finish")
    assert finish["data"]["model"] == "renamed"


def test_events_that_come_and_go(tmp_path):
    path = record(tmp_path / "run.jsonl", Turn([chat("Hello")]))
    with changed(signed):
        found = update(path, accept=True)
        assert (found.status, found.changes[0]) == (
            "updated", EventChange(0, None, None, {"type": "text", "text": "Yours."}),
        )  # fmt: skip
        assert found.changes[0].says() == ['+ {"type":"text","text":"Yours."}']
        assert open_recording(path).calls[0].text == "HelloYours."
    (gone,) = update(path, accept=False).changes
    assert gone.says() == ['- {"type":"text","text":"Yours."}']


@pytest.mark.parametrize(
    ("planted", "reason"),
    [(signed, "the loop would go another way, so it has to be recorded again: turn 0: no recorded call answers"),
     (failing, "the loop would go another way, so it has to be recorded again: turn 0: ")],
    ids=["another request", "another course"],
)  # fmt: skip
def test_a_loop_that_would_go_another_way(tmp_path, planted, reason):
    path = record(tmp_path / "run.jsonl", Turn([LOOKS, ANSWER]))
    before = path.read_bytes()
    with changed(planted):
        found = update(path, accept=True)
    assert (found.status, found.written, path.read_bytes()) == ("record again", False, before)
    assert (found.fault or "").startswith(reason)
    assert found.changes


def test_compressed(tmp_path):
    path = tmp_path / "run.jsonl.gz"
    path.write_bytes(gzip.compress(record(tmp_path / "run.jsonl", Turn([ANSWER])).read_bytes()))
    with changed(renamed):
        assert update(path, accept=True).status == "updated"
        assert replay_recording(path).status == "pass"


def test_a_process_that_died(tmp_path):
    path = record(tmp_path / "run.jsonl", Turn([LOOKS, ANSWER]))
    lines = path.read_bytes().splitlines(keepends=True)
    for count in range(2, len(lines)):
        path.write_bytes(b"".join(lines[:count]))
        assert update(path, accept=True).status == "unchanged"
        with changed(renamed):
            assert update(path, accept=True).fault is None
            assert replay_recording(path).status == "pass", f"after line {count}"


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda lines: [*lines[:3], b"{torn\n", *lines[3:]], "it is damaged: line 4"),
        (lambda lines: [line for line in lines if b'"kind":"frame"' not in line or b'"i":0,' not in line], "call 0: "),
        (lambda lines: [b'{"some":"thing"}\n'], "not a recording"),
    ],
    ids=["a broken line", "a frame is missing", "no recording"],
)
def test_unusable(tmp_path, damage, reason):
    path = record(tmp_path / "run.jsonl", Turn([ANSWER]))
    path.write_bytes(b"".join(damage(path.read_bytes().splitlines(keepends=True))))
    before = path.read_bytes()
    with changed(renamed):
        found = update(path, accept=True)
    assert (found.status, path.read_bytes()) == ("unusable", before)
    assert reason in (found.fault or "")


def test_an_unknown_format_is_left_alone(tmp_path):
    path = change(record(tmp_path / "run.jsonl", Turn([ANSWER])), setting("request", ["wire"], "other"))
    with changed(renamed):
        assert update(path, accept=False).status == "unchanged"
