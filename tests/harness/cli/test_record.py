"""`harness record` as a user runs it: a program of any kind, recorded from outside, then replayed."""

from __future__ import annotations

import json
import os
import signal
import sys
import time

import pytest

import harness
from tests.command import harness as run
from tests.command import started, wait_for
from tests.loopback import serve
from tests.threads import in_thread

pytest.importorskip("starlette", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

CLIENT = """
import json, os, sys, urllib.request
body = {"model": "tiny", "messages": [{"role": "user", "content": sys.argv[1]}]}
request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(body).encode(),
                                 {"authorization": "Bearer " + os.environ.get("OPENAI_API_KEY", "none")})
try:
    print(json.load(urllib.request.urlopen(request))["answer"], flush=True)
except urllib.error.HTTPError as error:
    print(json.load(error)["error"]["message"], flush=True)
    sys.exit(4)
sys.exit(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
"""
KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789"


async def answers(exchange):
    body = json.loads(exchange.body)
    reply = {"answer": f"you said {body['messages'][0]['content']}"}
    await exchange.whole(json.dumps(reply).encode(), content_type="application/json")


@pytest.fixture
def upstream():
    with in_thread(serve(answers)) as server:
        yield server


@pytest.fixture
def client(tmp_path):
    path = tmp_path / "client.py"
    path.write_text(CLIENT)
    return [sys.executable, str(path)]


def test_record_then_replay_twice_then_a_changed_prompt(tmp_path, upstream, client):
    recorded = run("record", "-o", "r.jsonl", "--upstream", upstream.url, "--", *client, "hi", cwd=tmp_path,
                   environ={"OPENAI_API_KEY": KEY})  # fmt: skip
    assert (recorded.returncode, recorded.stdout) == (0, "you said hi\n")
    assert "recorded 1 call in r.jsonl" in recorded.stderr
    assert KEY not in (tmp_path / "r.jsonl").read_text()
    assert upstream.exchanges[0].headers["authorization"] == f"Bearer {KEY}"
    recording = harness.open(tmp_path / "r.jsonl", strict=True)
    assert [call.url for call in recording.calls] == [f"{upstream.url}/v1/chat/completions"]
    assert recording.end["status"] == "ok"
    asked = len(upstream.exchanges)
    for _ in range(2):
        replayed = run("replay", "r.jsonl", "--", *client, "hi", cwd=tmp_path)
        assert (replayed.returncode, replayed.stdout) == (0, recorded.stdout)
    missed = run("replay", "r.jsonl", "--", *client, "changed", cwd=tmp_path)
    assert missed.returncode == 4
    assert 'messages[0].content: recorded "hi", sent "changed"' in missed.stdout
    assert 'messages[0].content: recorded "hi", sent "changed"' in missed.stderr
    assert "unused: call 0 of r.jsonl" in missed.stderr
    assert len(upstream.exchanges) == asked


def test_the_status_is_the_programs_and_stands_in_the_recording(tmp_path, upstream, client):
    done = run("record", "-q", "-o", "r.jsonl", "--upstream", upstream.url, *client, "hi", "3", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (3, "")
    assert harness.open(tmp_path / "r.jsonl").end["status"] == "error"


def test_a_base_url_that_is_set_stays_the_upstream(tmp_path, upstream, client):
    environ = {"OPENAI_BASE_URL": f"{upstream.url}/own/v1"}
    done = run("record", "-o", "r.jsonl", "--", *client, "hi", cwd=tmp_path, environ=environ)
    assert done.stdout == "you said hi\n"
    assert [exchange.path for exchange in upstream.exchanges] == ["/own/v1/chat/completions"]
    for again in ({}, environ):
        replayed = run("replay", "r.jsonl", "--", *client, "hi", cwd=tmp_path, environ=again)
        assert (replayed.returncode, replayed.stdout) == (0, "you said hi\n")


def test_without_a_name_it_goes_into_recordings(tmp_path, upstream, client):
    done = run("record", "--upstream", upstream.url, "--tag", "one", "--task", "tea", "--", *client, "hi", cwd=tmp_path)
    [path] = (tmp_path / "recordings").iterdir()
    assert str(path.relative_to(tmp_path)) in done.stderr
    header = harness.open(path).header
    assert (header["task"], header["tags"]) == ("tea", ["one"])


def test_an_existing_recording_is_kept_until_there_is_a_new_one(tmp_path, upstream, client):
    (tmp_path / "r.jsonl").write_text("the old one")
    refused = run("record", "-o", "r.jsonl", "--", *client, "hi", cwd=tmp_path)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    nothing = run("record", "-o", "r.jsonl", "--force", "--", sys.executable, "-c", "", cwd=tmp_path)
    assert nothing.returncode == 0
    assert (tmp_path / "r.jsonl").read_text() == "the old one"
    done = run("record", "-o", "r.jsonl", "--force", "--upstream", upstream.url, "--", *client, "hi", cwd=tmp_path)
    assert done.returncode == 0
    assert len(harness.open(tmp_path / "r.jsonl", strict=True).calls) == 1
    assert sorted(path.name for path in tmp_path.glob("r.jsonl*")) == ["r.jsonl"]


def test_a_program_that_does_not_come_through_is_told(tmp_path):
    done = run("record", "-o", "r.jsonl", "--", sys.executable, "-c", "print('done')", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "done\n")
    assert "no call came through the proxy" in done.stderr
    assert "HARNESS_PROXY_URL" in done.stderr
    assert not (tmp_path / "r.jsonl").exists()


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["record"], "COMMAND"),
        (["record", "--", "no-such-program"], "cannot run no-such-program"),
        (["record", "--upstream", "nowhere", "--", "true"], "--upstream"),
        (["record", "-o", ".", "--", "true"], "folder"),
        (["record", "--normalizer", "none", "--", "true"], "unknown normalizer"),
        (["record", "--no-such-option", "--", "true"], "--no-such-option"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_line(tmp_path, args, reason):
    done = run(*args, cwd=tmp_path)
    assert done.returncode == 2
    assert reason in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.rglob("*.jsonl"))


def test_normalizers_of_a_recording_count_when_it_is_replayed(tmp_path, upstream, client):
    run("record", "-o", "r.jsonl", "--normalizer", "dates", "--upstream", upstream.url, "--", *client,
        "today is 2026-01-02", cwd=tmp_path)  # fmt: skip
    replayed = run("replay", "r.jsonl", "--", *client, "today is 2027-12-31", cwd=tmp_path)
    assert (replayed.returncode, replayed.stdout) == (0, "you said today is 2026-01-02\n")


SLEEPER = """
import os, pathlib, signal, sys, time, urllib.request
def caught(number, frame):
    print("caught", signal.Signals(number).name, flush=True)
    sys.exit(9)
signal.signal(signal.SIGINT, caught)
signal.signal(signal.SIGTERM, caught)
try:
    urllib.request.urlopen(os.environ["OPENAI_BASE_URL"] + "/models").read()
except OSError:
    pass
pathlib.Path("ready").touch()
time.sleep(60)
"""


@pytest.mark.parametrize("name", ["SIGINT", "SIGTERM"])
def test_a_signal_reaches_the_program(tmp_path, upstream, name):
    (tmp_path / "sleeper.py").write_text(SLEEPER)
    command = ["record", "-o", "r.jsonl", "--upstream", upstream.url, "--", sys.executable, "sleeper.py"]
    with started(*command, cwd=tmp_path) as process:
        wait_for((tmp_path / "ready").exists, "the program")
        os.kill(process.pid, getattr(signal, name))
        out, _ = process.communicate(timeout=20)
    assert out.decode() == f"caught {name}\n"
    assert process.returncode == 9
    assert harness.open(tmp_path / "r.jsonl", strict=True).end["status"] == "cancelled"


def test_what_the_program_prints_comes_at_once_and_input_reaches_it(tmp_path):
    code = "import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)"
    with started("record", "-q", "--", sys.executable, "-c", code, cwd=tmp_path) as process:
        process.stdin.write(b"one\n")
        process.stdin.flush()
        assert process.stdout.readline() == b"ONE\n"
        process.stdin.close()
        assert process.wait(20) == 0


def test_it_ends_with_the_program_although_a_grandchild_keeps_a_call_open(tmp_path):
    async def endless(exchange):
        await exchange.head()
        await exchange.send(b"data: {}\n\n")
        await exchange.until_closed()

    grandchild = "import os, urllib.request; urllib.request.urlopen(os.environ['OPENAI_BASE_URL']).read()"
    code = f"""
import subprocess, sys, time
child = subprocess.Popen([sys.executable, "-c", {grandchild!r}], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
time.sleep(1)
print("done", flush=True)
"""
    with in_thread(serve(endless)) as upstream:
        began = time.monotonic()
        command = ["record", "-o", "r.jsonl", "--upstream", upstream.url, "--", sys.executable, "-c", code]
        done = run(*command, cwd=tmp_path)
    assert done.returncode == 0
    assert time.monotonic() - began < 30
    [call] = harness.open(tmp_path / "r.jsonl", strict=True).calls
    assert (call.end.kind, call.body()) == ("closed", b"data: {}\n\n")
