"""docs/evaluating.md: its commands run in order, as they stand, over a network that answers from fixtures.

`harness record` runs a program of the reader's; tests/harness/cli/test_record.py has it, with `--task`.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import harness
from tests.fake_network import install
from tests.harness.cli.cli import call

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs" / "evaluating.md").read_text("utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]
((SUITE_NAME, SUITE),) = re.findall(r"```toml\n# (\S+)\n(.*?)```", PAGE, re.S)
KEYS = {
    "ANTHROPIC_API_KEY": "sk-ant-test-0123456789abcdefghijklmnop",
    "OPENAI_API_KEY": "sk-test-0123456789abcdefghijkl",
}


def test_the_commands_run(tmp_path, monkeypatch):
    (tmp_path / "garden").mkdir()
    (tmp_path / "garden" / "plan.txt").write_text("Tea at four.\n", "utf-8")
    (tmp_path / SUITE_NAME).write_text(SUITE, "utf-8")
    monkeypatch.chdir(tmp_path)
    with install() as asked:
        for line in COMMANDS:
            if line.startswith("harness record "):
                continue
            result = call(*shlex.split(line)[1:], environ=KEYS)
            expected = 1 if line == "harness diff before/ after/ --details" else 0  # another prompt: the two differ
            assert result.exit_code == expected, f"{line}\n{result.output}"
        assert {*asked} == {"api.anthropic.com", "api.openai.com"}
    assert harness.open("before/tea.jsonl").header["task"] == "tea"
    assert 'tests="1" failures="0" errors="0"' in (tmp_path / "report.xml").read_text("utf-8")
