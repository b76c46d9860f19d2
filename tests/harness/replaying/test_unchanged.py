"""The quick way to a pass gives what reading and judging everything gives, whatever was changed."""

from __future__ import annotations

import json
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harness
from agent.events import DecodeOptions
from harness.replaying import replayer
from harness.replaying.unchanged import Watched, unchanged
from tests.harness.judging import SESSIONS, setting
from tests.harness.sessions import Turn, change, record
from tests.harness.turns import ANSWER, LOOKS
from tests.test_recordings import PATHS

LEFT = {"left in a tool", "left in backoff"}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    folder = tmp_path_factory.mktemp("unchanged")
    return {name: record(folder / f"{i}.jsonl", *turns) for i, (name, turns) in enumerate(SESSIONS.items())}


def outcome(found):
    return found.calls, found.turns, found.verdicts, found.warnings


def assert_same(path, monkeypatch_context):
    """Both ways say the same of a file."""
    quick = outcome(replayer.replay_recording(path))
    with monkeypatch_context() as patch:
        patch.setattr(replayer, "unchanged", lambda path: None)
        assert outcome(replayer.replay_recording(path)) == quick
    return quick


@pytest.mark.parametrize("name", SESSIONS)
def test_what_was_recorded_is_told_quickly(recorded, name):
    found = unchanged(recorded[name])
    assert (found is None) == (name in LEFT)
    assert_same(recorded[name], pytest.MonkeyPatch.context)


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_committed_recordings(path):
    assert (unchanged(path) is None) == ("cancelled" in path.stem)
    assert_same(path, pytest.MonkeyPatch.context)


def test_a_call_of_a_turn_is_decoded_once(recorded, monkeypatch):
    def twice(call):
        raise AssertionError(f"call {call.number} is derived again")

    monkeypatch.setattr("harness.replaying.unchanged.derived_events", twice)
    assert unchanged(recorded["cut frames"]) is not None


BYTES = st.sampled_from(b'x"\\\n{}[],:019-+.eE \x00\xff\r') | st.integers(0, 255)


@given(st.data())
def test_a_changed_byte_anywhere(recorded, tmp_path_factory, data):
    """In any line: a byte replaced, left out or put in."""
    name = data.draw(st.sampled_from([*SESSIONS]))
    whole = recorded[name].read_bytes()
    lines = whole.splitlines(keepends=True)
    index = data.draw(st.integers(0, len(lines) - 1))
    at = data.draw(st.integers(0, len(lines[index]) - 1))
    new = data.draw(st.just(b"") | st.builds(lambda byte: bytes([byte]), BYTES))
    line = lines[index][:at] + new + lines[index][at + data.draw(st.integers(0, 1)) :]
    path = tmp_path_factory.mktemp("changed") / "r.jsonl"
    path.write_bytes(b"".join([*lines[:index], line, *lines[index + 1 :]]))
    assert_same(path, pytest.MonkeyPatch.context)


@given(st.data())
def test_changed_lines(recorded, tmp_path_factory, data):
    """Lines left out, doubled, swapped, glued, or moved."""
    name = data.draw(st.sampled_from([*SESSIONS]))
    lines = recorded[name].read_bytes().splitlines(keepends=True)
    for _ in range(data.draw(st.integers(1, 2))):
        one, other = (data.draw(st.integers(0, len(lines) - 1)) for _ in range(2))
        what = data.draw(st.sampled_from(["drop", "double", "swap", "glue", "move"]))
        if what == "drop":
            lines = lines[:one] + lines[one + 1 :] or lines
        elif what == "double":
            lines.insert(other, lines[one])
        elif what == "swap":
            lines[one], lines[other] = lines[other], lines[one]
        elif what == "glue":
            lines[one] = lines[one].rstrip(b"\n")
        else:
            lines.insert(other, lines.pop(one))
    path = tmp_path_factory.mktemp("lines") / "r.jsonl"
    path.write_bytes(b"".join(lines))
    assert_same(path, pytest.MonkeyPatch.context)


@pytest.mark.parametrize(
    ("apply", "check"),
    [
        (setting("event", ["event", "text"], "I Look. "), "events"),
        (setting("event", ["frame"], 1), "events"),
        (setting("event", ["call"], 1), "events"),
        (setting("event", ["event", "usage", "input_tokens"], lambda count: (count or 0) + 1, frame=None), "events"),
        (setting("event", ["event", "more"], True), "events"),
        (setting("frame", ["raw"], lambda raw: raw.replace("look", "Look")), "events"),
        (setting("frame", ["i"], 1), "events"),
        (setting("call_end", ["bytes"], 1), "events"),
    ],
)
def test_each_part_of_an_event_counts(tmp_path, apply, check):
    path = change(record(tmp_path / "r.jsonl", Turn([LOOKS, ANSWER])), apply)
    _, _, verdicts, _ = assert_same(path, pytest.MonkeyPatch.context)
    assert {verdict.check: verdict.status for verdict in verdicts}[check] != "pass"


def test_an_event_line_as_another_program_writes_it(tmp_path):
    path = record(tmp_path / "r.jsonl", Turn([ANSWER]))
    path.write_bytes(path.read_bytes().replace(b'{"kind":"event","seq"', b'{"kind": "event","seq"'))
    assert unchanged(path) is None
    assert [verdict.status for verdict in replayer.replay_recording(path).verdicts] == ["pass", "pass"]


def test_the_head_of_an_event_line_counts(tmp_path):
    path = record(tmp_path / "r.jsonl", Turn([ANSWER]))
    whole = path.read_bytes()
    at = whole.index(b'{"kind":"event"')
    end = whole.index(b',"t":', at)
    glued = whole[:at] + whole[at:end] + whole[at:]  # the head of a line twice
    path.write_bytes(glued)
    assert unchanged(path) is None
    _, _, _, warnings = assert_same(path, pytest.MonkeyPatch.context)
    assert warnings


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_is_read_once(tmp_path, recorded):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=lambda: path.write_bytes(recorded["anthropic"].read_bytes()))
    writer.start()
    found = replayer.replay_recording(path)
    writer.join()
    assert [verdict.status for verdict in found.verdicts] == ["pass", "pass"]


@pytest.mark.parametrize("name", ["tools and retries", "anthropic", "cut frames"])
def test_what_was_decoded_for_other_arguments_does_not_count(recorded, name):
    call = harness.open(recorded[name]).calls[-1]
    options = DecodeOptions.from_dict(call.decode)

    def watched(**given):
        arguments = {"status": 200, "call": call.number, "options": options, **given}
        found = Watched(call.wire, content_type=call.response.content_type, **arguments)
        for chunk in call.chunks():
            found.feed(chunk)
        found.finish(call.end)
        return found.stands_for(call, len(call.frames))

    assert watched()
    assert not watched(status=201)
    assert not watched(call=99)
    assert not watched(options=DecodeOptions(think_tags=True))


@pytest.mark.parametrize("to", ["first", "before its request", "last"])
def test_events_in_other_places(tmp_path, to):
    path = record(tmp_path / "r.jsonl", Turn([ANSWER]))
    lines = path.read_bytes().splitlines(keepends=True)
    kinds = [json.loads(line)["kind"] for line in lines]
    at = {"first": 0, "before its request": kinds.index("request"), "last": len(lines)}[to]
    index = kinds.index("event") if at < len(lines) else len(kinds) - 1 - kinds[::-1].index("event")
    line = lines[index]
    lines.insert(at, line)
    del lines[index + (at <= index)]
    path.write_bytes(b"".join(lines))
    assert unchanged(path) is None
    assert_same(path, pytest.MonkeyPatch.context)
