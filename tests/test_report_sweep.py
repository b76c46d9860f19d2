"""The committed sample of a sweep is what the command writes today, byte for byte."""

from __future__ import annotations

from pathlib import Path

from tests.harness.cli.cli import call

ROOT = Path(__file__).resolve().parents[1]


def test_it_is_what_the_command_writes(monkeypatch, tmp_path):
    """Made with `harness sweep recordings/ --out`."""
    monkeypatch.chdir(ROOT)
    result = call("sweep", "recordings/", "--out", tmp_path / "sweep.md")
    assert (result.exit_code, result.output) == (0, "")
    assert (tmp_path / "sweep.md").read_bytes() == (ROOT / "reports" / "sweep.md").read_bytes()
