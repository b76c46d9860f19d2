"""`harness run`, interrupted in the middle in several ways, goes on: every trial is there exactly once."""

from __future__ import annotations

import json
import signal
import tempfile
from pathlib import Path

import pytest

import harness as library
from tests.command import harness, started, wait_for
from tests.harness.trials.trial_runs import MODEL, TEXT, server, write_suite
from tests.scripted import fixture

STALL = fixture("openai-chat/session-answer.sse", ending="stall")
TRIALS = 8
STALLS_AT = 3
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL]


@pytest.fixture
def folder(tmp_path):
    write_suite(tmp_path)
    return tmp_path


def command(url, *more):
    models = (f"a={MODEL}@{url}", f"b={MODEL}@{url}")
    return ("run", "garden.suite.toml", "-m", models[0], "-m", models[1], "--repeat", "2", "--out", "trials", *more)


def whole(folder):
    """The bytes of the recordings that came to their end."""
    found = {}
    for path in folder.glob("trials/*/*.jsonl"):
        end = library.open(path).end
        if end is not None and end["status"] == "ok":
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


@pytest.mark.parametrize("number", SIGNALS, ids=lambda number: number.name)
@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupted_and_gone_on_with(folder, number, jobs):
    with server(lambda body, at: STALL if at >= STALLS_AT and not gone_on else TEXT) as provider:
        gone_on = False
        with started(*command(provider.url, "--jobs", str(jobs)), cwd=folder) as process:
            wait_for(lambda: len(provider.exchanges) == STALLS_AT + jobs, "the trials that hang")
            wait_for(lambda: len(whole(folder)) == STALLS_AT, "the trials before them")
            process.send_signal(number)
            out, err = process.communicate(timeout=20)
        assert out == b""
        if number is signal.SIGKILL:
            assert process.returncode == -signal.SIGKILL
        else:
            assert process.returncode == 130
            line = f"harness: interrupted; {STALLS_AT} of {TRIALS} trials were run, and the same command goes on"
            assert err.decode().splitlines()[-1] == line
            assert len([*folder.glob("trials/*/*.jsonl")]) == STALLS_AT
            assert len([*folder.glob("trials/*/*.set-aside-1")]) == jobs
        before = whole(folder)
        assert len(before) == STALLS_AT
        gone_on = True
        done = harness(*command(provider.url, "--format", "json", "--max-cost", "1"), cwd=folder)
        asked = len(provider.exchanges)
    assert done.returncode == 0, done.stderr
    after = whole(folder)
    assert len(after) == TRIALS
    assert {name: after[name] for name in before} == before
    assert asked == TRIALS + jobs
    found = json.loads(done.stdout)
    assert [one["status"] for one in found["trials"]].count("not run") == 0
    assert sum(model["run_again_after_interruptions"] for model in found["models"]) == jobs
    assert found["calls_without_usage"] == jobs
    assert len([*folder.glob("trials/*/*.set-aside-1")]) == jobs
    assert len([*folder.glob("trials/*/*.workspace")]) == TRIALS


def test_a_killed_run_leaves_nothing_behind_for_long(folder):
    with server(lambda body, at: STALL if at == 0 else TEXT) as provider:
        with started(*command(provider.url), cwd=folder) as process:
            wait_for(lambda: bool(provider.exchanges), "the request")
            left = Path((folder / "trials" / ".lock").read_text("utf-8"))
            assert left.parent == Path(tempfile.gettempdir())
            assert left.is_dir()
            process.kill()
        assert left.is_dir()
        assert harness(*command(provider.url), cwd=folder).returncode == 0
    assert not left.exists()
    assert (folder / "trials" / ".lock").read_bytes() == b""


def test_two_runs_in_one_folder(folder):
    with server(lambda body, at: STALL) as provider, started(*command(provider.url), cwd=folder) as process:
        wait_for(lambda: bool(provider.exchanges), "the request")
        done = harness(*command(provider.url), cwd=folder)
        process.terminate()
        process.communicate(timeout=20)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "harness: trials: another `harness run` works in it; wait for it to end\n"
