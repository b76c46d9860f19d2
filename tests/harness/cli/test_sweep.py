"""`harness sweep`: options, exit status, formats, what a planted bug shows."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from agent.providers.anthropic import AnthropicDecoder
from tests.command import harness
from tests.harness.cli.cli import call, refusal

ROOT = Path(__file__).resolve().parents[3]
TEXT = ROOT / "recordings" / "gemini-text.jsonl"
EDIT = ROOT / "recordings" / "anthropic-edit.jsonl"
FIXTURE = ROOT / "fixtures" / "openai-chat" / "text-and-usage.sse"


@pytest.fixture
def planted(monkeypatch):
    """Calls that are open at the end are forgotten."""
    monkeypatch.setattr(AnthropicDecoder, "_close", lambda self: None)


def files_of(result):
    return json.loads(result.stdout)["files"]


def test_all_laws_hold():
    result = call("sweep", TEXT, FIXTURE, "--sample", 20)
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines()[-3].startswith("22 laws, all held · ")
    assert result.stdout.splitlines()[-3].endswith("2 files, 2 calls, 2 turns · seed 0")


def test_the_seed_decides():
    def cases(seed):
        return call("sweep", FIXTURE, "--sample", 3, "--seed", seed, "--format", "json").stdout

    assert cases(1) == cases(1)
    assert json.loads(cases(7))["seed"] == 7


def test_parts_and_places():
    (swept,) = files_of(call("sweep", FIXTURE, "--only", "adapters", "--every-byte", "--format", "json"))
    assert swept["cases"]["adapters"]["cut"] == 4 * (len(FIXTURE.read_bytes()) + 1)
    assert swept["cases"]["loop"] == {}
    (swept,) = files_of(call("sweep", FIXTURE, "--only", "loop", "--format", "json"))
    assert {*swept["laws"]} == {"turn-raises", "turn-end", "half-built", "results", "left-open", "goes-on"}


def test_a_broken_law(planted, tmp_path):
    result = call("sweep", EDIT, TEXT, "--quiet", "--only", "adapters", "--save", tmp_path / "new")
    assert result.exit_code == 1
    assert "BROKEN" in result.stdout
    assert str(TEXT) not in result.stdout
    saved = sorted((tmp_path / "new" / "anthropic").glob("*.sse"))
    assert [path.name.rpartition("-")[0] for path in saved] == ["sweep-kept", "sweep-last"]
    assert str(saved[0]) in result.stderr
    again = call("sweep", tmp_path / "new", "--format", "json")
    assert again.exit_code == 1
    assert {"kept", "last"} <= {*json.loads(again.stdout)["totals"]["broken"]}


def test_the_report_as_a_file(tmp_path):
    out = tmp_path / "reports" / "sweep.md"
    result = call("sweep", TEXT, "--sample", 5, "--format", "markdown", "--out", out)
    assert (result.exit_code, result.stdout) == (0, "")
    assert out.read_text("utf-8") == call("sweep", TEXT, "--sample", 5, "--format", "markdown").stdout


def test_files_that_cannot_be_used(tmp_path):
    (tmp_path / "x.sse").write_bytes(b"data: 1\n\n")
    shutil.copy(TEXT, tmp_path)
    result = call("sweep", tmp_path, "--sample", 2)
    assert result.exit_code == 2
    assert "x.expect.json: cannot be read" in result.stdout
    assert "gemini-text.jsonl" in result.stdout


def test_misuse(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert "PATHS" in refusal("sweep")
    assert "exclude one another" in refusal("sweep", TEXT, "--every-byte", "--sample", 3)
    assert "no such file" in refusal("sweep", "none")
    assert "no recording (*.jsonl)" in refusal("sweep", ".")
    assert "--only loop" in refusal("sweep", TEXT, "--only", "loop", "--sdk")
    assert "'adapters'" in refusal("sweep", TEXT, "--only", "transport")
    assert "nothing to sweep" in refusal("sweep", ROOT / "recordings" / "openai-chat-unreachable.jsonl")
    assert "cannot be written" in refusal("sweep", TEXT, "--sample", 1, "--out", TEXT / "x")


def test_without_any_sdk(monkeypatch):
    monkeypatch.setattr("harness.sweep.sdk.find_spec", lambda name: None)
    line = refusal("sweep", TEXT, "--sdk")
    assert line == "harness: no official SDK is installed: pip install openai anthropic google-genai"


def test_with_some_sdks(monkeypatch):
    monkeypatch.setattr("harness.sweep.sdk.find_spec", lambda name: None if name == "google.genai" else object())
    result = call("sweep", TEXT, "--sdk", "--sample", 2)
    assert result.exit_code == 0
    assert "call 0, by its SDK: google-genai is not installed" in result.stdout


def test_several_processes(tmp_path):
    paths = [shutil.copy(path, tmp_path) for path in (TEXT, FIXTURE)]
    shutil.copy(FIXTURE.with_name("text-and-usage.expect.json"), tmp_path)
    one, two = (
        harness("sweep", *paths, "--sample", "3", "--format", "json", "--jobs", jobs, cwd=tmp_path) for jobs in "12"
    )
    assert (two.stdout, two.stderr, two.returncode) == (one.stdout, "", 0)
    assert [swept["path"] for swept in json.loads(two.stdout)["files"]] == [*paths]


def documented(start):
    """The block of docs/sweep.md that begins so."""
    page = (ROOT / "docs" / "sweep.md").read_text("utf-8")
    found = re.search(rf"```\n({re.escape(start)}.*?)```", page, re.S)
    assert found is not None
    return found[1]


def test_the_examples_of_the_page(monkeypatch):
    monkeypatch.chdir(ROOT)
    line, _, shown = documented("$ harness sweep").partition("\n")
    result = call(*line.split()[2:])
    assert result.stdout == shown


def test_the_example_with_a_bug(monkeypatch, planted):
    monkeypatch.chdir(ROOT)
    shown = documented("recording ")
    assert call("sweep", "recordings/anthropic-edit.jsonl", "--only", "adapters").stdout == shown


def test_the_page_tells_all_options():
    page = (ROOT / "docs" / "sweep.md").read_text("utf-8")
    for option in re.findall(r"--[a-z-]+", call("sweep", "--help").stdout.partition("Options:")[2]):
        if option != "--help":
            assert f"`{option}" in page, option
