"""Ctrl-C and a polite kill while `harness ask` waits for a provider or runs a tool."""

from __future__ import annotations

import json
import os
import signal
import subprocess

import pytest

from tests.command import harness, is_running, started, wait_for
from tests.scripted import fixture, scripted

NUMBERS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
each_signal = pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number.name)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "garden").mkdir()
    return tmp_path


def ask(url, *more):
    return ("ask", "-m", "openai/any", "--base-url", url, "--workspace", "garden", *more, "Wait")


def assert_closed_and_replays(folder):
    last = json.loads((folder / "out.jsonl").read_text("utf-8").splitlines()[-1])
    assert (last["kind"], last["status"]) == ("end", "cancelled")
    done = harness("replay", "out.jsonl", cwd=folder)
    assert done.returncode == 0, done.stdout


@each_signal
def test_while_a_tool_runs(folder, number):
    answer = fixture("openai-chat/session-shell.sse")
    with scripted([answer]) as provider, started(*ask(provider.url, "-b", "--out", "out.jsonl"), cwd=folder) as process:
        files = [folder / "garden" / name for name in ("shell.pid", "background.pid")]
        wait_for(lambda: all(path.exists() and path.read_text().strip() for path in files), "the tool to run")
        pids = [int(path.read_text()) for path in files]
        assert all(map(is_running, pids))
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert not any(map(is_running, pids))
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert (process.returncode, out) == (130, b"")
    assert err.decode().splitlines()[1:] == ["cancelled · recorded in out.jsonl"]
    assert_closed_and_replays(folder)


@each_signal
def test_while_the_answer_comes(folder, number):
    answer = fixture("openai-chat/truncated.sse", ending="stall")
    with (
        scripted([answer]) as provider,
        started(*ask(provider.url, "--json", "--out", "out.jsonl"), cwd=folder) as process,
    ):
        assert json.loads(process.stdout.readline())["event"] == "text"
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
        wait_for(lambda: provider.closed_by_client == 1, "the connection to be closed")
    assert (process.returncode, err.decode()) == (130, "cancelled · recorded in out.jsonl\n")
    assert_closed_and_replays(folder)


@each_signal
def test_before_an_answer(folder, number):
    answer = fixture("anthropic/empty.sse", ending="stall")
    with scripted([answer]) as provider, started(*ask(provider.url, "--no-record"), cwd=folder) as process:
        wait_for(lambda: bool(provider.exchanges), "the request")
        process.send_signal(number)
        out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"cancelled\n")


def test_a_hangup_that_is_ignored(folder):
    """As under `nohup`: the turn goes on."""
    answer = fixture("openai-chat/truncated.sse", ending="stall")
    with (
        scripted([answer]) as provider,
        started(*ask(provider.url, "--json", "--out", "out.jsonl"), cwd=folder, preexec_fn=ignore_hangup) as process,
    ):
        assert process.stdout.readline()
        process.send_signal(signal.SIGHUP)
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(0.3)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert process.returncode == 130


def ignore_hangup():
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
