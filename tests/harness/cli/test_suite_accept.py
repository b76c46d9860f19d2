from __future__ import annotations

import json

import pytest

from tests.harness.cli.cli import call, refusal
from tests.harness.suites.suite_files import with_recordings, write

SUITE = """
[[check]]
type = "events"
[[case]]
name = "one"
recording = "gemini-text.jsonl"
[[case]]
name = "two"
recording = "gemini-thoughts.jsonl"
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    with_recordings(tmp_path, "gemini-text", "gemini-thoughts")
    write(tmp_path, SUITE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_accept_then_run(folder):
    goldens = folder / "goldens" / "a"
    assert call("suite", "run", ".").exit_code == 2
    result = call("suite", "accept", ".", "--check")
    assert (result.exit_code, goldens.exists()) == (1, False)
    assert "2 added · nothing is written" in result.output
    result = call("suite", "accept", ".")
    assert (result.exit_code, sorted(path.name for path in goldens.iterdir())) == (0, ["one.json", "two.json"])
    assert result.output.startswith("added goldens/a/one.json (a: one)\nadded goldens/a/two.json (a: two)\n\n2 added\n")
    assert call("suite", "run", ".").exit_code == 0
    assert call("suite", "accept", ".", "--check").exit_code == 0


def test_changes_are_shown(folder):
    call("suite", "accept", ".")
    path = folder / "goldens" / "a" / "one.json"
    before = path.read_text("utf-8")
    path.write_text(before.replace("foxes", "vixens"), "utf-8")
    assert call("suite", "run", ".").exit_code == 1
    result = call("suite", "accept", ".")
    assert "changed goldens/a/one.json (a: one)\n  call 0: content[0].text: golden " in result.output
    assert path.read_text("utf-8") == before


def test_stale_ones_go_unless_filtered(folder):
    call("suite", "accept", ".")
    write(folder, SUITE.partition('[[case]]\nname = "two"')[0])
    old = folder / "goldens" / "a" / "two.json"
    assert call("suite", "accept", ".", "--filter", "one").exit_code == 0
    assert call("suite", "accept", ".", "--check").exit_code == 1
    assert old.exists()
    assert "removed goldens/a/two.json" in call("suite", "accept", ".").output
    assert not old.exists()


def test_what_errors_is_never_accepted(folder):
    (folder / "gemini-text.jsonl").write_bytes(b"")
    result = call("suite", "accept", ".")
    assert result.exit_code == 2
    assert "ERROR goldens/a/one.json (a: one)\n  gemini-text.jsonl: " in result.output
    assert [path.name for path in (folder / "goldens" / "a").iterdir()] == ["two.json"]
    assert json.loads(call("suite", "accept", ".", "--format", "json").output)["totals"]["error"] == 1


def test_nothing_to_accept(folder):
    write(folder, SUITE.replace("events", "no_error"))
    assert refusal("suite", "accept", ".").startswith("harness: no case has an `events` check")
    assert refusal("suite", "accept", ".", "--filter", "zzz").startswith('harness: no suite, case or task fits "zzz"')
