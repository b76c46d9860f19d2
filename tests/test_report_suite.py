"""The committed sample of a suite run is what the command writes today, byte for byte."""

from __future__ import annotations

from pathlib import Path

from tests.harness.cli.cli import call

ROOT = Path(__file__).resolve().parents[1]


def test_it_is_what_the_command_writes(monkeypatch, tmp_path):
    """Made with `harness suite run recordings/ --format markdown --out reports/suite.md`."""
    monkeypatch.chdir(ROOT)
    result = call("suite", "run", "recordings/", "--format", "markdown", "--out", tmp_path / "suite.md")
    assert (result.exit_code, result.output) == (0, "")
    assert (tmp_path / "suite.md").read_bytes() == (ROOT / "reports" / "suite.md").read_bytes()


def test_its_goldens_are_those_of_today_and_its_checks_mean_something(monkeypatch):
    monkeypatch.chdir(ROOT)
    result = call("suite", "accept", "recordings/", "--check")
    assert result.exit_code == 0, result.output
    result = call("suite", "prove", "recordings/")
    assert result.exit_code == 0, result.output
    assert "not proved" not in result.output
