"""Single runs side by side."""

from __future__ import annotations

import csv
import io
import json

from harness.costs.priced_by import PricedBy
from harness.diff.run_report import runs_report
from harness.diff.tasks import Job, run_task
from harness.report.rendering import render
from tests.harness.diff.runs import run, text, tool
from tests.harness.sessions import change


def report(tmp_path, form="text", **fields):
    one = run(tmp_path / "a.jsonl", [tool("read", path="a", n=1)], [text("the end")])
    other = run(tmp_path / "b.jsonl", [tool("read", path="b", n=1.0)], [text("the end now")], cost="0.02", **fields)
    third = run(tmp_path / "c.jsonl", [tool("read", path="a", n=1)], [text("the end")], cost=None, tokens=(None, 5))
    result = run_task(Job("t", ((one,), (other,), (third,)), details=True), PricedBy())
    return render(runs_report(["A", "B", "C"], result), form, "0")


def test_an_account(tmp_path):
    shown = report(tmp_path, model="n")
    assert "2 changed, 2 the same; they part at step 1 (turn 0, call 0)" in shown
    assert '!   input.path: "a" -> "b"' in shown
    assert "!   text: the end{+ now+}" in shown
    assert '! model: "m" -> "n"' in shown
    assert "no step differs (4 steps)" in shown
    assert "unpriced" in shown
    assert "input.n" not in shown


def test_markdown(tmp_path):
    shown = report(tmp_path, "markdown")
    assert "```diff\n  1 step the same\n! 1 turn 0, call 0: tool call read\n" in shown
    assert "### A and B" in shown


def test_csv(tmp_path):
    rows = [*csv.DictReader(io.StringIO(report(tmp_path, "csv")))]
    assert [(row["other"], row["number"], row["path"], row["one_value"], row["other_value"]) for row in rows] == [
        ("B", "1", "input.path", "a", "b"),
        ("B", "2", "text", "the end", "the end now"),
    ]


def test_json(tmp_path):
    data = json.loads(report(tmp_path, "json"))
    assert [one["name"] for one in data["contenders"]] == ["A", "B", "C"]
    assert data["contenders"][2]["figures"]["cost_usd"] is None
    first, second = data["comparisons"]
    assert first["steps"] == {"same": 2, "changed": 2, "removed": 0, "added": 0}
    assert first["first_divergence"] == first["changes"][0]
    assert first["changes"][0]["differences"] == [{"path": "input.path", "one": "a", "other": "b"}]
    assert (second["same"], second["first_divergence"], second["changes"]) == (True, None, [])


def searched(value):
    if value["kind"] == "event" and value["event"]["type"] == "usage":
        value["event"]["usage"]["provider_tools"] = {"web_search": 2, "file_search": 1}


def test_what_the_costs_leave_out_is_said(tmp_path):
    one = run(tmp_path / "a.jsonl", [text("the end")])
    found = run_task(Job("t", ((one,), (change(one, searched),)), details=True), PricedBy())
    shown = runs_report(["A", "B"], found)
    assert "Not priced: 1 file search, 2 web searches, which are billed beside the tokens" in render(shown, "text", "0")
    assert "B: 1 file search, 2 web searches" in render(shown, "text", "0")
    assert [one["figures"]["provider_tools"] for one in shown.data["contenders"]] == [
        {}, {"file_search": 1, "web_search": 2},
    ]  # fmt: skip
    alone = run_task(Job("t", ((one,), (one,)), details=True), PricedBy())
    assert "Not priced" not in render(runs_report(["A", "B"], alone), "text", "0")
