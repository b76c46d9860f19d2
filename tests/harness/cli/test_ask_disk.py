"""`harness ask` where the recording cannot be written: the answer comes all the same, one warning, exit status 1."""

from __future__ import annotations

import pytest

from harness.recording.writer import Writer
from tests.harness.cli.cli import call, refusal
from tests.harness.recorder.test_recorder_disk import size_limit
from tests.scripted import fixture, scripted

TEXT = fixture("openai-chat/session-answer.sse")
CALLS = fixture("openai-chat/session-parallel.sse")
ANSWER = "The folder holds a plan and a list of seeds; tea is at four. ☕\n"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def ask(url, *more):
    return ("ask", "-m", "openai/any", "--base-url", url, *more, "hi")


@pytest.mark.parametrize("size", [1_000, 4_500, 9_000])
def test_a_disk_that_is_full(folder, size):
    with scripted([CALLS, TEXT]) as server, size_limit(size):
        result = call(*ask(server.url, "--out", "a.jsonl"))
    assert (result.exit_code, result.stdout) == (1, f"I will look at both.\n{ANSWER}")
    warnings = [line for line in result.stderr.splitlines() if line.startswith("harness: ")]
    assert warnings == ["harness: not all is recorded: a.jsonl: cannot write the recording: File too large"]
    assert (folder / "a.jsonl").stat().st_size <= size
    assert call("show", "a.jsonl").exit_code == 0
    assert call("show", "a.jsonl", "--json").exit_code == 0
    assert call("replay", "a.jsonl").exit_code in (0, 1)


def test_a_recording_that_is_deleted_while_it_is_written(folder, monkeypatch):
    write = Writer.write

    def deleting(self, records):
        write(self, records)
        self.path.unlink(missing_ok=True)

    monkeypatch.setattr(Writer, "write", deleting)
    with scripted([TEXT]) as server:
        result = call(*ask(server.url, "--out", "a.jsonl"))
    assert (result.exit_code, result.stdout) == (1, ANSWER)
    warning, _ = result.stderr.splitlines()
    assert warning == "harness: not all is recorded: a.jsonl: the file was deleted while it was written"


def test_a_folder_of_recordings_that_cannot_be_written_to(folder):
    """Nobody has named the file: the turn runs without it."""
    (folder / "recordings").write_text("", "utf-8")
    with scripted([TEXT]) as server:
        result = call(*ask(server.url))
    assert (result.exit_code, result.stdout) == (1, ANSWER)
    warning, closing = result.stderr.splitlines()
    assert warning.startswith("harness: nothing is recorded: recordings/")
    assert "recorded in" not in closing


def test_a_named_file_that_cannot_be_written_is_refused_before_anything_is_sent(folder):
    (folder / "file").write_text("", "utf-8")
    with scripted([TEXT]) as server:
        assert "cannot create" in refusal(*ask(server.url, "--out", "file/a.jsonl"))
        assert server.exchanges == []


def test_a_recording_that_another_process_writes_to(folder):
    with scripted([TEXT, TEXT]) as server:
        call(*ask(server.url, "--out", "a.jsonl"))
        with Writer.append(folder / "a.jsonl"):
            for option in ("--append", "--out"):
                more = ["--force"] if option == "--out" else []
                assert "being written to already" in refusal(*ask(server.url, option, "a.jsonl", *more))
        assert len(server.exchanges) == 1
    assert call("replay", "a.jsonl").exit_code == 0
