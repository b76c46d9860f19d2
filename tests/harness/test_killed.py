"""`kill -9` at any moment of recording: nothing that was written is lost, and the file is of use up to its end."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

import harness
from harness.recorder.continuing import continued
from harness.replaying.recover import recover
from harness.replaying.replayer import replay_recording
from harness.report.scan import scan
from tests.command import ROOT
from tests.harness.cli.cli import call
from tests.harness.killed import KILLS, SESSION, WRITES
from tests.harness.sessions import Turn, record
from tests.harness.turns import ANSWER

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes cannot be forked here")


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """The recordings, each with the bytes that its process had written."""
    folder = tmp_path_factory.mktemp("killed")
    done = subprocess.run(
        [sys.executable, "-m", "tests.harness.killed", str(folder)],
        cwd=ROOT,
        capture_output=True,
        timeout=120,
        check=True,
    )
    sizes = [int(line) for line in done.stdout.split()]
    assert len(sizes) == KILLS
    return [(folder / f"{seed}.jsonl", size) for seed, size in enumerate(sizes)]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    return record(tmp_path_factory.mktemp("whole") / "r.jsonl", *SESSION)


def test_the_moments_are_spread_over_the_session(killed, whole):
    parts = [size / whole.stat().st_size for _, size in killed]
    assert sum(part < 0.5 for part in parts) > 10
    assert sum(0.5 < part < 1 for part in parts) > 10
    assert 0.5 * WRITES < sum(b'"kind":"frame"' in line for line in whole.read_bytes().splitlines()) < 2 * WRITES


def whole_lines(path):
    """The file without the line that the kill has torn, where it hit a write in the middle."""
    data = path.read_bytes() if path.exists() else b""
    return data[: data.rfind(b"\n") + 1]


def test_no_write_that_had_completed_is_lost(killed, whole):
    names = [line.split(b",")[0] for line in whole.read_bytes().splitlines()]
    for path, size in killed:
        data = path.read_bytes() if path.exists() else b""
        assert len(data) >= size
        assert size == 0 or data[size - 1 : size] == b"\n"
        lines = whole_lines(path).splitlines()
        assert [line.split(b",")[0] for line in lines] == names[: len(lines)]


def test_each_is_read_shown_and_replayed_up_to_its_end(killed):
    for path, size in killed:
        if not size:
            continue
        recording = harness.open(path)
        assert {fault.what for fault in recording.warnings} <= {"not_closed", "truncated_tail"}
        found = replay_recording(path)
        assert (found.status, found.reason) == ("pass", None), path
        assert scan(path).calls == len(recording.calls)
    assert call("show", killed[0][0].parent).exit_code in (0, 2)  # 2: a process that was killed before its first write
    for path, size in killed[:10]:
        assert not size or call("show", path, "--frames", "--events").exit_code == 0


def test_each_can_be_gone_on_with(killed, tmp_path):
    for path, _ in killed:
        copy = tmp_path / path.name
        copy.write_bytes(path.read_bytes() if path.exists() else b"")
        turns = harness.open(copy).turns if whole_lines(path) else []
        history = continued(turns[-1]) if turns else []
        record(copy, Turn([ANSWER], history=history, input="and now?"), append=True)
        assert copy.read_bytes().startswith(whole_lines(path))
        assert len(harness.open(copy, strict=True).turns) == len(turns) + 1
        found = replay_recording(copy)
        assert (found.status, found.reason) == ("pass", None), path


def test_each_can_be_recovered(killed):
    for path, size in killed:
        if size > 2000:
            lost = recover(path).lost
            assert all(any(word in line for word in ("missing", "its end is lost", "derived", "torn")) for line in lost)
