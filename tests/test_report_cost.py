"""The committed sample of a cost report is what the command writes today, byte for byte."""

from __future__ import annotations

from pathlib import Path

from tests.harness.cli.cli import call

ROOT = Path(__file__).resolve().parents[1]


def test_it_is_what_the_command_writes(monkeypatch, tmp_path):
    """Made with `harness cost recordings/ --prices reports/prices.toml --format markdown --out reports/cost.md`."""
    monkeypatch.chdir(ROOT)
    arguments = ("--prices", "reports/prices.toml", "--format", "markdown", "--out", tmp_path / "cost.md")
    result = call("cost", "recordings/", *arguments)
    assert (result.exit_code, result.output) == (0, "")
    assert (tmp_path / "cost.md").read_bytes() == (ROOT / "reports" / "cost.md").read_bytes()
