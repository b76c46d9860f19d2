"""The terminal that is printed to: nothing is wider."""

from __future__ import annotations

import sys

import pytest

from harness.cli.terminal import terminal_width
from harness.report.text import columns
from tests.harness.cli.cli import call


def test_its_columns(monkeypatch):
    monkeypatch.setenv("COLUMNS", "83")
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert terminal_width() == 83
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    assert terminal_width() is None


@pytest.mark.parametrize(
    ("args", "width"),
    [(("suite", "run", "recordings/"), 70), (("replay", "recordings/"), 80), (("cost", "recordings/"), 100)],
    ids=["suite", "replay", "cost"],
)
def test_tables_and_sentences_fit(monkeypatch, args, width):
    for module in ("report_options", "replay"):
        monkeypatch.setattr(f"harness.cli.{module}.terminal_width", lambda: width)
    result = call(*args)
    assert result.exit_code == 0
    assert max(map(columns, result.stdout.splitlines())) <= width
