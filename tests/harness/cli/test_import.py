from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import harness
from tests.harness.cli.cli import call, refusal

CASSETTES = Path(__file__).parents[1] / "formats" / "cassettes"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A project with the cassettes of two tests, and files that are none."""
    monkeypatch.chdir(tmp_path)
    cassettes = tmp_path / "tests" / "cassettes" / "test_a"
    cassettes.mkdir(parents=True)
    shutil.copy(CASSETTES / "stream.yaml", cassettes / "test_one[x].yaml")
    shutil.copy(CASSETTES / "stream.json", cassettes / "TestX.test_two.json")
    (cassettes / "other.yaml").write_text("a: 1")
    (cassettes / "other.txt").write_text("interactions")
    return tmp_path


def test_a_folder_of_cassettes(folder):
    result = call("import", "vcr", "tests/cassettes")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "tests/cassettes/test_a/TestX.test_two.json -> tests/recordings/test_a/TestX.test_two.jsonl: 1 call",
        "tests/cassettes/test_a/test_one[x].yaml -> tests/recordings/test_a/test_one[x].jsonl: 1 call",
    ]
    made = folder / "tests" / "recordings" / "test_a"
    assert sorted(path.name for path in made.iterdir()) == ["TestX.test_two.jsonl", "test_one[x].jsonl"]
    assert harness.open(made / "test_one[x].jsonl").header["task"] == "test_one[x]"
    assert call("replay", "tests/recordings").exit_code == 0


def test_existing_recordings_are_kept_unless_forced(folder):
    call("import", "vcr", "tests/cassettes")
    again = call("import", "vcr", "tests/cassettes")
    assert again.exit_code == 2
    assert again.stderr.count("the file exists (pass --force") == 2
    assert call("import", "vcr", "tests/cassettes", "--force").exit_code == 0


@pytest.mark.parametrize(
    ("out", "made"), [("new.jsonl", "new.jsonl"), ("runs", "runs/test_one[x].jsonl")], ids=["file", "folder"]
)
def test_one_cassette(folder, out, made):
    assert call("import", "vcr", "tests/cassettes/test_a/test_one[x].yaml", "-o", out).exit_code == 0
    assert len(harness.open(folder / made).calls) == 1


def test_a_folder_goes_into_a_folder_as_it_is(folder):
    call("import", "vcr", "tests/cassettes", "-o", "runs")
    assert (folder / "runs" / "test_a" / "TestX.test_two.jsonl").exists()


def test_what_cannot_be_imported(folder):
    (folder / "bad.yaml").write_text("interactions: [1]")
    result = call("import", "vcr", "bad.yaml", "tests/cassettes/test_a/test_one[x].yaml")
    assert result.exit_code == 2
    assert result.stderr.startswith("harness: bad.yaml: interaction 0 is not as vcrpy writes it: ")
    assert result.stdout.count(" -> ") == 1, "the others are imported all the same"


def test_wrong_command_lines(folder):
    assert refusal("import", "har", "x").startswith("harness import: Invalid value for 'FORMAT'")
    assert refusal("import", "vcr", "missing") == "harness: missing: there is no such file or folder"
    (folder / "empty").mkdir()
    assert refusal("import", "vcr", "empty") == "harness: empty: no vcr file in there (.yaml, .yml, .json)"
    assert refusal("import", "vcr", "tests", "-o", "a.jsonl") == (
        "harness: --out a.jsonl: 2 files cannot become one recording; name a folder"
    )
