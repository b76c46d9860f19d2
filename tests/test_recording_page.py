"""docs/recording.md: its commands and examples run in order, and what its tables say is so."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import harness
from harness.cli import main
from harness.recording.contents import Call
from harness.recording.opening import Recording
from tests.command import environment
from tests.command import harness as run_harness
from tests.fake_network import install
from tests.harness.cli.cli import call

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "recording.md").read_text("utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]
BLOCKS = re.findall(r"```python\n(.*?)```", PAGE, re.S)
SCRIPT = Path(sys.executable).with_name("harness")
KEY = "sk-ant-test-0123456789abcdefghijklmnop"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CI", raising=False)
    return tmp_path


def test_commands_and_examples(folder, capsys):
    with install() as asked:
        for line in COMMANDS:
            result = call(*shlex.split(line)[1:], environ={"ANTHROPIC_API_KEY": KEY})
            assert result.exit_code == 0, f"{line}\n{result.output}"
        assert asked == ["api.anthropic.com"] * 5
        names = {"__name__": "example"}
        for block in BLOCKS:
            exec(compile(block, "docs/recording.md", "exec"), names)
    recording = harness.open("garden.jsonl", strict=True)
    assert [turn.input for turn in recording.turns] == [
        "What does this folder hold?", "When is tea?", "Write that into plan.txt", "Who waters the plants?",
    ]  # fmt: skip
    assert [len(turn.history) for turn in recording.turns] == [0, 2, 4, 0]
    assert [(turn.model, turn.mode) for turn in recording.turns[1:3]] == [
        ("claude-haiku-4-5", "PLAN"), ("claude-sonnet-4-5", "FIX"),
    ]  # fmt: skip
    assert len(recording.resumes) == 4
    assert len(harness.open("branch.jsonl").turns[0].history) == 6
    shown = capsys.readouterr().out
    assert "When is tea? -> claude-haiku-4-5 [1]" in shown
    assert re.search(r"^tokens \d+ \d+$", shown, re.M)
    assert KEY not in (folder / "garden.jsonl").read_text("utf-8")


def test_the_options_are_those_of_ask():
    options = {name for option in main.get_command(None, "ask").params for name in option.opts}
    for name in re.findall(r"`(--[a-z-]+)", PAGE):
        assert name in options, name


def members(heading):
    table = PAGE.split(heading)[1].split("\n\n")[1]
    cells = re.findall(r"^\| (`.*?) \|", table, re.M)
    return [name for cell in cells for name in re.findall(r"`(\w+)", cell)]


@pytest.mark.parametrize(
    ("heading", "owner"), [("gives a `Recording`:", Recording), ("\nA call:", Call)], ids=["recording", "call"]
)
def test_the_members_are_there(heading, owner):
    names = members(heading)
    assert len(names) > 4
    for name in names:
        assert name in owner.__slots__ or hasattr(owner, name), name


SHELLS = re.findall(r"_HARNESS_COMPLETE=(\w+)_source harness", PAGE)


@pytest.mark.parametrize("shell", SHELLS)
def test_shell_completion(folder, shell):
    assert SHELLS == ["bash", "zsh", "fish"]
    done = run_harness(cwd=folder, environ={"_HARNESS_COMPLETE": f"{shell}_source"})
    assert done.returncode == 0
    assert f"_HARNESS_COMPLETE={shell}_complete" in done.stdout


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("harness re", ["plain,record", "plain,replay", "plain,recover"]),
        ("harness ask --cont", ["plain,--continue"]),
        ("harness ask --mode ", ["plain,plan", "plain,fix", "plain,build", "plain,swe"]),
        ("harness ask --continue gar", ["file,gar"]),
        ("harness show gar", ["file,gar"]),
        ("harness replay gar", ["file,gar"]),
        ("harness scan gar", ["file,gar"]),
    ],
)
def test_what_completes(folder, line, offered):
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1), "_HARNESS_COMPLETE": "bash_complete"}
    assert run_harness(cwd=folder, environ=words).stdout.splitlines() == offered


@pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
@pytest.mark.skipif(not SCRIPT.exists(), reason="the command is not installed")
def test_the_line_for_bash_works(folder):
    (line,) = re.findall(r"```bash\n# .*\n(.*)\n```", PAGE)
    script = f"{line}\nCOMP_WORDS=(harness sh); COMP_CWORD=1; _harness_completion harness; echo ${{COMPREPLY[@]}}"
    found = environment(folder)
    found["PATH"] = f"{SCRIPT.parent}{os.pathsep}{found['PATH']}"
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=found, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["show"]
