from __future__ import annotations

import pytest

from tests.harness.cli.cli import call, refusal
from tests.harness.leaky import leaky_session
from tests.harness.redaction.test_redactor import KEYS

KEY = KEYS["anthropic"]


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return leaky_session(tmp_path, "anthropic", KEY, 9).relative_to(tmp_path)


def scrub(*args, **more):
    return call("scrub", "--no-kingfisher", *args, **more)


def test_a_new_file_beside_it(path):
    before = path.read_bytes()
    result = scrub(path)
    assert result.exit_code == 0
    assert result.stdout == "anthropic.jsonl: 1 secret removed from 13 records, in anthropic.scrubbed.jsonl\n"
    assert path.read_bytes() == before
    assert call("scan", "--no-kingfisher", "anthropic.scrubbed.jsonl").exit_code == 0
    assert call("replay", "anthropic.scrubbed.jsonl").exit_code == 0
    again = scrub(path)
    assert again.exit_code == 2
    assert "anthropic.scrubbed.jsonl: the file exists; pass --force" in again.stderr
    assert scrub(path, "--force").exit_code == 0


def test_in_place(path):
    assert scrub(path, "--in-place").stdout == "anthropic.jsonl: 1 secret removed from 13 records, in place\n"
    assert KEY not in path.read_text()
    assert scrub(path, "--in-place").stdout == "anthropic.jsonl: nothing to remove\n"


def test_out_names_a_file_or_a_folder(path, tmp_path):
    assert "in new.jsonl" in scrub(path, "--out", "new.jsonl").stdout
    (tmp_path / "b.jsonl").write_bytes(path.read_bytes())
    result = scrub(path, "b.jsonl", "--out", "clean")
    assert result.exit_code == 0
    assert sorted(file.name for file in (tmp_path / "clean").iterdir()) == ["anthropic.jsonl", "b.jsonl"]
    assert scrub("new.jsonl", "--out", "copy.jsonl").stdout == "new.jsonl: nothing to remove\n"
    assert (tmp_path / "copy.jsonl").read_bytes() == (tmp_path / "new.jsonl").read_bytes()


def test_what_else_is_a_secret(path):
    result = scrub(path, "--in-place", "--pattern", "file=env[.]txt", "--value", "toolu_1_or_so", environ={})
    assert result.exit_code == 0
    assert "[redacted:file:1]" in path.read_text()
    assert call("replay", path).exit_code == 0


def test_refusals(path):
    assert "--out and --in-place exclude each other" in refusal("scrub", path, "--out", "x", "--in-place")
    assert "names the recording itself" in refusal("scrub", "--no-kingfisher", path, "--out", path)
    assert "no-such.jsonl: cannot read it" in refusal("scrub", "--no-kingfisher", "no-such.jsonl")
    path.write_bytes(path.read_bytes()[:-9])
    assert "`harness recover`" in refusal("scrub", "--no-kingfisher", path, "--in-place")
