"""docs/suites.md says what the code does: its suites load, its commands run in order, its tables name what there is."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

import pytest

from harness.checks.registry import BUILT_IN
from harness.suites.loading import load_suite
from harness.suites.models import CaseTable, SuiteTable
from tests.harness.cli.cli import call

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "suites.md").read_text("utf-8")
SUITES = dict(re.findall(r"```toml\n# (\S+)\n(.*?)```", PAGE, re.S))
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "recordings", tmp_path / "recordings", ignore=shutil.ignore_patterns("*.toml", "goldens"))
    for name, text in (("garden/plan.txt", "tea at four\n"), ("solutions/move-tea/plan.txt", "tea at five\n")):
        path = tmp_path / "tasks" / name
        path.parent.mkdir(parents=True)
        path.write_text(text)
    for name, text in SUITES.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def rows(header: str) -> set[str]:
    table = PAGE.partition(f"| {header} |")[2].partition("\n\n")[0]
    return {
        name
        for line in table.splitlines()
        for name in re.findall(r"`([^`]+)`", line.split("|")[1] if "|" in line else "")
    }


def test_suites_load(folder):
    assert [*SUITES] == ["recordings/garden.suite.toml", "tasks/tea.suite.toml"]
    assert [len(load_suite(folder / name).cases) for name in SUITES] == [1, 1]


def test_commands_run(folder):
    (folder / "recordings" / "garden.suite.toml").write_text(
        SUITES["recordings/garden.suite.toml"] + '\n[[case.check]]\ntype = "stop_reason"\nequals = "stop"\n'
    )
    assert len(COMMANDS) == 9
    for line in COMMANDS:
        if "accept" in line:
            golden = '[[check]]\ntype = "events"\n[[case]]\nname = "x"\nrecording = "gemini-text.jsonl"\n'
            (folder / "recordings" / "g.suite.toml").write_text(golden)
        result = call(*shlex.split(line)[1:])
        assert result.exit_code == 0, f"{line}\n{result.output}"
    assert (folder / "recordings" / "goldens" / "g" / "x.json").is_file()


def test_tables_are_whole():
    types = re.findall(r"`([a-z_]+)`", PAGE.partition("| what | types |")[2].partition("\n\n")[0])
    assert sorted(types) == sorted(BUILT_IN)
    assert rows("key of the file") == {"name", "[[check]]", "[[case]]"}
    assert {*SuiteTable.model_fields} == {"name", "check", "case"}
    assert rows("key of a case") - {"[[case.check]]"} == {*CaseTable.model_fields} - {"check"}
