"""docs/show.md says what the code does: its commands run, its bounds, keys and addresses are those of the page."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from harness.cli.show import FORMATS
from harness.page.trajectory_index import MOST
from harness.page.trajectory_sheet import Limits
from tests.harness.cli.cli import call
from tests.harness.page.markup import assert_sound
from tests.harness.report.session import session, write

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "show.md").read_text("utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "recordings").mkdir()
    write(tmp_path / "recordings" / "answer.jsonl", session())


@pytest.mark.parametrize("line", COMMANDS)
def test_each_command_runs(line):
    result = call(*shlex.split(line, comments=True)[1:])
    assert result.exit_code == 0, result.output


def test_each_option_is_described():
    flags = re.findall(r"^  (--[a-z]+)", call("show", "--help").output, re.M)
    assert len(flags) >= 7
    assert [flag for flag in flags if not re.search(rf"^\| `{flag}\b", PAGE, re.M)] == []
    assert all(f"`{form}`" in PAGE for form in FORMATS)


def test_its_addresses_lead_somewhere():
    root = assert_sound(call("show", "recordings/answer.jsonl", "--format", "html").output)
    ids = {one.attributes["id"] for one in root.walk() if "id" in one.attributes}
    told = [re.sub(r"-call-\d+", "-call-1", name) for name in re.findall(r"`#(t-[\w-]+)`", PAGE)]
    assert len(told) == 5
    assert {*told} <= ids


def test_its_keys_are_those_of_the_script_and_of_the_page():
    script = (ROOT / "harness" / "page" / "viewer.js").read_text("utf-8")
    keys = re.findall(r'[{,] "?([/a-z])"?: ', re.findall(r"const acts = \{.*?\};", script, re.S)[0])
    told = re.findall(r"`([/a-z])`", PAGE[PAGE.index("and keys:") : PAGE.index("Every turn, call")])
    assert sorted(keys) == sorted(told)
    root = assert_sound(call("show", "recordings/answer.jsonl", "--format", "html").output)
    (line,) = root.all("p", class_="tj-keys")
    assert sorted(re.findall(r"(?:^|· )([/a-z]) ", line.whole)) == sorted(told)


def test_its_bounds_are_those_of_the_code():
    limits = Limits()
    assert f"of one text it shows {limits.text:,} characters" in PAGE
    assert f"of all texts {limits.texts // 10**6} million" in PAGE
    assert re.search(rf"frames and events\s{limits.raw // 10**6} MB", PAGE)
    assert f"of more than {MOST} recordings" in PAGE
