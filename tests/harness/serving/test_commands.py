"""What stands between a command line and the servers."""

from __future__ import annotations

import os
import sys

import pytest

import harness
from harness.config import Config
from harness.errors import HarnessError, RecordingError
from harness.recorder.recorder import Recorder
from harness.serving import commands
from harness.serving.answer import ReplayServer
from harness.serving.commands import doors_for, need_extra, read_calls, report, run_with
from tests.harness.serving.kit import ask, prompt, recording
from tests.loopback import Exchange

pytestmark = pytest.mark.anyio


async def hello(exchange: Exchange) -> None:
    await exchange.whole(b"hello", content_type="text/plain")


def test_a_missing_extra_is_named(monkeypatch):
    need_extra()
    monkeypatch.setattr(commands, "find_spec", lambda name: None)
    with pytest.raises(HarnessError, match=r"pip install 'trajectory-harness\[serve\]'"):
        need_extra()


def test_an_upstream_that_cannot_be_used_is_told():
    with pytest.raises(HarnessError, match="--upstream"):
        doors_for(Config(), ["nowhere"])


async def test_calls_of_several_recordings_with_their_normalizers(tmp_path):
    for name, normalizers in (("a", ["ids"]), ("b", ["ids", "dates"])):
        async with recording(tmp_path / f"{name}.jsonl", hello, normalizers=normalizers) as proxy:
            await ask(proxy.url, json=prompt(name))
    said = []
    paths = [tmp_path / "a.jsonl", tmp_path / "b.jsonl"]
    found, normalizers = read_calls(paths, said.append)
    assert [(path, call.request.body["messages"][0]["content"]) for path, call in found] == [
        (paths[0], "a"), (paths[1], "b"),
    ]  # fmt: skip
    assert normalizers == ["ids", "dates"]
    assert said == []


def test_a_recording_without_calls_answers_nothing(tmp_path):
    Recorder(tmp_path / "r.jsonl").close()
    with pytest.raises(RecordingError, match="no call in it"):
        read_calls([tmp_path / "r.jsonl"], print)


async def test_a_damaged_recording_is_told(tmp_path):
    async with recording(tmp_path / "r.jsonl", hello) as proxy:
        await ask(proxy.url)
    path = tmp_path / "r.jsonl"
    path.write_bytes(path.read_bytes()[:-20])
    said = []
    read_calls([path], said.append)
    assert said
    assert all(line.startswith(f"warning {path}") for line in said)


async def test_a_command_finds_the_server(tmp_path):
    async with recording(tmp_path / "r.jsonl", hello) as proxy:
        await ask(proxy.url)
    calls, _ = read_calls([tmp_path / "r.jsonl"], print)
    doors = doors_for(Config())
    server = ReplayServer([call for _, call in calls], doors)
    code = f"""
import json, os, urllib.request
assert os.environ["OPENAI_BASE_URL"] == os.environ["HARNESS_PROXY_URL"] + "/openai/v1"
url = os.environ["OPENAI_BASE_URL"] + "/chat/completions"
answer = urllib.request.urlopen(url, json.dumps({prompt()!r}).encode())
raise SystemExit(5 if answer.read() == b"hello" else 6)
"""
    said = []
    ended = await run_with(server, doors, 0, [sys.executable, "-c", code], said.append)
    assert ended.status == 5
    assert len(said) == 1
    assert "http://127.0.0.1:" in said[0]
    assert "HARNESS_PROXY_URL" not in os.environ


async def test_the_report_names_what_was_missed_and_left(tmp_path):
    async with recording(tmp_path / "r.jsonl", hello) as proxy:
        await ask(proxy.url)
    calls = [(tmp_path / "r.jsonl", call) for call in harness.open(tmp_path / "r.jsonl").calls]
    server = ReplayServer([call for _, call in calls], doors_for(Config()))
    server.misses.append("a miss")
    server.faults.append("a fault")
    said = []
    report(server, calls, said.append, misses=True)
    assert said == [
        "calls: 0 answered, 1 missed, 1 unused",
        "miss: a miss",
        f"unused: call 0 of {tmp_path / 'r.jsonl'}: POST {calls[0][1].url}",
        "fault: a fault",
    ]


async def test_the_report_of_a_program_that_asked_for_nothing(tmp_path):
    async with recording(tmp_path / "r.jsonl", hello) as proxy:
        for _ in range(12):
            await ask(proxy.url)
    calls = [(tmp_path / "r.jsonl", call) for call in harness.open(tmp_path / "r.jsonl").calls]
    server = ReplayServer([call for _, call in calls], doors_for(Config()))
    said = []
    report(server, calls, said.append, misses=True)
    assert said[0] == "calls: 0 answered, 0 missed, 12 unused"
    assert [line.partition(":")[0] for line in said[1:11]] == ["unused"] * 10
    assert said[11] == "2 more unused calls"
    assert said[12].startswith("nothing was asked for: the program reads none of the variables it was given? ")
    said.clear()
    report(server, calls, said.append, misses=False)
    assert said[-1] == "2 more unused calls"
