from __future__ import annotations

import json
from pathlib import Path

from harness.report.rendering import render
from harness.suites.accept import Golden
from harness.suites.golden_report import golden_report

FOUND = [
    Golden(Path("g/a.json"), "added", "s", "a", data=b"{}"),
    Golden(Path("g/b.json"), "changed", "s", "b", ("call 0: one", "call 1: two"), b"{}"),
    Golden(Path("g/c.json"), "unchanged", "s", "c"),
    Golden(Path("g/d.json"), "removed", "s"),
    Golden(Path("g/e.json"), "error", "s", "e", ("why",)),
]


def test_text():
    assert render(golden_report(FOUND, written=True), "text", "1.2").splitlines() == [
        "added g/a.json (s: a)", "changed g/b.json (s: b)", "  call 0: one", "  call 1: two", "removed g/d.json",
        "ERROR g/e.json (s: e)", "  why", "", "1 added, 1 changed, 1 unchanged, 1 removed, 1 error", "",
        "trajectory-harness 1.2",
    ]  # fmt: skip
    assert "1 unchanged · nothing is written" in render(golden_report(FOUND[2:3], written=False), "text", "1.2")


def test_json_and_csv():
    data = json.loads(render(golden_report(FOUND, written=False), "json", "1.2"))
    assert data["written"] is False
    assert data["goldens"][1] == {
        "suite": "s", "case": "b", "path": "g/b.json", "what": "changed", "lines": ["call 0: one", "call 1: two"],
    }  # fmt: skip
    assert data["totals"] == {"added": 1, "changed": 1, "unchanged": 1, "removed": 1, "error": 1}
    rows = render(golden_report(FOUND, written=True), "csv", "1.2").splitlines()
    assert rows[2:4] == ["s,b,g/b.json,changed,call 0: one", "s,b,g/b.json,changed,call 1: two"]
