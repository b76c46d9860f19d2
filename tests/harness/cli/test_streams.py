"""The command without standard streams, and with one that has no room."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from harness.cli.streams import unwritten
from tests.command import ROOT, environment, started

ROOMLESS = Path("/dev/full")
COMMANDS = [("--help",), ("show", "a.jsonl"), ("replay", "a.jsonl"), ("scan", "a.jsonl"), ("doctor",)]


@pytest.fixture(autouse=True)
def recording(tmp_path):
    shutil.copyfile(ROOT / "recordings/gemini-text.jsonl", tmp_path / "a.jsonl")


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_stream_that_is_closed(tmp_path, closed, command):
    with started(*command, cwd=tmp_path, redirect=closed) as process:
        process.stdout.read()
        assert process.stderr.read() == b""
        assert process.wait(20) == 0


def test_a_prompt_from_a_stream_that_is_closed(tmp_path):
    with started("ask", "-m", "ollama/any", "-", cwd=tmp_path, redirect="<&-") as process:
        assert process.stderr.read().startswith(b"harness ask: the prompt is empty")
        assert process.wait(20) == 2


@pytest.mark.skipif(not ROOMLESS.exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("python", ["", "-u"])
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_output_without_room(tmp_path, command, python):
    words = [sys.executable, *([python] if python else []), "-m", "harness", *command]
    environ = environment(tmp_path, PYTHONPATH=str(ROOT))
    with ROOMLESS.open("wb") as full:
        done = subprocess.run(words, cwd=tmp_path, env=environ, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.stderr == b"harness: the output cannot be written: No space left on device\n"
    assert done.returncode == 2


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_reader_that_has_gone(tmp_path, command):
    with started(*command, cwd=tmp_path) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(20) in (0, 1)


def test_what_is_no_fault_of_stdout(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    assert unwritten(OSError(28, "No space left on device", "a.jsonl")) is None
    assert unwritten(OSError(9, "Bad file descriptor")) is None
    assert unwritten(SystemExit(0)) is None


def test_no_file_gets_the_number_of_a_stream_that_is_closed(tmp_path):
    code = (
        "from harness.cli.streams import open_missing; open_missing(); import sys;"
        "file = open('out', 'w'); file.write(str(file.fileno() > 2)); sys.stdout.write('lost')"
    )
    words = ["/bin/sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-c", code]
    subprocess.run(words, cwd=tmp_path, env={**os.environ, "PYTHONPATH": str(ROOT)}, check=True)
    assert (tmp_path / "out").read_text() == "True"
