"""Sessions of many calls, each of which sends the whole history again: what is kept and done of it once, stays so."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from itertools import pairwise

import pytest

import harness
from agent.loop_types import Limits
from harness.errors import ReplayMismatch
from harness.recorder.continuing import continued
from harness.recorder.recorder import Recorder
from harness.recording import lines
from harness.replaying import matching
from harness.replaying.replay_transport import ReplayTransport
from harness.replaying.replayer import replay_recording
from harness.replaying.rerun import rerun
from tests.harness.cli.cli import call
from tests.harness.sessions import Turn, chat, record
from tests.harness.transports import BODY, URL, Reply, Scripted, comparable, family, recorder, records

CALLS = 60


def session(calls, budget=10**9):
    """One turn of so many calls; each adds about 2,500 characters to the history."""
    rounds = [chat(f"round {n} " * 30, calls=[(f"c{n}", "look", f'{{"at":"{n}"}}')]) for n in range(calls - 1)]
    limits = Limits(max_iterations=calls, max_repeats=0, max_request_chars=budget)
    tools = {"look": lambda tool_call: f"{tool_call.input} " + "what the tool has found. " * 80}
    return Turn([*rounds, chat("done")], tools=tools, limits=limits)


@pytest.fixture(scope="module")
def long(tmp_path_factory):
    return record(tmp_path_factory.mktemp("long") / "r.jsonl", session(CALLS))


def bytes_of_calls(path):
    sizes = Counter()
    for line in path.read_bytes().splitlines():
        sizes[json.loads(line).get("call")] += len(line)
    return [sizes[number] for number in range(len(harness.open(path).calls))]


def test_each_call_takes_as_much_as_the_one_before(long):
    sizes = bytes_of_calls(long)
    assert len(sizes) == CALLS
    assert max(sizes[1:]) < 1.05 * min(sizes[1:-1])
    sent = sum(len(one.content()) for one in harness.open(long).calls)
    assert sent > 8 * long.stat().st_size


@pytest.mark.parametrize("budget", [12_000, 30_000])
def test_a_history_that_is_trimmed_too(tmp_path, budget):
    """Trimming changes each message once; what it changed, and the rest, is still taken from earlier calls."""
    path = record(tmp_path / "r.jsonl", session(CALLS, budget))
    sizes = bytes_of_calls(path)
    assert max(sizes[1:]) < 1.3 * min(sizes[1:-1])
    assert replay_recording(path).status == "pass"


def test_bodies_share_what_they_have_in_common(long):
    bodies = [one.request.body["messages"] for one in harness.open(long).calls]
    for before, after in pairwise(bodies):
        assert len(after) == len(before) + 2
        assert all(one is other for one, other in zip(before, after, strict=False))


def test_reading_parses_each_line_once(long, monkeypatch):
    parsed = []

    class Counting:
        JSONDecodeError = lines.orjson.JSONDecodeError

        @staticmethod
        def loads(line, real=lines.orjson.loads):
            parsed.append(len(line))
            return real(line)

    monkeypatch.setattr(lines, "orjson", Counting)
    recording = harness.open(long)
    assert len(recording.calls) == CALLS
    assert sum(parsed) + len(parsed) == long.stat().st_size


@pytest.fixture
def made_canonical(monkeypatch):
    """The bodies that were made canonical for matching."""
    found = []
    real = matching.canonical
    monkeypatch.setattr(matching, "canonical", lambda value: found.append(len(data := real(value))) or data)
    return found


def test_replaying_looks_at_each_request_and_each_recorded_one_once(long, made_canonical):
    found = replay_recording(long)
    assert (found.status, found.calls) == ("pass", CALLS)
    assert len(made_canonical) == 2 * CALLS
    sent = sum(len(one.content()) for one in harness.open(long).calls)
    assert sum(made_canonical) <= 2 * sent


def test_a_replay_transport_keeps_no_bodies(long):
    transport = ReplayTransport(harness.open(long).calls)
    assert len(transport.unused) == CALLS
    assert all((len(key.body), key.value) == (32, None) for key in transport._waiting)


def test_a_miss_that_nobody_is_told_of_compares_nothing(long, made_canonical):
    transport = ReplayTransport(harness.open(long).calls, explains=False)
    made_canonical.clear()
    with pytest.raises(ReplayMismatch, match="no recorded call answers POST /v1/chat/completions"):
        family("httpx").Client(transport=transport).post(URL, content=BODY)
    assert len(made_canonical) == 1


def test_the_recording_of_its_replay_is_the_same(long, tmp_path):
    with recorder(tmp_path / "again.jsonl") as made:
        assert asyncio.run(rerun(harness.open(long), made)) is None
    again, once = comparable(tmp_path / "again.jsonl"), comparable(long)
    for found in (again, once):
        for one in found:
            if one["kind"] == "loop":
                one["data"].pop("cost_usd", None)
    assert again == once


def test_show_tells_each_text_once(long):
    shown = call("show", long, "--full")
    assert shown.exit_code == 0
    assert shown.stdout.count("round 7 " * 5) <= 6
    assert len(shown.stdout) < 2 * long.stat().st_size
    assert call("show", long, "--json").exit_code == 0


def test_appending_reads_what_is_new_in_each_request(long, tmp_path, monkeypatch):
    path = tmp_path / "r.jsonl"
    path.write_bytes(long.read_bytes())
    printed = []
    real = harness.recording.bodies.dumps
    monkeypatch.setattr(
        "harness.recording.bodies.dumps", lambda value: printed.append(len(data := real(value))) or data
    )
    made = Recorder(path, append=True)
    assert sum(printed) < long.stat().st_size
    body = harness.open(long).calls[-1].content()
    family("httpx").Client(transport=made.transport(Scripted([Reply()]))).post(URL, content=body)
    made.close()
    last = next(r for r in reversed(records(path)) if r["kind"] == "request")
    assert len(json.dumps(last)) < 1000


def test_a_session_that_goes_on_turn_by_turn(tmp_path):
    """Each turn in a process of its own, as with `harness ask --continue`."""
    path = tmp_path / "r.jsonl"
    sizes = []
    history = []
    for number in range(20):
        turn = Turn([chat(f"answer {number} " * 40)], input=f"question {number} " * 40, history=history)
        record(path, turn, append=number > 0)
        history = continued(harness.open(path).turns[-1])
        sizes.append(path.stat().st_size - sum(sizes))
    assert max(sizes[2:]) < 1.1 * min(sizes[2:])
    assert len(harness.open(path, strict=True).turns[-1].history) == 38
    assert replay_recording(path).status == "pass"
