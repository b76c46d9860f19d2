"""A report as a page says what its text says, and every page is sound."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from harness.page.report import PLOTS, report_page
from harness.report.rendering import render
from harness.report.report import Details, Heading, Report, Table
from tests.harness.cli.cli import call
from tests.harness.page.markup import HOSTILE, assert_sound

ROOT = Path(__file__).resolve().parents[3]
COMMANDS = {
    "suite": ["suite", "run", "recordings/"],
    "cost": ["cost", "recordings/", "--prices", "reports/prices.toml", "--reprice", "openai/gpt-4.1-mini"],
    "sweep": ["sweep", "recordings/anthropic-edit.jsonl", "recordings/gemini-text.jsonl", "--sample", "3"],
    "runs": ["diff", "recordings/openai-chat-parallel-calls.jsonl", "recordings/gemini-parallel-calls.jsonl", "--all"],
    "prove": ["suite", "prove", "recordings/"],
    "accept": ["suite", "accept", "recordings/", "--check"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_all_that_the_text_says_stands_on_the_page(name, monkeypatch):
    monkeypatch.chdir(ROOT)
    page = assert_sound(call(*COMMANDS[name], "--format", "html").stdout).all("body")[0].whole
    text = call(*COMMANDS[name]).stdout
    cells = {cell for line in text.splitlines() for cell in re.split(r"  +", line.strip())}
    missing = {cell for cell in cells if not re.fullmatch(r"[-= ]*", cell) and " ".join(cell.split()) not in page}
    assert not missing


def test_a_heading_at_the_beginning_is_the_title():
    root = assert_sound(report_page(Report([Heading("Cost by day"), "none"]), "update", "1"))
    assert root.all("title")[0].whole == "Cost by day"
    assert not root.all("h2")


def test_totals_come_first_where_a_table_would():
    table = Table(("a",), [["x"]])
    root = assert_sound(report_page(Report([table, Details("d"), "1 passed", "2 calls"]), "other", "1"))
    assert [one.whole for one in root.all("p")] == ["1 passed", "2 calls", "d"]
    root = assert_sound(report_page(Report(["first", table, "last"]), "other", "1"))
    assert [one.whole for one in root.all("p")] == ["first", "last"]
    assert root.all("h1")[0].whole == "Other"


def test_a_report_without_blocks():
    assert_sound(report_page(Report(), "other", "1"))


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    report = Report([Heading(text), text, Table((text,), [[text], [text]]), Details(text, [text])])
    root = assert_sound(report_page(report, "other", text))
    assert len(root.all("script")) == 1


def test_every_report_of_a_command_has_plots_of_its_own():
    assert {*PLOTS} == {"cost", "diff", "suite", "sweep", "trials"}


def test_a_page_of_many_recordings_stays_small():
    rows = [["ok", f"case {n}", f"recordings/some-folder/session-{n}.jsonl", "6 ok", "1.000"] for n in range(1_000)]
    report = Report([Table(("verdict", "case", "recording", "checks", "score"), rows)])
    page = report_page(report, "other", "1")
    assert len(page) < 500_000
    assert len(page) < 4 * len(render(report, "text", "1"))
