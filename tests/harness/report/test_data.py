from __future__ import annotations

import harness
from harness.report.data import recording_data
from harness.report.facts import recording_facts
from tests.harness.report.session import session, write


def opened(tmp_path):
    return harness.open(write(tmp_path / "x.jsonl", session()))


def test_facts_alone(tmp_path):
    recording = opened(tmp_path)
    assert recording_data(recording) == recording_facts(recording).to_dict()


def test_one_call_with_frames_and_events(tmp_path):
    calls = recording_data(opened(tmp_path), frames=True, events=True, only=0)["calls"]
    assert [call["call"] for call in calls] == [0]
    assert calls[0]["frame_list"] == []
    assert calls[0]["body_list"] == [{"i": 0, "t": 1.0, "bytes": 2, "cuts": None, "raw": "{}"}]
    assert [entry["frame"] for entry in calls[0]["event_list"]] == [1, None]
    assert calls[0]["event_list"][0]["event"]["kind"] == "rate_limit"


def test_cuts_are_those_of_the_file(tmp_path):
    frames = recording_data(opened(tmp_path), frames=True)["calls"][1]["frame_list"]
    assert [(frame["raw"], frame["cuts"]) for frame in frames] == [("data: 1\n\n", None), ("data: 2\n\n", [3])]
