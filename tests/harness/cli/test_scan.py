from __future__ import annotations

import json
import os

import pytest

from harness.redaction import kingfisher
from tests.harness.cli.cli import call, lines_of, refusal
from tests.harness.leaky import leaky_session
from tests.harness.redaction.test_redactor import KEYS

KEY = KEYS["anthropic"]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "notes.txt").write_text(f"first\n{KEY} [redacted:key:1]\n")
    (tmp_path / "clean.txt").write_text("nothing\n")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_each_finding_is_a_line_without_the_secret():
    result = call("scan", "--no-kingfisher", ".")
    assert result.exit_code == 1
    assert result.stdout == f"notes.txt:2: anthropic ({len(KEY)} bytes)\n1 secret in 2 files · 1 redacted already\n"
    assert KEY not in result.output


@pytest.mark.usefixtures("folder")
def test_nothing_found():
    result = call("scan", "--no-kingfisher", "clean.txt")
    assert (result.exit_code, result.stdout) == (0, "0 secrets in 1 file · 0 redacted already\n")


@pytest.mark.usefixtures("folder")
def test_json():
    result = call("scan", "--no-kingfisher", "--json", "notes.txt")
    assert result.exit_code == 1
    assert lines_of(result.stdout) == [
        {"path": "notes.txt", "line": 2, "rule": "anthropic", "where": "", "form": "plain", "length": len(KEY)},
        {"totals": {"files": 1, "findings": 1, "placeholders": 1, "unreadable": 0}},
    ]


def test_a_recording(folder):
    path = leaky_session(folder, "anthropic", KEY, 5)
    result = call("scan", "--no-kingfisher", path)
    assert result.exit_code == 1
    assert "anthropic in turn 0 (" in result.stdout
    assert ", split)" in result.stdout
    assert KEY not in result.output


@pytest.mark.usefixtures("folder")
def test_what_else_is_a_secret(folder):
    (folder / "x.txt").write_text(
        "a TESTKEY-AAAA-1111\nb CUST-12345678\nc TESTKEY-BBBB-2222\nd CASE-77 e ENVKEY-123456\n"
    )
    (folder / "pyproject.toml").write_text("[[tool.harness.redact]]\nname = 'case'\npattern = 'CASE-[0-9]+'\n")
    result = call(
        "scan", "--no-kingfisher", "x.txt", "--env", "MY_TOKEN", "--value", "TESTKEY-BBBB-2222",
        "--pattern", "customer=CUST-[0-9]{8}",
        environ={"MY_TOKEN": "TESTKEY-AAAA-1111", "OPENAI_API_KEY": "ENVKEY-123456"},
    )  # fmt: skip
    assert [line.split(" (")[0] for line in result.stdout.splitlines()[:-1]] == [
        "x.txt:1: key", "x.txt:2: customer", "x.txt:3: key", "x.txt:4: case", "x.txt:4: key",
    ]  # fmt: skip


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["nothing-here"], "nothing-here: there is no such file or folder"),
        ([], "harness scan: Missing argument 'PATHS...'"),
        ([".", "--env", "NOT_SET"], "--env NOT_SET: the variable is not set"),
        ([".", "--value", "short"], "--value: the value is too short"),
        ([".", "--value", "changeme"], "--value: the value is a well-known dummy"),
        ([".", "--pattern", "a=("], "--pattern: the pattern of redaction rule 'a' is wrong"),
    ],
)
def test_refusals(options, message):
    assert message in refusal("scan", *options)


@pytest.mark.usefixtures("folder")
def test_the_further_scanner_is_asked_for_and_missing(monkeypatch):
    monkeypatch.setattr(kingfisher, "MODULE", "no_such_module")
    assert "pip install 'trajectory-harness[secrets]'" in refusal("scan", "clean.txt", "--kingfisher")


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read(folder):
    (folder / "shut.txt").touch(mode=0)
    (folder / "shut.txt").write_text("x")
    result = call("scan", "--no-kingfisher", folder)
    assert result.exit_code == 2
    assert "shut.txt: cannot read it" in result.stderr


def test_damaged_compression(folder):
    import gzip

    lines = b"".join(b'{"kind":"frame","raw":"%d"}\n' % (i * 7919) for i in range(2000))
    whole = gzip.compress(lines)
    (folder / "x.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    result = call("scan", "--no-kingfisher", "--json", folder / "x.jsonl.gz")
    assert result.exit_code == 2
    assert "the compressed data ends early" in result.stderr
    assert json.loads(result.stdout)["totals"]["unreadable"] == 1


def test_a_folder_without_a_file(folder):
    (folder / "empty/below").mkdir(parents=True)
    result = call("scan", "--no-kingfisher", "notes.txt", "empty")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "harness: empty: there is no file in this folder to look into: check the path\n"


def test_a_folder_that_cannot_be_searched(folder, monkeypatch):
    (folder / "closed").mkdir()
    scandir = os.scandir

    def scan(path):
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", scan)
    result = call("scan", "--no-kingfisher", ".")
    assert result.exit_code == 2
    assert result.stdout.startswith("notes.txt:2: anthropic")
    assert result.stderr == "harness: ./closed: cannot be searched: Permission denied\n"


@pytest.mark.usefixtures("folder")
def test_a_compressed_file_that_is_torn_in_its_head(folder):
    (folder / "torn.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00\x00")
    result = call("scan", "--no-kingfisher", "torn.jsonl.gz")
    assert result.exit_code == 2
    assert result.stderr == "harness: torn.jsonl.gz: the compressed data ends early\n"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_a_recording_that_a_shell_of_windows_has_written(folder, encoding):
    mark = {"utf-16": "", "utf-16-le": "\ufeff", "utf-16-be": "\ufeff"}[encoding]
    (folder / "w.jsonl").write_bytes(f'{mark}{{"kind":"end"}}\n{{"text":"{KEY}"}}\n'.encode(encoding))
    result = call("scan", "--no-kingfisher", "w.jsonl")
    assert result.exit_code == 1
    assert result.stdout.startswith(f"w.jsonl:2: anthropic ({len(KEY)} bytes)\n")
