from __future__ import annotations

import pytest

from tests.harness.cli.cli import call, refusal
from tests.harness.suites.suite_files import with_recordings


@pytest.fixture
def folder(tmp_path, monkeypatch):
    with_recordings(tmp_path / "r", "gemini-text", "openai-chat-reset")
    with_recordings(tmp_path / "r" / "x.workspace", "gemini-text")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("args", "out", "cases"),
    [
        (["r"], "r/r.suite.toml", 2),
        (["r/gemini-text.jsonl"], "r/gemini-text.suite.toml", 1),
        (["r", "--out", "new/garden.suite.toml"], "new/garden.suite.toml", 2),
    ],
)
def test_it_passes_at_once(folder, args, out, cases):
    result = call("suite", "init", *args)
    assert result.exit_code == 0
    assert result.stdout.startswith(f"{out}: {cases} case")
    assert call("suite", "run", out).exit_code == 0


def test_what_is_left_out_is_said(folder):
    lines = call("suite", "init", "r").stderr.splitlines()
    assert [line[:60] for line in lines] == [
        "harness: openai-chat-reset: no_error is left out, as it does",
        "harness: openai-chat-reset: complete is left out, as it does",
    ]


def test_nothing_is_overwritten_unasked(folder):
    (folder / "r" / "r.suite.toml").write_text("mine")
    assert refusal("suite", "init", "r") == "harness: r/r.suite.toml: it exists; --force overwrites it"
    assert (folder / "r" / "r.suite.toml").read_text() == "mine"
    assert call("suite", "init", "r", "--force").exit_code == 0


def test_refusals(folder):
    said = "harness: x.toml: a suite's name ends in .suite.toml: try --out x.suite.toml"
    assert refusal("suite", "init", "r", "--out", "x.toml") == said
    assert refusal("suite", "init", "gone").startswith("harness: gone: there is no such file")
    (folder / "bad.jsonl").write_bytes(b"")
    assert refusal("suite", "init", "bad.jsonl").startswith("harness: bad.jsonl: ")
    (folder / "file").write_text("")
    said = "harness: file/a.suite.toml: cannot be written: "
    assert refusal("suite", "init", "r/gemini-text.jsonl", "--out", "file/a.suite.toml").startswith(said)
