"""`harness replay`: verdicts, exit statuses, what it says of files that it cannot use."""

from __future__ import annotations

import gzip
import json
import os
import signal
import time

import pytest

from tests.command import harness, started
from tests.harness.cli.cli import call, lines_of, refusal
from tests.scripted import fixture, scripted

ANSWERS = [fixture("openai-chat/session-parallel.sse"), fixture("openai-chat/session-answer.sse")]


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """The bytes of a sound recording of two calls."""
    folder = tmp_path_factory.mktemp("good")
    with scripted(ANSWERS) as provider:
        path = folder / "good.jsonl"
        result = call("ask", "-m", "openai/m", "--base-url", provider.url, "--workspace", folder, "--out", path, "hi")
        assert result.exit_code == 0
    return path.read_bytes()


@pytest.fixture
def folder(tmp_path, monkeypatch, good):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.jsonl").write_bytes(good)
    return tmp_path


def changed(good, kind, change):
    """The recording with the first record of a kind changed."""
    lines = [json.loads(line) for line in good.decode().splitlines()]
    change(next(line for line in lines if line["kind"] == kind))
    return "".join(json.dumps(line) + "\n" for line in lines)


def test_all_as_recorded(folder):
    result = call("replay", "good.jsonl")
    assert (result.exit_code, result.stderr) == (0, "")
    header, _, row, blank, totals = result.stdout.splitlines()
    assert header.split() == ["verdict", "recording", "turns", "calls", "checks", "seconds"]
    assert row.split()[:-1] == ["ok", "good.jsonl", "1", "2", "events:ok", "loop:ok"]
    assert blank == ""
    assert totals.startswith("1 passed, 0 failed · 1 recording, 2 calls · ")
    assert totals.endswith(" s, offline")


def test_files_folders_and_globs_each_once(folder, good):
    (folder / "deep" / "er").mkdir(parents=True)
    (folder / "deep" / "er" / "zipped.jsonl.gz").write_bytes(gzip.compress(good))
    (folder / "deep" / "notes.txt").write_text("not a recording", "utf-8")
    result = call("replay", ".", "good.jsonl", "deep/**/*.gz", "--json")
    assert [line["path"] for line in lines_of(result.stdout)[:-1]] == ["deep/er/zipped.jsonl.gz", "good.jsonl"]
    assert result.exit_code == 0


def test_events_that_differ(folder, good):
    def other(record):
        record["event"]["text"] = "I will look behind"

    (folder / "other.jsonl").write_text(changed(good, "event", other), "utf-8")
    result = call("replay", "other.jsonl", "good.jsonl")
    assert result.exit_code == 1
    (failure,) = [line for line in result.stdout.splitlines() if line.startswith("FAIL other.jsonl [")]
    assert "[events] call 0, event 0: " in failure
    assert 'recorded "I will look behind", derived "I will look at"' in failure
    assert "1 passed, 1 failed · 2 recordings, 4 calls" in result.stdout


def test_a_loop_that_differs(folder, good):
    def other(record):
        record["input"] = "ho"

    (folder / "other.jsonl").write_text(changed(good, "turn", other), "utf-8")
    result = call("replay", "other.jsonl", "-q")
    assert result.exit_code == 1
    assert "[loop] turn 0: no recorded call answers POST" in result.stdout
    assert "the nearest is call 0" in result.stdout


def test_quiet_shows_what_did_not_pass(folder, good):
    (folder / "bad.jsonl").write_text("nothing\n", "utf-8")
    result = call("replay", ".", "-q")
    assert (result.exit_code, "good.jsonl" in result.stdout, "bad.jsonl" in result.stdout) == (2, False, True)
    result = call("replay", "good.jsonl", "-q")
    assert len(result.stdout.splitlines()) == 1


def test_json(folder, good):
    (folder / "bad.jsonl").write_text("nothing\n", "utf-8")
    result = call("replay", "bad.jsonl", "good.jsonl", "--json")
    bad, fine, totals = lines_of(result.stdout)
    assert result.exit_code == 2
    assert (bad["path"], bad["status"], bad["verdicts"][0]["check"]) == ("bad.jsonl", "error", "read")
    assert (fine["status"], fine["turns"], fine["calls"]) == ("pass", 1, 2)
    assert [verdict["check"] for verdict in fine["verdicts"]] == ["events", "loop"]
    assert totals["totals"] == {"pass": 1, "fail": 0, "error": 1}


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"", "the file is empty"),
        (b"hello\n", "not a recording"),
        (b'{"a": 1}\n', "not a recording"),
        (os.urandom(300), "not a recording"),
        (gzip.compress(b""), "not a recording"),
        (b'{"kind":"header","seq":0,"t":0,"format":"trajectory","version":99}\n', "version 99 is newer than 1"),
    ],
    ids=["empty", "text", "json-lines", "binary", "gzip-of-nothing", "newer"],
)
def test_a_file_that_is_no_recording(folder, content, says):
    (folder / "odd.jsonl").write_bytes(content)
    result = call("replay", "odd.jsonl")
    assert result.exit_code == 2
    (line,) = [line for line in result.stdout.splitlines() if says in line]
    assert line.startswith("ERROR odd.jsonl:")
    assert line.count("odd.jsonl") == 1
    assert line.endswith(")"), "it says what to do"
    assert "0 passed, 0 failed, 1 unusable" in result.stdout


def test_a_damaged_recording_is_named(folder, good):
    lines = good.splitlines(keepends=True)
    (folder / "odd.jsonl").write_bytes(b"".join([*lines[:2], b'{"kind":"frame"}\n', *lines[2:]]))
    result = call("replay", "odd.jsonl")
    assert result.exit_code == 2
    assert "\nERROR odd.jsonl: line 3: a frame record that does not fit: " in result.stdout


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(folder):
    (folder / "good.jsonl").chmod(0)
    result = call("replay", "good.jsonl")
    assert result.exit_code == 2
    assert "Permission denied" in result.stdout


def test_paths_that_name_nothing(folder):
    (folder / "void").mkdir()
    assert refusal("replay", "nowhere.jsonl").startswith("harness: nowhere.jsonl: there is no such file or folder")
    assert "as a pattern it matches nothing" in refusal("replay", "*.gz")
    assert refusal("replay", "void") == (
        "harness: void: no recording in this folder (*.jsonl); record one with `harness ask`"
    )
    assert "PATHS" in refusal("replay")
    assert "--jobs" in refusal("replay", "good.jsonl", "--jobs", "0")


def test_a_recording_that_was_cut_off(folder, good):
    (folder / "torn.jsonl").write_bytes(good[: len(good) * 2 // 3])
    result = call("replay", "torn.jsonl")
    assert result.exit_code == 0
    assert "warning torn.jsonl: the recording was not closed" in result.stderr
    assert "torn.jsonl: line " in result.stderr


def test_several_processes_give_the_same(folder, good):
    for number in range(4):
        (folder / f"{number}.jsonl").write_bytes(good)
    one, many = harness("replay", ".", "--json", cwd=folder), harness("replay", ".", "--json", "-j", "2", cwd=folder)
    assert (one.returncode, many.returncode) == (0, 0), many.stderr

    def untimed(done):
        return [{name: value for name, value in line.items() if name != "seconds"} for line in lines_of(done.stdout)]

    assert untimed(one) == untimed(many)


def test_a_reader_that_has_gone(folder, good):
    for number in range(300):
        (folder / f"a-rather-long-name-so-that-the-pipe-fills-{'x' * 150}-{number}.jsonl").write_bytes(good[:3000])
    with started("replay", ".", cwd=folder) as process:
        process.stdout.close()
        process.wait(60)
        assert (process.returncode, process.stderr.read()) == (1, b"")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_interrupted(folder, jobs):
    """Ctrl-C on a terminal, which reaches all processes: no traceback, no complaint."""
    os.mkfifo(folder / "pipe.jsonl")
    with started("replay", "good.jsonl", "pipe.jsonl", "-j", jobs, cwd=folder) as process:
        with (folder / "pipe.jsonl").open("wb"):  # opened once the command reads it
            os.killpg(process.pid, signal.SIGINT)
            time.sleep(0.1)
        assert process.communicate(timeout=30) == (b"", b"")
        assert process.returncode == 130


def test_a_program_without_the_two_dashes(good, tmp_path):
    recording = tmp_path / "good.jsonl"
    recording.write_bytes(good)
    line = refusal("replay", recording, "sh", "agent.sh")
    assert line.endswith("(a program to run goes after `--`: harness replay FILE -- sh)")
    assert "goes after" not in refusal("replay", recording, "no-such-program-anywhere")
