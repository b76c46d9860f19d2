"""README's commands, run in order as they stand, over a network that answers from fixtures.

The sections for any program, Python and pytest have tests of their own beside what they show; `harness mcp` runs until
it is stopped, and is tested with its client.
"""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from harness.cli import COMMANDS
from tests.fake_network import install
from tests.harness.cli.cli import call

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")
ELSEWHERE = re.compile(r"harness (mcp|record|replay \S+ --) ")
KEYS = {"ANTHROPIC_API_KEY": "sk-ant-test-0123456789abcdefghijklmnop"}


def commands() -> list[str]:
    blocks = re.findall(r"```sh\n(.*?)```", README, re.S)
    lines = [line for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("harness ") and not ELSEWHERE.match(line)]


def test_commands(tmp_path, monkeypatch):
    for folder in ("recordings", "fixtures", "reports"):
        shutil.copytree(ROOT / folder, tmp_path / folder)
    shutil.copytree(
        ROOT / "tests" / "harness" / "formats" / "cassettes",
        tmp_path / "tests" / "cassettes",
        ignore=shutil.ignore_patterns("*.json"),
    )
    whole = (ROOT / "recordings" / "anthropic-tool-call.jsonl").read_bytes()
    (tmp_path / "crashed.jsonl").write_bytes(whole[: len(whole) // 2])
    (suite,) = re.findall(r"```toml\n(.*?)```", README, re.S)
    (tmp_path / "tasks.suite.toml").write_text(suite, "utf-8")
    (tmp_path / "garden").mkdir()
    monkeypatch.chdir(tmp_path)
    assert {line.split()[1] for line in commands()} == {*COMMANDS} - {"mcp", "proxy", "record", "serve"}
    with install() as asked:
        for line in commands():
            if line not in SAMPLES:
                result = call(*shlex.split(line)[1:], environ=KEYS)
                assert result.exit_code == 0, f"{line}\n{result.output}"
    assert {*asked} == {"api.anthropic.com", "127.0.0.1"}


SAMPLES = dict(re.findall(r"```sh\n(harness (?:suite|diff|cost|sweep) [^\n]*)\n```\n\n```\n(.*?)```", README, re.S))


@pytest.mark.parametrize("line", SAMPLES)
def test_samples(line, monkeypatch):
    """What is shown below a command, but for what `...` leaves out, is what it prints."""
    monkeypatch.chdir(ROOT)
    result = call(*shlex.split(line)[1:])
    assert result.exit_code == (1 if line.startswith("harness diff ") else 0), result.output  # as of diff(1)
    printed = result.stdout.splitlines()
    shown = [each for each in SAMPLES[line].splitlines() if each != "..."]
    assert [each for each in shown if each not in printed] == []


def test_each_kind_of_report_has_a_sample():
    assert [line.split()[1] for line in SAMPLES] == ["suite", "diff", "cost", "sweep"]
