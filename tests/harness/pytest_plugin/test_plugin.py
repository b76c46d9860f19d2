"""The marker and the fixture, modes and the closed network, in runs of pytest."""

from __future__ import annotations

from importlib.util import find_spec

import pytest

import harness
from harness.clients.modes import VARIABLE
from tests.harness.plugin_runs import ANSWER, XDIST, write
from tests.scripted import Answer, scripted

pytest_plugins = ["pytester"]


@pytest.fixture
def server():
    with scripted([ANSWER] * 20) as server:
        yield server


class TestFixture:
    def test_a_test_has_a_file_of_its_own(self, run, pytester, server):
        module = write(pytester, server.url, """
@pytest.mark.parametrize("family", ["httpx", "a/b"])
def test_one(recording, family):
    assert recording.client().post(URL, json=body(family)).status_code == 200

class TestX:
    @pytest.mark.recording
    def test_two(self):
        assert httpx.post(URL, json=body("two")).status_code == 200
""")  # fmt: skip
        run("--record-mode=record").assert_outcomes(passed=3)
        folder = module.parent / "recordings" / module.stem
        assert sorted(path.name for path in folder.iterdir()) == [
            "TestX.test_two.jsonl", "test_one[a-b].jsonl", "test_one[httpx].jsonl",
        ]  # fmt: skip
        assert harness.open(folder / "TestX.test_two.jsonl").header["task"] == f"{module.name}::TestX::test_two"
        asked = len(server.exchanges)
        run().assert_outcomes(passed=3)
        run("recordings").assert_outcomes(passed=3)
        assert len(server.exchanges) == asked == 3

    def test_a_missing_recording_says_how_to_make_it(self, run, pytester, server):
        module = write(pytester, server.url, """
def test_one(recording):
    recording.client().post(URL, json=body("a"))

def test_nothing_asked(recording):
    pass
""")  # fmt: skip
        result = run()
        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines([
            f"E * no recorded call answers POST /v1/chat/completions*test_one.jsonl is missing; record it anew: pytest "
            f"{module.name}::test_one --record-mode=record*"
        ])  # fmt: skip
        assert server.exchanges == []

    def test_a_recording_that_cannot_be_used_is_told_in_one_line(self, run, pytester):
        module = write(pytester, "http://127.0.0.1:9", """
@pytest.mark.recording
def test_one(): pass

@pytest.mark.recording(oddity=1)
def test_two(): pass
""")  # fmt: skip
        path = module.parent / "recordings" / module.stem / "test_one.jsonl"
        path.parent.mkdir(parents=True)
        path.write_text("nothing\n")
        result = run()
        result.assert_outcomes(errors=2)
        result.stdout.fnmatch_lines([f"{path}: not a recording: *", "@pytest.mark.recording: *'oddity'"])
        for line in ("*During handling*", "*in around*", "*_file.py*"):
            result.stdout.no_fnmatch_line(line)

    def test_a_miss_shows_no_frames_of_this_package(self, run, pytester, server):
        write(pytester, server.url, """
@pytest.mark.recording
def test_one():
    httpx.post(URL, json=body("a"))
""")  # fmt: skip
        result = run()
        result.assert_outcomes(failed=1)
        result.stdout.no_fnmatch_line("*clients/*.py:*")

    def test_a_miss_that_the_code_swallows_fails_the_test(self, run, pytester, server):
        write(pytester, server.url, """
@pytest.mark.recording
def test_one():
    try:
        httpx.post(URL, json=body(text("prompt")))
    except Exception:
        pass
""")  # fmt: skip
        prompt = pytester.path / "prompt"
        prompt.write_text("a")
        run("--record-mode=record").assert_outcomes(passed=1)
        prompt.write_text("b")
        result = run()
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(['*messages?0?.content: recorded "a", sent "b"', "record it anew: pytest *"])
        result.stdout.no_fnmatch_line("*pytest_plugin.py*")

    def test_a_failed_test_keeps_the_old_recording(self, run, pytester, server):
        module = write(pytester, server.url, """
@pytest.mark.recording("my.jsonl", strict=True)
def test_one():
    httpx.post(URL, json=body("a"))
    assert not __import__("os").path.exists("fail"), "on purpose"
""")  # fmt: skip
        path = module.parent / "my.jsonl"
        run("--record-mode=record").assert_outcomes(passed=1)
        before = path.read_bytes()
        (pytester.path / "fail").touch()
        run("--record-mode=record").assert_outcomes(failed=1)
        assert path.read_bytes() == before
        assert path.with_name("my.jsonl.part").exists()

    def test_the_marker_has_options(self, run, pytester, server):
        write(pytester, server.url, """
import itertools
count = itertools.count()

@pytest.mark.recording(normalizers=["dates"], ignore=["user"], strict=True)
def test_one(recording):
    prompt = text("prompt")
    httpx.post(URL, json=body(f"on {prompt}") | {"user": prompt})

@pytest.mark.recording(nonsense=1)
def test_two(): pass

@pytest.mark.recording(normalizers=["nonsense"])
def test_three(): pass
""")  # fmt: skip
        (pytester.path / "prompt").write_text("2026-01-01")
        run("--record-mode=record", "-k", "one").assert_outcomes(passed=1)
        (pytester.path / "prompt").write_text("2027-02-02")
        result = run()
        result.assert_outcomes(passed=1, errors=2)
        result.stdout.fnmatch_lines([
            "@pytest.mark.recording: got an unexpected keyword argument 'nonsense'",
            "@pytest.mark.recording: unknown normalizer 'nonsense'; known are *",
        ])  # fmt: skip

    def test_two_tests_do_not_record_over_each_other(self, run, pytester, server):
        write(pytester, server.url, """
@pytest.mark.recording("same.jsonl")
@pytest.mark.parametrize("n", [1, 2])
def test_one(n):
    httpx.post(URL, json=body("a"))
""")  # fmt: skip
        result = run("--record-mode=record")
        result.assert_outcomes(passed=1, errors=1)
        result.stdout.fnmatch_lines(["*same.jsonl is the recording of *::test_one?1? too: give one of them another*"])
        run().assert_outcomes(passed=2)

    def test_unused_calls_fail_a_strict_replay(self, run, pytester, server):
        write(pytester, server.url, """
@pytest.mark.recording(strict=True)
def test_one():
    for prompt in text("prompts"):
        httpx.post(URL, json=body(prompt))
""")  # fmt: skip
        (pytester.path / "prompts").write_text("ab")
        run("--record-mode=record").assert_outcomes(passed=1)
        (pytester.path / "prompts").write_text("a")
        result = run()
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*test_one.jsonl: recorded calls were not asked for: call 1, POST *"])

    def test_verify_and_record_missing(self, run, pytester):
        answers = [ANSWER, ANSWER, Answer(ANSWER.body.replace(b'"id"', b'"ie"', 1)), ANSWER]
        with scripted(answers) as server:
            module = write(pytester, server.url, """
@pytest.mark.recording
def test_one():
    httpx.post(URL, json=body(text("prompt")))
""")  # fmt: skip
            (pytester.path / "prompt").write_text("a")
            run("--record-mode=once").assert_outcomes(passed=1)
            run("--record-mode=verify").assert_outcomes(passed=1)
            result = run("--record-mode=verify")
            result.assert_outcomes(failed=1)
            result.stdout.fnmatch_lines(["*call 0 is answered otherwise today: frame 0: ie: recorded nothing, live *"])
            (pytester.path / "prompt").write_text("b")
            result = run("--record-mode=record-missing")
            result.assert_outcomes(passed=1)
            result.stdout.fnmatch_lines(["recordings: --record-mode=record-missing"])
        assert len(harness.open(module.parent / "recordings" / module.stem / "test_one.jsonl").calls) == 2

    def test_async_tests(self, run, pytester, server):
        write(pytester, server.url, """
pytestmark = pytest.mark.anyio

@pytest.fixture
def anyio_backend():
    return "asyncio"

async def test_given(recording):
    async with recording.async_client() as client:
        assert (await client.post(URL, json=body("a"))).status_code == 200

@pytest.mark.recording
async def test_own():
    async with httpx.AsyncClient() as client:
        assert (await client.post(URL, json=body("a"))).status_code == 200
""")  # fmt: skip
        run("--record-mode=record").assert_outcomes(passed=2)
        run().assert_outcomes(passed=2)
        assert len(server.exchanges) == 2

    def test_in_parallel(self, run, pytester, server):
        pytest.importorskip("xdist")
        write(pytester, server.url, """
@pytest.mark.recording
@pytest.mark.parametrize("n", range(6))
def test_one(n):
    assert httpx.post(URL, json=body(str(n))).status_code == 200
""")  # fmt: skip
        run(*XDIST, "--record-mode=record", other=True).assert_outcomes(passed=6)
        run(*XDIST, other=True).assert_outcomes(passed=6)
        assert len(server.exchanges) == 6

    def test_unittest(self, run, pytester, server):
        write(pytester, server.url, """
import unittest

@pytest.mark.recording
class TestCase(unittest.TestCase):
    def test_one(self):
        assert httpx.post(URL, json=body("a")).status_code == 200
""")  # fmt: skip
        run("--record-mode=record").assert_outcomes(passed=1)
        run().assert_outcomes(passed=1)


class TestModes:
    def test_ci_forces_replay(self, run, pytester, server, monkeypatch):
        write(pytester, server.url, """
@pytest.mark.recording
def test_one():
    httpx.post(URL, json=body("a"))
""")  # fmt: skip
        monkeypatch.setenv("CI", "true")
        result = run("--record-mode=record")
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["recordings: replayed only, as CI is set (--record-mode=record is not followed)"])
        assert server.exchanges == []

    def test_the_variable_counts_and_is_checked(self, run, pytester, monkeypatch):
        pytester.makepyfile("def test_one(recording): assert recording.mode == 'passthrough'")
        monkeypatch.setenv(VARIABLE, "passthrough")
        run().assert_outcomes(passed=1)
        monkeypatch.setenv(VARIABLE, "nonsense")
        result = run()
        result.stderr.fnmatch_lines([f"ERROR: unknown record mode 'nonsense' in {VARIABLE}; known are replay, *"])

    @pytest.mark.skipif(find_spec("pytest_recording") is None, reason="pytest-recording is not installed")
    def test_beside_pytest_recording(self, run, pytester, server):
        write(pytester, server.url, """
@pytest.mark.recording
def test_one():
    httpx.post(URL, json=body("a"))
""")  # fmt: skip
        theirs = ["-p", "pytest_recording.plugin"]
        run(*theirs, "--record-mode=once", other=True).assert_outcomes(passed=1)
        run(*theirs, other=True).assert_outcomes(passed=1)
        assert len(server.exchanges) == 1


class TestNetwork:
    def test_it_is_closed_in_replay_only_and_only_for_the_test(self, run, pytester):
        pytester.makepyfile("""
import socket, urllib.request, pytest
connect = vars(socket.socket).get("connect")

@pytest.mark.recording
def test_refused():
    urllib.request.urlopen("http://api.example/x")

def test_open():
    assert vars(socket.socket).get("connect") is connect
""")
        result = run()
        result.assert_outcomes(passed=1, failed=1)
        result.stdout.fnmatch_lines(["E *NetworkRefused: the network is closed: api.example was asked for (*"])
        pytester.makepyfile("""
import socket

def test_open(recording):
    assert "connect" not in vars(socket.socket)
""")
        run("--record-mode=record").assert_outcomes(passed=1)


def test_the_start_of_a_run_loads_nothing_heavy(run, pytester):
    pytester.makepyfile("""
import sys
def test_loaded():
    heavy = {"httpx", "httpx2", "pydantic", "orjson", "agent", "click", "genai_prices", "yaml"}
    assert not heavy & set(sys.modules)
""")
    run(other=True).assert_outcomes(passed=1)


def test_marker_and_option_are_shown(run):
    run("--markers").stdout.fnmatch_lines(["@pytest.mark.recording(path=None, *"])
    run("--help").stdout.fnmatch_lines(["*--record-mode=MODE*"])
