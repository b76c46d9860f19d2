"""docs/trials.md: its suite and commands run in order, and what it lists is so."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from harness.cli import main
from harness.trials.running import HOPELESS
from tests.fake_network import install
from tests.harness.cli.cli import call

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "trials.md").read_text("utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]
(SUITE,) = re.findall(r"```toml\n(.*?)```", PAGE, re.S)
(LAYOUT,) = re.findall(r"```\n(trials/.*?)```", PAGE, re.S)
KEYS = {
    "ANTHROPIC_API_KEY": "sk-ant-test-0123456789abcdefghijklmnop",
    "OPENAI_API_KEY": "sk-test-0123456789abcdefghijkl",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which the page's commands were run."""
    found = tmp_path_factory.mktemp("trials")
    (found / "garden").mkdir()
    (found / "garden" / "plan.txt").write_text("Tea at four.\n", "utf-8")
    (found / "garden.suite.toml").write_text(SUITE, "utf-8")
    with pytest.MonkeyPatch.context() as patch, install() as asked:
        patch.chdir(found)
        for line in COMMANDS:
            result = call(*shlex.split(line)[1:], environ=KEYS)
            expected = (0, 1) if line.startswith("harness diff") else (0,)
            assert result.exit_code in expected, f"{line}\n{result.output}"
        assert {*asked} == {"api.anthropic.com", "api.openai.com", "127.0.0.1"}
        result = call(*shlex.split(COMMANDS[0])[1:], "--format", "json", environ=KEYS)
        (found / "data.json").write_text(result.stdout, "utf-8")
    return found


def test_the_commands_leave_what_the_page_shows(folder):
    for line in LAYOUT.splitlines():
        assert (folder / line.split()[0]).exists(), line
    assert "### Trials" in (folder / "trials.md").read_text("utf-8")
    plan = json.loads((folder / "trials" / "trials.json").read_bytes())
    assert (plan["repeats"], len(plan["models"]), len(plan["cases"])) == (6, 2, 2)


def test_the_fields_are_those_of_the_json(folder):
    data = json.loads((folder / "data.json").read_bytes())
    table = PAGE.split("| field | what it is |")[1]
    rows = re.findall(r"^\| (`.*?) \| (.*) \|$", table, re.M)
    assert {name for cell, _ in rows for name in re.findall(r"`(\w+)`", cell)} == {*data}
    says = {name: text for cell, text in rows for name in re.findall(r"`(\w+)`", cell)}
    for name in ("models", "trials", "suites"):
        assert re.findall(r"`(\w+)`", says[name]) == [*data[name][0]], name


def test_the_options_and_kinds_are_there():
    options = {name for option in main.get_command(None, "run").params for name in option.opts}
    others = {"--base-url", "--details"}
    assert {*re.findall(r"`(--[a-z-]+)", PAGE)} - others <= options
    assert {*re.findall(r"`(auth|billing|not_found)`", PAGE)} == HOPELESS
