"""`harness ask` against a real server, as a user runs it, in each wire format that the server speaks."""

from __future__ import annotations

import json
import signal

import pytest

import harness as library
from tests.command import harness, started
from tests.llamacpp import SENTENCE
from tests.proxy import proxy

MIDDLE = {"openai": 2600, "openai-responses": 4500, "anthropic": 2400}
"""Bytes of a response after which the answer has begun but not ended."""
PROVIDERS = tuple(MIDDLE)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "garden").mkdir()
    (tmp_path / "garden" / "plan.txt").write_text("Tea at four.\n", "utf-8")
    return tmp_path


def ask(provider, url):
    return ("ask", "-m", f"{provider}/tiny", "--base-url", url, "--workspace", "garden", "--out", "out.jsonl")


def assert_replays(folder, name="out.jsonl"):
    done = harness("replay", name, cwd=folder)
    assert done.returncode == 0, done.stdout
    assert "1 passed, 0 failed" in done.stdout


def events_of(folder, kind):
    calls = library.open(folder / "out.jsonl").calls
    return [record["event"] for call in calls for record in call.event_records if record["event"]["type"] == kind]


def end_of(folder):
    last = json.loads((folder / "out.jsonl").read_text("utf-8").splitlines()[-1])
    assert last["kind"] == "end"
    return last


@pytest.mark.parametrize("provider", PROVIDERS)
def test_tools_then_an_answer(server, folder, provider):
    done = harness(*ask(provider, server), "What is here?", cwd=folder)
    assert (done.returncode, done.stdout) == (0, SENTENCE + "\n"), done.stderr
    assert done.stderr.splitlines()[-1].endswith("· stop · recorded in out.jsonl")
    assert events_of(folder, "tool_call")
    assert "".join(event["text"] for event in events_of(folder, "reasoning")) == "The user wants one greeting"
    assert end_of(folder) | {"status": "ok", "calls": 2, "turns": 1} == end_of(folder)
    assert_replays(folder)


@pytest.mark.parametrize("provider", PROVIDERS)
def test_without_tools(server, folder, provider):
    done = harness(*ask(provider, server), "--no-tools", "-q", "Hello", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, SENTENCE + "\n", "")
    assert_replays(folder)


@pytest.mark.parametrize(
    ("provider", "param"),
    [
        ("openai", "temperature=hot"),
        ("anthropic", "temperature=hot"),
        ("openai-responses", "previous_response_id=resp_0"),
    ],
)
def test_a_refused_request(server, folder, provider, param):
    done = harness(*ask(provider, server), "--param", param, "Hello", cwd=folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("error: Provider HTTP 400: ")
    (error,) = events_of(folder, "error")
    assert (error["kind"], error["status"]) == ("invalid_request", 400)
    assert end_of(folder)["status"] == "error"
    assert_replays(folder)


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("ending", ["reset", "cut"])
def test_a_connection_that_breaks_in_mid_stream(server, folder, provider, ending):
    with proxy(server, MIDDLE[provider], ending) as url:
        done = harness(*ask(provider, url), "--no-tools", "Hello", cwd=folder)
    assert done.returncode == 1
    assert SENTENCE.startswith(done.stdout.strip())
    (error,) = events_of(folder, "error")
    assert (error["kind"], error["status"]) == ("truncated_stream", 200)
    assert f"error: {error['message']}" in done.stderr
    assert end_of(folder)["status"] == "error"
    (call,) = library.open(folder / "out.jsonl").calls
    assert call.end.kind == "error"
    assert_replays(folder)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["SIGINT", "SIGTERM"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_interrupted_while_the_server_answers(server, folder, provider, number):
    with (
        proxy(server, MIDDLE[provider], "stall") as url,
        started(*ask(provider, url), "--json", "--no-tools", "Hello", cwd=folder) as process,
    ):
        assert process.stdout.readline()
        process.send_signal(number)
        _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, b"cancelled \xc2\xb7 recorded in out.jsonl\n")
    assert events_of(folder, "error") == []
    assert events_of(folder, "usage")[-1]["stop_reason"] == "cancelled"
    assert end_of(folder)["status"] == "cancelled"
    assert_replays(folder)
