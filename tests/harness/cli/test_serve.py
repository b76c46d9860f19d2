"""`harness serve` and `harness replay FILE -- COMMAND`, and their exit statuses."""

from __future__ import annotations

import json
import signal
import sys
import urllib.error
import urllib.request

import pytest

from tests.command import harness as run
from tests.command import started
from tests.loopback import serve
from tests.threads import in_thread

pytest.importorskip("starlette", reason="the extra `serve` is not installed")
pytest.importorskip("uvicorn", reason="the extra `serve` is not installed")

CLIENT = """
import json, os, sys, urllib.request
for prompt in sys.argv[1:]:
    body = json.dumps({"model": "tiny", "messages": [prompt]}).encode()
    try:
        print(urllib.request.urlopen(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body).read().decode())
    except urllib.error.HTTPError as error:
        print(error.code)
"""


async def echo(exchange):
    await exchange.whole(json.dumps(json.loads(exchange.body)["messages"]).encode(), content_type="application/json")


@pytest.fixture
def client(tmp_path):
    (tmp_path / "client.py").write_text(CLIENT)
    return [sys.executable, "client.py"]


@pytest.fixture
def recorded(tmp_path, client):
    """A recording of the prompts a and b."""
    with in_thread(serve(echo)) as upstream:
        run("record", "-o", "r.jsonl", "--upstream", upstream.url, "--", *client, "a", "b", cwd=tmp_path)
    return "r.jsonl"


def post(url, prompt):
    body = json.dumps({"model": "tiny", "messages": [prompt]}).encode()
    try:
        with urllib.request.urlopen(url + "/chat/completions", body) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def served(process):
    """The base URL for OpenAI clients that a started server prints."""
    for line in process.stdout:
        name, _, value = line.decode().removeprefix("export ").strip().partition("=")
        if name == "OPENAI_BASE_URL":
            return value
    raise AssertionError(process.stderr.read().decode())


def stop(process):
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    return process.returncode, err.decode()


def test_serve_answers_until_it_is_stopped_and_tells_what_was_left(tmp_path, recorded):
    with started("serve", recorded, cwd=tmp_path) as process:
        url = served(process)
        assert post(url, "a") == (200, ["a"])
        status, body = post(url, "c")
        code, err = stop(process)
    assert status == 400
    assert 'messages[0]: recorded "b", sent "c"' in body["error"]["message"]
    assert code == 0
    assert "1 answered, 1 missed, 1 unused" in err
    assert err.count("miss:") == 1
    assert "unused: call 1 of r.jsonl" in err


@pytest.mark.parametrize(("asked", "code"), [("ab", 0), ("a", 1), ("abc", 1)])
def test_a_strict_server_fails_where_a_call_was_left_or_missed(tmp_path, recorded, asked, code):
    with started("serve", "--strict", recorded, cwd=tmp_path) as process:
        url = served(process)
        for prompt in asked:
            post(url, prompt)
        assert stop(process)[0] == code


def test_a_repeating_server_answers_again(tmp_path, recorded):
    with started("serve", "--repeat", ".", cwd=tmp_path) as process:
        url = served(process)
        assert [post(url, prompt)[0] for prompt in "aabba"] == [200] * 5
        assert stop(process)[0] == 0


@pytest.mark.parametrize(
    ("options", "asked", "code"),
    [([], "ab", 0), ([], "a", 0), (["--strict"], "ab", 0), (["--strict"], "a", 1), ([], "abc", 1),
     (["--ignore", "messages"], "xy", 0), (["--speed", "1000"], "ab", 0), (["--match-host"], "ab", 0)],
)  # fmt: skip
def test_the_status_of_a_replayed_program(tmp_path, client, recorded, options, asked, code):
    done = run("replay", *options, recorded, "--", *client, *asked, cwd=tmp_path)
    assert done.returncode == code
    assert f"{min(len(asked), 2)} answered" in done.stderr


@pytest.mark.parametrize(
    ("args", "reason"),
    [
        (["serve"], "FILES"),
        (["serve", "none.jsonl"], "none.jsonl"),
        (["serve", "--speed", "0", "r.jsonl"], "--speed"),
        (["serve", "--normalizer", "odd", "r.jsonl"], "unknown normalizer"),
        (["replay", "--"], "PATHS"),
        (["replay", "r.jsonl", "--"], "COMMAND"),
        (["replay", "none.jsonl", "--", "true"], "none.jsonl"),
        (["replay", "r.jsonl", "--", "no-such-program"], "cannot run no-such-program"),
        (["replay", "--speed", "1", "r.jsonl"], "-- COMMAND"),
    ],
)
def test_a_wrong_command_line_is_told_in_one_line(tmp_path, recorded, args, reason):
    done = run(*args, cwd=tmp_path)
    assert done.returncode == 2
    assert reason in done.stderr
    assert "Traceback" not in done.stderr
