"""`harness replay --update`: what is told, what is written, exit statuses."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agent.events import EOF
from agent.providers.base import Decoder
from tests.harness.cli.cli import call, refusal
from tests.harness.replaying.test_updating import changed, renamed, signed

RECORDINGS = Path(__file__).resolve().parents[3] / "recordings"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    for name in ("gemini-text.jsonl", "anthropic-edit.jsonl"):
        shutil.copy(RECORDINGS / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_nothing_would_change():
    result = call("replay", RECORDINGS, "--update")
    assert (result.exit_code, result.stderr) == (0, "")
    assert "23 unchanged · 23 recordings" in result.stdout


def test_shown_then_accepted(folder):
    before = contents(folder)
    with changed(renamed):
        shown = call("replay", ".", "--update")
        assert (shown.exit_code, contents(folder)) == (1, before)
        assert 'usage: model: recorded "gemini-2.5-flash", derived "renamed"' in shown.stdout
        accepted = call("replay", ".", "--update", "--accept")
        assert (accepted.exit_code, "2 updated" in accepted.stdout) == (0, True)
        assert call("replay", ".").exit_code == 0
    assert call("replay", ".").exit_code == 1
    assert contents(folder).keys() == before.keys()


def test_what_has_to_be_recorded_again(folder):
    with changed(signed):
        result = call("replay", ".", "--update", "--accept", "--json")
    assert result.exit_code == 1
    found = {each["path"]: each["status"] for each in json.loads(result.stdout)["recordings"]}
    assert found == {"anthropic-edit.jsonl": "record again", "gemini-text.jsonl": "updated"}


def test_unusable(folder):
    (folder / "torn.jsonl").write_bytes(b"{}")
    result = call("replay", ".", "--update", "--quiet")
    assert result.exit_code == 2
    assert "gemini-text" not in result.stdout
    assert "torn.jsonl" in result.stdout


def test_wrong_options(folder):
    assert "--accept needs --update" in refusal("replay", ".", "--accept")
    assert "--update does not go with" in refusal("replay", "gemini-text.jsonl", "--update", "--", "true")
    assert Decoder.finish.__defaults__ == (EOF,)
