"""The committed sample reports are what the commands write today, byte for byte; README names each with its command."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.harness.cli.cli import call

ROOT = Path(__file__).resolve().parents[1]

PARALLEL = "recordings/openai-chat-parallel-calls.jsonl recordings/gemini-parallel-calls.jsonl"
MADE_BY = {
    "suite.md": "harness suite run recordings/",
    "suite.html": "harness suite run recordings/",
    "sweep.md": "harness sweep recordings/",
    "diff.md": f"harness diff {PARALLEL} --prices reports/prices.toml",
    "cost.md": "harness cost recordings/ --prices reports/prices.toml",
}
"""Each with `--out` behind it."""


@pytest.fixture(autouse=True)
def _root(monkeypatch):
    monkeypatch.chdir(ROOT)


@pytest.mark.parametrize("name", MADE_BY)
def test_it_is_what_the_command_writes(name, tmp_path):
    result = call(*shlex.split(MADE_BY[name])[1:], "--out", tmp_path / name)
    assert (result.exit_code, result.output) == (1 if name == "diff.md" else 0, "")
    assert (tmp_path / name).read_bytes() == (ROOT / "reports" / name).read_bytes()


@pytest.mark.parametrize("name", MADE_BY)
def test_readme_names_it(name):
    readme = (ROOT / "README.md").read_text("utf-8")
    assert f"(reports/{name})" in readme
    assert MADE_BY[name] in readme


def test_every_sample_has_its_command():
    assert {path.name for path in (ROOT / "reports").iterdir()} - {"prices.toml"} == {*MADE_BY}


def test_the_goldens_are_those_of_today_and_the_checks_mean_something():
    result = call("suite", "accept", "recordings/", "--check")
    assert result.exit_code == 0, result.output
    result = call("suite", "prove", "recordings/")
    assert result.exit_code == 0, result.output
    assert "not proved" not in result.output
