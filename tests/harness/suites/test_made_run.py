from __future__ import annotations

from pathlib import Path

import pytest

from harness.recording.opening import open as open_recording
from harness.replaying.derive import first_difference
from harness.report.reading import read_facts
from harness.suites.case import Case
from harness.suites.made_run import write_made_run

CASE = Case("s", Path("a.suite.toml"), 0, "x", "the task", (), prompt="Go.", mode="FIX", params={"t": 0.5})


@pytest.mark.parametrize("answer", ["", 'Done.\n"quoted" \u2028 😀'])
def test_it_is_a_sound_recording(tmp_path, answer):
    path = tmp_path / "run.jsonl"
    write_made_run(path, CASE, answer)
    recording = open_recording(path, strict=True)
    assert recording.warnings == []
    assert [first_difference(call) for call in recording.calls] == [None]
    facts = read_facts(path)
    assert (facts.task, facts.ending, facts.duration) == ("the task", "stop", 0.0)
    (turn,), (call,) = facts.turns, facts.calls
    assert (turn.input, turn.mode, turn.stop_reason, turn.iterations) == ("Go.", "FIX", "stop", 1)
    assert (call.complete, call.errors, call.first_chunk) == (True, [], 0.0)
    assert call.content == ([{"type": "text", "text": answer}] if answer else [])
