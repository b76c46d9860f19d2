from __future__ import annotations

import json

import pytest

from tests.harness.cli.cli import call

KEY = "TESTKEY-AAAA-1111"


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_ready_for_a_bug_report():
    result = call("doctor", environ={"ANTHROPIC_API_KEY": KEY})
    assert result.exit_code == 0
    assert "providers with a key: anthropic (ANTHROPIC_API_KEY)\n" in result.stdout
    assert "providers that need none: ollama, lmstudio\n" in result.stdout
    assert "configuration: none" in result.stdout
    assert result.stdout.startswith("trajectory-harness  ")
    assert result.stdout.endswith("no problem found\n")
    assert KEY not in result.output


def test_json():
    result = call("doctor", "--json", environ={"ANTHROPIC_API_KEY": KEY})
    found = json.loads(result.stdout)
    assert found["problems"] == []
    assert {"versions", "extras", "providers", "config", "model", "folders", "variables"} < set(found)
    assert KEY not in result.output


def test_problems_decide_the_exit_status(folder):
    (folder / "pyproject.toml").write_text("[tool.harness]\nmodle = 'x'\n")
    result = call("doctor")
    assert result.exit_code == 1
    assert "problem: " in result.stdout
    assert "unknown key; did you mean model" in result.stdout
    assert result.stderr == ""


def test_ones_own_providers(folder):
    (folder / "pyproject.toml").write_text("[tool.harness.providers.lab]\nbase_url = 'http://lab'\n")
    assert "providers of your own: lab\n" in call("doctor").stdout
