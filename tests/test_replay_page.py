"""docs/replay.md says what the code does: its commands run, its names are those of the JSON, its sample is printed."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.harness.cli.cli import call, lines_of
from tests.harness.replaying.test_updating import changed, renamed

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "replay.md").read_text("utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]


@pytest.fixture(autouse=True)
def _folder(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "recordings", tmp_path / "recordings")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_runs(line):
    result = call(*shlex.split(line)[1:])
    assert (result.exit_code, result.stderr) == (0, ""), result.output


def test_the_sample_is_what_is_printed():
    with changed(renamed):
        shown = call("replay", "recordings/gemini-text.jsonl", "--update").stdout
    (sample,) = re.findall(r"```\n(verdict.*?)```", PAGE, re.S)
    assert shown.startswith(sample)


@pytest.mark.parametrize("options", [(), ("--update",)])
def test_every_name_of_the_json_is_described(options):
    with changed(renamed):
        found = lines_of(call("replay", "recordings/gemini-text.jsonl", "--json", *options).stdout)
    names = {*found[-1], *found[-1]["totals"], *found[0], *found[0].get("verdicts", [{}])[0]}
    names |= {name for each in found[0].get("recordings", []) for name in (*each, *each["changes"][0])}
    assert not [name for name in names - {"harness"} if not re.search(rf"[`\"]{name}[`\"]", PAGE)]
    assert json.dumps(found)
