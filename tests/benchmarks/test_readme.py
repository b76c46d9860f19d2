"""README shows the table that `python -m benchmarks` wrote, as it is."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_readme_shows_the_results():
    results = (ROOT / "benchmarks" / "results.md").read_text("utf-8")
    table = results[results.index("| path") :].rstrip()
    assert table in (ROOT / "README.md").read_text("utf-8")
