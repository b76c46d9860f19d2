from __future__ import annotations

from pathlib import Path

import pytest

from tests.harness.cli.cli import call, refusal

SESSION = Path(__file__).resolve().parents[3] / "recordings/anthropic-tool-call.jsonl"


@pytest.fixture
def crashed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("crashed.jsonl").write_bytes(SESSION.read_bytes()[:-700])
    return Path("crashed.jsonl")


def test_what_is_lost_is_told_and_the_rest_replays(crashed):
    before = crashed.read_bytes()
    result = call("recover", crashed)
    assert result.exit_code == 0
    *lost, last = result.stdout.splitlines()
    assert all(line.startswith("crashed.jsonl: ") for line in lost)
    assert any("the last line is torn" in line for line in lost)
    assert last.endswith(" records of 2 calls in crashed.recovered.jsonl")
    assert crashed.read_bytes() == before
    assert call("replay", "crashed.recovered.jsonl").exit_code == 0


@pytest.mark.usefixtures("crashed")
def test_a_whole_recording():
    result = call("recover", SESSION)
    assert (result.exit_code, result.stdout) == (0, f"{SESSION}: nothing is damaged or missing\n")
    assert call("recover", SESSION, "-o", "copy.jsonl").exit_code == 0
    assert Path("copy.jsonl").read_bytes() == SESSION.read_bytes()


def test_refusals(crashed):
    assert "this is the damaged recording itself" in refusal("recover", crashed, "-o", crashed, "--force")
    Path("there.jsonl").write_text("x")
    assert "there.jsonl: the file exists; pass --force" in refusal("recover", crashed, "-o", "there.jsonl")
    assert call("recover", crashed, "-o", "there.jsonl", "--force").exit_code == 0
    assert "no-such.jsonl: cannot read it" in refusal("recover", "no-such.jsonl")
    Path("empty.jsonl").touch()
    assert "empty.jsonl: the file is empty" in refusal("recover", "empty.jsonl")
    assert "cannot read it: Is a directory" in refusal("recover", ".")
