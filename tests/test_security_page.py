"""docs/security.md says what the code does: rules, limits, and its commands run."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from agent.providers.base_url import KEY_QUERY
from harness.recording.headers import KEPT_HEADERS
from harness.redaction.key_shapes import MIN_LENGTH, NOT_SECRET, SHAPES
from harness.redaction.redactor import KEY_RULE
from harness.redaction.scan import SPLIT, Finding
from tests.harness.cli.cli import call
from tests.harness.leaky import leaky_session
from tests.harness.redaction.test_redactor import KEYS

PAGE = (Path(__file__).resolve().parents[1] / "docs/security.md").read_text("utf-8")
COMMANDS = [line for block in re.findall(r"```sh\n(.*?)```", PAGE, re.S) for line in block.splitlines()]


def test_every_rule_stands_in_the_table():
    named = re.findall(r"^\| `(\w+)` \|", PAGE, re.M)
    assert named == [*(shape.name for shape in SHAPES), KEY_RULE]


@pytest.mark.parametrize("rule", [shape.name for shape in SHAPES if shape.name not in ("private_key", "bearer")])
def test_the_shapes_are_those_of_keys(rule):
    row = re.search(rf"^\| `{rule}` \| (.*) \|$", PAGE, re.M)
    assert row is not None
    shown = [text.removesuffix("...") for text in re.findall(r"`([^`]+)`", row[1])]
    assert any(KEYS[rule].startswith(start) for start in shown), shown


def test_limits_and_lists():
    assert f"shorter than {MIN_LENGTH} characters" in PAGE
    assert {"changeme", "lm-studio"} <= NOT_SECRET
    assert {"key", "api_key", "token", "signature"} <= KEY_QUERY
    assert {"content-type", "retry-after"} <= KEPT_HEADERS
    assert not {"authorization", "cookie", "set-cookie"} & KEPT_HEADERS


def test_findings_look_as_shown():
    shown = [
        Finding(Path("recordings/run.jsonl"), 12, "anthropic", "frame 4 of call 0", "plain", 61),
        Finding(Path("recordings/run.jsonl"), 19, "openai", "choices.0.delta.content, lines 19 to 21", SPLIT, 51),
    ]
    assert "\n".join(map(str, shown)) in PAGE


@pytest.mark.parametrize("line", [line for line in COMMANDS if line.startswith("harness ")])
def test_each_command_runs(line, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MY_TOKEN", "TESTKEY-AAAA-1111")
    for folder in ("recordings", "fixtures"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "clean.txt").write_text("nothing\n")
    path = leaky_session(tmp_path, "anthropic", KEYS["anthropic"], 9)
    (tmp_path / "run.jsonl").write_bytes(path.read_bytes())
    words = [word for word in shlex.split(line)[1:] if word != "--kingfisher"]
    result = call(*words, "--no-kingfisher")
    assert result.exit_code == (1 if "run.jsonl" in words and words[0] == "scan" else 0), result.output
