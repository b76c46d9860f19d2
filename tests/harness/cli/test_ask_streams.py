"""The streams of `harness ask` as another process: when text arrives, pipes that close, encodings, no key needed."""

from __future__ import annotations

import json
import subprocess

import pytest

from tests.command import harness, started, wait_for
from tests.scripted import fixture, scripted

STALLED = fixture("openai-chat/truncated.sse", ending="stall")
TEXT = fixture("openai-chat/session-answer.sse")
ANSWER = "The folder holds a plan and a list of seeds; tea is at four. ☕\n"


def ask(url, *more):
    return ("ask", "-m", "openai/any", "--base-url", url, "--no-tools", *more, "hi")


@pytest.mark.parametrize("mode", [[], ["--json"]], ids=["human", "json"])
def test_text_arrives_while_the_answer_still_comes(tmp_path, mode):
    with scripted([STALLED]) as provider, started(*ask(provider.url, *mode), cwd=tmp_path) as process:
        assert process.stdout.read1(4096)
        assert process.poll() is None


@pytest.mark.parametrize("mode", [[], ["--json"]], ids=["human", "json"])
def test_a_reader_that_has_gone(tmp_path, mode):
    """As `harness ask ... | head -1`: no traceback, a closed recording, the connection closed."""
    calls, answers = fixture("openai-chat/session-parallel.sse"), [TEXT] * 3
    with scripted([calls, *answers]) as provider:
        words = ("ask", "-m", "openai/any", "--base-url", provider.url, *mode, "--out", "a.jsonl", "hi")
        with started(*words, cwd=tmp_path) as process:
            process.stdout.close()
            process.wait(20)
            told = process.stderr.read().decode()
        assert process.returncode == 1
        assert "Traceback" not in told
        assert "Broken" not in told
    last = json.loads((tmp_path / "a.jsonl").read_text("utf-8").splitlines()[-1])
    assert (last["kind"], last["status"]) == ("end", "cancelled")
    assert harness("replay", "a.jsonl", cwd=tmp_path).returncode == 0


def test_both_streams_into_a_pipe_that_closes(tmp_path):
    with scripted([fixture("openai-chat/session-parallel.sse"), TEXT]) as provider:
        words = ("ask", "-m", "openai/any", "--base-url", provider.url, "--no-record", "hi")
        with started(*words, cwd=tmp_path, stderr=subprocess.STDOUT) as process:
            process.stdout.close()
            assert process.wait(20) == 1


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_terminal_that_lacks_a_character(tmp_path, encoding):
    with scripted([TEXT, TEXT]) as provider:
        done = harness(*ask(provider.url, "-q"), cwd=tmp_path, environ={"PYTHONIOENCODING": encoding})
        assert (done.returncode, done.stdout) == (0, ANSWER.replace("☕", "?"))
        done = harness(*ask(provider.url, "--json"), cwd=tmp_path, environ={"PYTHONIOENCODING": encoding})
    texts = [json.loads(line) for line in done.stdout.splitlines()]
    assert "".join(event["data"]["delta"] for event in texts if event["event"] == "text") == ANSWER.rstrip("\n")


def test_stdin_is_the_prompt(tmp_path):
    with scripted([TEXT]) as provider:
        words = ("ask", "-m", "openai/any", "--base-url", provider.url, "-q", "-")
        assert harness(*words, cwd=tmp_path, stdin="Wieviel Uhr ist es, Zoë?").stdout == ANSWER
        body = json.loads(provider.exchanges[0].body)
    assert body["messages"][-1]["content"] == "Wieviel Uhr ist es, Zoë?"


def test_the_recording_is_whole_up_to_a_kill(tmp_path):
    words = (*ask("URL"), "--out", "a.jsonl")
    with scripted([STALLED]) as provider:
        words = [provider.url if word == "URL" else word for word in words]
        with started(*words, cwd=tmp_path) as process:
            assert process.stdout.read1(4096)
            wait_for(lambda: '"text"' in (tmp_path / "a.jsonl").read_text("utf-8"), "the text in the recording")
            process.kill()
    done = harness("replay", "a.jsonl", cwd=tmp_path)
    assert done.returncode == 0, done.stdout
    assert "warning a.jsonl: the recording was not closed" in done.stderr
