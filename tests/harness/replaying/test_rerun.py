from __future__ import annotations

import asyncio

import pytest

from harness.recording.opening import open as open_recording
from harness.replaying.replayer import replay_recording
from harness.replaying.rerun import rerun
from tests.harness.sessions import Turn, chat, record
from tests.harness.transports import comparable, recorder
from tests.harness.turns import ANSWER, EARLIER, LEFT, LOOKS, TURNS


def replayed(path):
    """What a replay shows, and that its own recording is the same."""
    found = replay_recording(path)
    with recorder(path.with_name("again.jsonl")) as made:
        assert asyncio.run(rerun(open_recording(path), made)) is None
    again, once = comparable(path.with_name("again.jsonl")), comparable(path)
    for record_of in (again, once):
        for one in record_of:
            if one.get("event") == "finish" and one["kind"] == "loop":
                one["data"].pop("cost_usd")
    assert again == once
    return found


@pytest.mark.parametrize("name", TURNS)
def test_a_turn_replays_equal(tmp_path, name):
    found = replayed(record(tmp_path / "r.jsonl", TURNS[name]))
    assert (found.status, found.reason, found.warnings, found.turns) == ("pass", None, [], 1)


@pytest.mark.parametrize("cancelling", [True, False], ids=["cancelled", "closed"])
@pytest.mark.parametrize("name", LEFT)
def test_a_turn_that_was_left_replays_equal(tmp_path, name, cancelling):
    path = record(tmp_path / "r.jsonl", LEFT[name].but(cancelling=cancelling))
    assert [one["event"] for one in open_recording(path).turns[0].loop][-1] == "cancelled"
    found = replayed(path)
    assert (found.status, found.reason, found.warnings) == ("pass", None, [])


@pytest.mark.parametrize("name", LEFT)
def test_a_turn_after_one_that_was_left(tmp_path, name):
    """The calls of the later turn are no sign that the earlier one went on."""
    turns = [LEFT[name], Turn([LOOKS, ANSWER], history=EARLIER), LEFT[name], Turn([ANSWER])]
    found = replayed(record(tmp_path / "r.jsonl", *turns))
    assert (found.status, found.reason, found.turns) == ("pass", None, 4)


def test_the_same_turn_twice(tmp_path):
    found = replayed(record(tmp_path / "r.jsonl", *[Turn([chat(text)]) for text in ("one", "two", "three")]))
    assert (found.status, found.calls) == ("pass", 3)
