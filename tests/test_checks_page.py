"""docs/checks.md says what the code does: every check and key stands in it, and its examples hold."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path
from typing import Literal, get_args

import pytest

import harness
from agent.pricing import price
from harness.checks.base import Check, Subject, judged
from harness.checks.golden import golden_of
from harness.checks.registry import BUILT_IN, GROUP, check_class
from harness.checks.trajectory import Order
from harness.checks.values import Mode
from harness.report.reading import read_facts

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "docs/checks.md").read_text("utf-8")
RECORDING = ROOT / "recordings/openai-chat-parallel-calls.jsonl"
BLOCKS = [tomllib.loads(block) for block in re.findall(r"```toml\n(.*?)```", PAGE, re.S)]
CHECKS = [check for block in BLOCKS for case in block.get("case", {}).values() for check in case]
ROWS = dict(re.findall(r"^\| `(\w+)` \| [^|]+ \| (outcome|way) \|", PAGE, re.M))


@pytest.fixture
def subject(tmp_path, monkeypatch):
    """The run of the page, with a workspace and a golden file."""
    monkeypatch.chdir(tmp_path)
    assert RECORDING.relative_to(ROOT).as_posix() in PAGE
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/seeds.md").write_text("peas, beans\n")
    golden = tmp_path / "golden.json"
    golden.write_text(json.dumps(golden_of(harness.open(RECORDING))))
    return Subject(read_facts(RECORDING), tmp_path, price, RECORDING, workspace=tmp_path, golden=golden)


@pytest.mark.parametrize("table", CHECKS, ids=[check["type"] for check in CHECKS])
def test_each_example_holds(table, subject):
    verdict = judged(check_class(table["type"]).model_validate(table), subject)
    assert (verdict.status, verdict.reason) == ("pass", None)


def test_every_check_is_in_the_table_and_has_an_example():
    assert {name: check_class(name).of for name in ROWS} == ROWS
    assert ROWS.keys() == BUILT_IN.keys() == {check["type"] for check in CHECKS}


@pytest.mark.parametrize("name", BUILT_IN)
def test_every_key_is_named(name):
    for key in check_class(name).model_fields:
        assert re.search(rf"`{key}\b|`[^`]*\b{key} =", PAGE), key


def test_every_order_and_mode_is_explained():
    for word in (*get_args(Order), *get_args(Mode)):
        assert re.search(rf"^\| `{word}` \| ", PAGE, re.M), word


def test_which_read_the_frames():
    named = {name for name in BUILT_IN if check_class(name).needs_frames}
    assert "`events` and `requests` read the frames" in PAGE
    assert named == {"events", "requests"}


def test_the_own_check_works(subject):
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.S)
    names: dict = {"__name__": "polite"}
    exec(compile(code, "docs/checks.md", "exec", dont_inherit=True), names)
    polite = names["Polite"]
    assert issubclass(polite, Check)
    assert polite.model_fields["type"].annotation == Literal["polite"]
    assert judged(polite(type="polite"), subject).status == "pass"
    assert judged(polite(type="polite", words=["Please"]), subject).reason == "it began with 'I will look at both.'"
    assert any(GROUP in str(block) for block in BLOCKS)
