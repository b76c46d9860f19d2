from __future__ import annotations

import json
from pathlib import Path

from harness.report.rendering import render
from harness.suites.case import Case
from harness.suites.proof_report import proof_report
from harness.suites.prove import Half, Proved


def proved(name: str, can_fail: str, can_pass: str, *idle: str) -> Proved:
    case = Case("garden", Path("g.suite.toml"), 0, name, name, ())
    return Proved(case, Half(can_fail, "why it can fail"), Half(can_pass, "why it can pass"), idle)  # type: ignore[arg-type]


PROOFS = [
    proved("good", "pass", "pass"), proved("idle", "pass", "pass", "file"), proved("weak", "fail", "pass", "file"),
    proved("bare", "pass", "open"), proved("ill", "pass", "error"),
]  # fmt: skip


def test_text():
    lines = render(proof_report(PROOFS), "text", "1.2").splitlines()
    assert [line.split() for line in lines[2:7]] == [
        ["proved", "garden", "good", "proved", "proved"],
        ["proved", "garden", "idle", "proved", "proved"],
        ["FAIL", "garden", "weak", "FAIL", "proved"],
        ["not", "proved", "garden", "bare", "proved", "not", "proved"],
        ["ERROR", "garden", "ill", "proved", "ERROR"],
    ]
    assert lines[8:16] == [
        "proved garden: idle", "  pass although nothing was done: file",
        "FAIL garden: weak", "  can fail: why it can fail",
        "not proved garden: bare", "  can pass: why it can pass",
        "ERROR garden: ill", "  can pass: why it can pass",
    ]  # fmt: skip
    assert "2 proved, 1 FAIL, 1 ERROR, 1 not proved · 5 cases" in lines


def test_json_and_csv():
    data = json.loads(render(proof_report(PROOFS), "json", "1.2"))
    assert data["totals"] == {"pass": 2, "fail": 1, "error": 1, "open": 1}
    assert data["cases"][1] == {
        "suite": "garden", "path": "g.suite.toml", "case": "idle", "status": "pass",
        "can_fail": {"status": "pass", "by": "why it can fail"},
        "can_pass": {"status": "pass", "by": "why it can pass"}, "pass_with_nothing_done": ["file"],
    }  # fmt: skip
    rows = render(proof_report(PROOFS), "csv", "1.2").splitlines()
    assert rows[3] == "garden,weak,fail,fail,why it can fail,pass,why it can pass"
