"""Every reader of a recording that was resumed: several `end` records, one in the middle, turns that were left."""

from __future__ import annotations

import asyncio
import json

import pytest

import harness
from harness.replaying.recover import recover
from harness.replaying.replayer import replay_recording
from harness.replaying.rerun import rerun
from harness.replaying.rewriting import write_file
from harness.report.scan import scan
from tests.harness.cli.cli import call, lines_of
from tests.harness.recorder.test_resuming import KEY, SESSION, plain
from tests.harness.sessions import Turn, change, chat, record
from tests.harness.transports import comparable, recorder, records
from tests.harness.turns import ANSWER, EARLIER, LEFT, LOOKS, TURNS


def resumed(path, sessions=SESSION):
    """A recording of turns, each of which was appended."""
    for index, turn in enumerate(sessions):
        record(path, turn, append=index > 0)
    return path


def died(path):
    """The process died in the first turn; two turns were appended."""
    record(path, Turn([LOOKS, chat("Hel", "lo")]))
    data = path.read_bytes()
    path.write_bytes(data[: data.rindex(b'"kind":"frame"') + 30])
    return record(path, Turn([LOOKS, ANSWER]), TURNS["history"], append=True)


MADE = {"resumed": resumed, "died": died}
made = pytest.mark.parametrize("make", MADE.values(), ids=MADE)


@made
def test_replay(tmp_path, make):
    found = replay_recording(make(tmp_path / "r.jsonl"))
    assert (found.status, found.reason, found.warnings) == ("pass", None, [])
    assert call("replay", tmp_path / "r.jsonl").exit_code == 0


def without_cost(found):
    for one in found:
        if one["kind"] == "loop":
            one["data"].pop("cost_usd", None)
    return found


def test_a_recorded_replay_is_one_session(tmp_path):
    path = resumed(tmp_path / "r.jsonl")
    with recorder(tmp_path / "again.jsonl") as again:
        assert asyncio.run(rerun(harness.open(path), again)) is None
    assert without_cost(plain(tmp_path / "again.jsonl")) == without_cost(plain(path))
    once = comparable(record(tmp_path / "once.jsonl", *SESSION))
    assert without_cost(comparable(tmp_path / "again.jsonl")) == without_cost(once)


def test_a_difference_in_the_appended_part_is_found(tmp_path):
    path = resumed(tmp_path / "r.jsonl", [TURNS["tool"], TURNS["text"]])
    path = change(path, lambda r: r.update(data={}) if r.get("turn") == 1 and r.get("event") == "finish" else None)
    found = replay_recording(path)
    assert (found.status, found.reason.startswith("turn 1: loop event")) == ("fail", True)


@made
def test_show(tmp_path, make):
    path = make(tmp_path / "r.jsonl")
    recording = harness.open(path)
    text = call("show", path).stdout
    assert f"resumed    {len(recording.resumes)} time" in text
    assert [f"turn {turn.number}\n" in text for turn in recording.turns] == [True] * len(recording.turns)
    assert "warning" not in text
    (data,) = lines_of(call("show", path, "--json").stdout)
    assert (data["resumed"], data["status"]) == (len(recording.resumes), "ok")
    assert (len(data["calls"]), data["totals"]["calls"]) == (len(recording.calls), recording.end["calls"])
    assert [turn["history"] for turn in data["turns"]] == [len(turn.history) for turn in recording.turns]
    assert data["duration"] == records(path)[-1]["t"]


@made
def test_the_table_says_the_same(tmp_path, make):
    path = make(tmp_path / "r.jsonl")
    (data,) = lines_of(call("show", path, "--json").stdout)
    row = scan(path).to_dict()
    assert (row["turns"], row["calls"], row["errors"]) == (
        len(data["turns"]),
        len(data["calls"]),
        data["totals"]["errors"],
    )
    assert (row["usage"], row["cost_usd"], row["ending"]) == (
        data["totals"]["usage"], data["totals"]["cost_usd"], data["ending"],
    )  # fmt: skip
    path.write_bytes(path.read_bytes() + b'{"kind":"resume","seq":9999,"t":99,"started_at":"2026-01-01T00:00:00Z"}\n')
    assert scan(path).ending == "not closed"
    assert scan(path).to_dict()["usage"] == row["usage"]


@made
def test_recover_finds_nothing_to_mend(tmp_path, make):
    path = make(tmp_path / "r.jsonl")
    found = recover(path)
    if make is resumed:
        assert (found.lost, found.records) == ([], records(path))
    else:
        assert found.lost[0] == "call 1: its end is lost; taken as cut off"
    write_file(tmp_path / "mended.jsonl", found.records, lambda _: None, over=False)
    assert replay_recording(tmp_path / "mended.jsonl").verdicts[0].status == "pass"
    assert len(harness.open(tmp_path / "mended.jsonl", strict=True).resumes) == len(harness.open(path).resumes)


def test_recover_without_the_turn_that_others_take_their_history_from(tmp_path):
    path = resumed(
        tmp_path / "r.jsonl", [Turn([ANSWER], history=EARLIER), Turn([ANSWER], history=[*EARLIER, *EARLIER])]
    )
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if b'"kind":"turn"' not in line or b'"turn":1' in line))
    found = recover(path)
    assert found.lost[-1].endswith(": the history of turn 1 stood in a lost one; left out")
    write_file(tmp_path / "mended.jsonl", found.records, lambda _: None, over=False)
    assert [turn.history for turn in harness.open(tmp_path / "mended.jsonl", strict=True).turns] == [[]]


def test_scan_and_scrub(tmp_path):
    """A secret that stands in the first part, and in what the second takes over from it."""
    path = resumed(
        tmp_path / "r.jsonl", [Turn([ANSWER], history=EARLIER), Turn([ANSWER], history=[*EARLIER, *EARLIER])]
    )
    assert call("scan", path).exit_code == 0
    path.write_bytes(path.read_bytes().replace(b"was seen", KEY.encode()))
    before = harness.open(path)
    assert call("scan", path).exit_code == 1
    assert call("scrub", path, "--in-place").exit_code == 0
    assert call("scan", path).exit_code == 0
    recording = harness.open(path, strict=True)
    assert KEY not in json.dumps([turn.record for turn in recording.turns])
    assert recording.turns[1].history[3]["text"] == "[redacted:openai:1]"
    assert len(recording.turns[1].history) == len(before.turns[1].history) == 2 * len(EARLIER)
    assert replay_recording(path).status == "pass"
    assert (len(recording.resumes), recording.end["calls"]) == (1, 2)


def test_a_turn_that_was_left_does_not_take_the_calls_of_the_same_turn_asked_again(tmp_path):
    turns = [LEFT["before the first pull"], LEFT["waiting for a response"], Turn([ANSWER]), Turn([ANSWER])]
    found = replay_recording(resumed(tmp_path / "r.jsonl", turns))
    assert (found.status, found.reason) == ("pass", None)
