from __future__ import annotations

import json
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from harness.report.rendering import render
from harness.suites.report import suite_report
from harness.suites.results import CaseResult, RunFacts
from harness.suites.unexercised import Unexercised
from harness.verdicts import Spent, Verdict

USAGE = {
    "input_tokens": 3, "output_tokens": 4, "cache_read_tokens": None, "cache_write_tokens": None,
    "cache_write_1h_tokens": None, "reasoning_tokens": None,
}  # fmt: skip
RUN = RunFacts(("lab/m-1",), 1, 2, 1, USAGE, Decimal("0.10"), 0, 2.5, ("look",), {"look": 1}, ("line 3: torn",))
GOOD = CaseResult(Path("a.suite.toml"), "a", "says", "say", Path("r/1.jsonl"), (Verdict("text", "pass"),), RUN)
BAD = CaseResult(
    Path("a.suite.toml"), "a", "looks", "look", Path("r/2.jsonl"),
    (Verdict("text", "pass"), Verdict("tools", "fail", "not made", 0.5)), RUN,
)  # fmt: skip
ILL = CaseResult(
    Path("b.suite.toml"), "b", "reads", "read", Path("r/3.jsonl"),
    (Verdict("text", "fail", "no"), Verdict("file", "error", "no workspace")),
)  # fmt: skip


def text(*results: CaseResult, idle: Unexercised | None = None, form: str = "text", quiet: bool = False) -> str:
    return render(suite_report(results, idle or Unexercised(), quiet=quiet), form, "1.2")


def test_text():
    shown = text(GOOD, BAD, ILL, idle=Unexercised((Path("r/9.jsonl"),), (("a", ("grep",)),), 0, 3))
    assert [line.split() for line in shown.splitlines()[2:5]] == [
        ["ok", "a", "says", "r/1.jsonl", "1", "ok", "1.000"],
        ["FAIL", "a", "looks", "r/2.jsonl", "1", "ok,", "tools:FAIL", "0.750"],
        ["ERROR", "b", "reads", "r/3.jsonl", "text:FAIL,", "file:ERROR"],
    ]
    assert "FAIL a: looks (r/2.jsonl)\n  tools: not made\n" in shown
    assert "ERROR b: reads (r/3.jsonl)\n  FAIL text: no\n  file: no workspace\n" in shown
    assert "warning r/1.jsonl\n  line 3: torn\n" in shown
    assert (
        "not exercised:\n  1 recording that no case names: r/9.jsonl\n  a: tools offered but never called: grep\n"
        "  3 checks not run after the failure\n"
    ) in shown
    assert "1 passed, 1 failed, 1 error · 3 cases, 3 recordings, 5 checks\n" in shown
    assert "4 calls, 2 of them retries · answered by lab/m-1\n" in shown
    assert "tasks that did not pass: look, read\n" in shown
    assert shown.endswith("trajectory-harness 1.2\n")


def test_columns_that_say_nothing_are_left_out():
    assert text(GOOD).splitlines()[0].split() == ["verdict", "case", "recording", "checks"]
    assert text(GOOD, BAD).splitlines()[0].split() == ["verdict", "case", "recording", "checks", "score"]
    assert "| ok | says | r/1.jsonl | 1 ok |" in text(GOOD, form="markdown")


def test_quiet():
    idle = Unexercised((Path("r/9.jsonl"),))
    shown = text(GOOD, idle=idle, quiet=True)
    assert shown.startswith("1 passed, 0 failed · 1 case, 1 recording, 1 check\n")
    assert "exercised" not in shown
    assert "r/2.jsonl" in text(GOOD, BAD, quiet=True)


def test_csv_has_a_row_a_check():
    assert text(BAD, form="csv").splitlines() == [
        "suite,case,task,recording,check,status,score,reason",
        "a,looks,look,r/2.jsonl,text,pass,,",
        "a,looks,look,r/2.jsonl,tools,fail,0.500,not made",
    ]


def test_json():
    data = json.loads(text(GOOD, ILL, idle=Unexercised((Path("r/9.jsonl"),), (("a", ("grep",)),), 1, 2), form="json"))
    assert data["harness"] == "1.2"
    assert [(suite["name"], suite["path"]) for suite in data["suites"]] == [
        ("a", "a.suite.toml"),
        ("b", "b.suite.toml"),
    ]
    assert data["suites"][0]["results"] == [
        {
            "case": "says", "task": "say", "recording": "r/1.jsonl", "status": "pass", "score": 1.0,
            "verdicts": [{"check": "text", "status": "pass", "score": None, "reason": None}], "models": ["lab/m-1"],
            "turns": 1, "calls": 2, "retries": 1, "usage": USAGE, "cost_usd": "0.10", "unpriced_calls": 0,
            "seconds": 2.5, "tool_calls": {"look": 1}, "warnings": ["line 3: torn"],
        }
    ]  # fmt: skip
    (unread,) = data["suites"][1]["results"]
    assert (unread["calls"], unread["cost_usd"], unread["unpriced_calls"], unread["score"]) == (None, None, None, None)
    assert data["not_exercised"] == {
        "recordings": ["r/9.jsonl"], "tools": [{"suite": "a", "names": ["grep"]}], "checks_left_out_by_filter": 1,
        "checks_not_run": 2,
    }  # fmt: skip
    assert data["totals"] == {
        "cases": 2, "recordings": 2, "checks": 3, "pass": 1, "fail": 0, "error": 1, "calls": 2, "retries": 1,
        "usage": USAGE, "cost_usd": "0.10", "unpriced_calls": 0, "models": ["lab/m-1"], "failed_tasks": ["read"],
    }  # fmt: skip


def test_budgets_as_json():
    spent = (Spent("cost_usd", Decimal("0.010"), Decimal("0.02")), Spent("calls", Decimal(2), Decimal(9), more=True))
    result = replace(GOOD, verdicts=(Verdict("budget", "pass", None, 1.0, spent), Verdict("text", "pass")))
    budget, plain = json.loads(text(result, form="json"))["suites"][0]["results"][0]["verdicts"]
    assert budget["budgets"] == [
        {"name": "cost_usd", "spent": "0.010", "limit": "0.02", "more": False},
        {"name": "calls", "spent": "2", "limit": "9", "more": True},
    ]
    assert "budgets" not in plain
