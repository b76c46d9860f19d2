"""docs/diff.md says what the code does: its commands run, its names are those of the JSON."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from harness.diff.volatile import NAMES
from tests.harness.cli.cli import call
from tests.harness.diff.runs import run, text, tool

PAGE = (Path(__file__).resolve().parents[1] / "docs/diff.md").read_text("utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, path in (("before", "a"), ("after", "b")):
        for place in (f"{name}.jsonl", f"{name}/x.jsonl"):
            run(tmp_path / place, [tool("read", path=path)], [text("end")], task="list")


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_runs(line, files):
    result = call(*shlex.split(line)[1:])
    assert result.exit_code == 1, result.output


def names(value):
    if isinstance(value, dict):
        return {*value, *(name for item in value.values() for name in names(item))}
    return {name for item in value for name in names(item)} if isinstance(value, list) else set()


@pytest.mark.parametrize("paths", [("before.jsonl", "after.jsonl"), ("before", "after")])
def test_every_name_of_the_json_is_described(paths, files):
    found = names(json.loads(call("diff", *paths, "--format", "json", "--all").stdout))
    settings = {"provider", "model", "mode", "system", "tools", "params", "temperature", "history"}
    missing = [name for name in found - settings if not name.isdigit() and f"`{name}`" not in PAGE]
    assert not missing


def test_what_all_shows_is_listed():
    assert {"id", "created", "system_fingerprint", "service_tier"} == {*NAMES.values()}
    assert all(f"`{name}`" in PAGE for name in {*NAMES.values(), "tool_id", "request_id", "latency_ms", "chunking"})
