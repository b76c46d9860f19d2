from __future__ import annotations

from pathlib import Path

from harness.suites.results import CaseResult, count_by_status, said
from harness.verdicts import Verdict


def result(*verdicts: Verdict) -> CaseResult:
    return CaseResult(Path("a.suite.toml"), "a", "x", "x", Path("r.jsonl"), verdicts)


def test_status_reason_and_score():
    ok, half = Verdict("a", "pass"), Verdict("tools", "fail", "two\nlines", 0.5)
    assert (result().status, result().reason, result().score) == ("error", "there is no check", None)
    assert (result(ok).status, result(ok).reason, result(ok).score) == ("pass", None, 1.0)
    assert (result(ok, half).status, result(ok, half).score) == ("fail", 0.75)
    broken = result(half, Verdict("b", "error", "why"))
    assert (broken.status, broken.reason, broken.score) == ("error", "b: why", None)
    assert said(Verdict("a", "fail")) == "a: no reason given"
    assert count_by_status([result(ok), result(), result(half)]) == {"pass": 1, "fail": 1, "error": 1}
