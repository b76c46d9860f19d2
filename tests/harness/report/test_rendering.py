from __future__ import annotations

import csv
import io
import json

import pytest

from harness.report.rendering import FORMATS, render
from harness.report.report import Details, Heading, Quoted, Report, Table

REPORT = Report(
    [
        Heading("Costs *and* more"),
        Table(("name", "calls"), [["a|b", "1"], ["two\nlines", "1,000"]], right=["calls"]),
        Table(("nothing", "here"), []),
        "3 calls, $0.10",
        Details("first", ["why", "where_it_was"]),
        Details("second"),
        Quoted(["- old", "+ new ```", "", "\x1b[31mred"], "diff"),
        "the end",
    ],
    {"b": 1, "a": [None, "x"]},
    ("name", "calls"),
    [["a,b", 1], ["c", None]],
)


def test_text():
    assert render(REPORT, "text", "1.2").splitlines() == [
        "Costs *and* more",
        "================",
        "",
        "name       calls",
        "---------  -----",
        "a|b            1",
        "two⏎lines  1,000",
        "",
        "3 calls, $0.10",
        "",
        "first",
        "  why",
        "  where_it_was",
        "second",
        "",
        "    - old",
        "    + new ```",
        "",
        "    \\x1b[31mred",
        "",
        "the end",
        "",
        "trajectory-harness 1.2",
    ]


def test_markdown():
    assert render(REPORT, "markdown", "1.2").splitlines() == [
        "### Costs \\*and\\* more",
        "",
        "| name | calls |",
        "| :-- | --: |",
        "| a\\|b | 1 |",
        "| two⏎lines | 1,000 |",
        "",
        "3 calls, $0.10",
        "",
        "- first",
        "  - why",
        "  - where\\_it\\_was",
        "- second",
        "",
        "````diff",
        "- old",
        "+ new ```",
        "",
        "\\x1b[31mred",
        "````",
        "",
        "the end",
        "",
        "<sub>trajectory-harness 1.2</sub>",
    ]


def test_csv():
    assert [*csv.reader(io.StringIO(render(REPORT, "csv", "1.2")))] == [["name", "calls"], ["a,b", "1"], ["c", ""]]


def test_csv_steers_no_terminal_and_can_be_written():
    rows = [["\x1b[31mred\x1b[0m\r\n\tnext", 1], ["\ud800 half", None]]
    text = render(Report([], {}, ("name", "calls"), rows), "csv", "1.2")
    assert [*csv.reader(io.StringIO(text))][1:] == [["\\x1b[31mred\\x1b[0m\\r\n\tnext", "1"], ["\\ud800 half", ""]]
    text.encode()


def test_json():
    text = render(REPORT, "json", "1.2")
    assert (json.loads(text), text.count("\n")) == ({"harness": "1.2", "b": 1, "a": [None, "x"]}, 1)


@pytest.mark.parametrize("form", FORMATS)
def test_an_empty_report(form):
    assert render(Report(), form, "1.2").endswith("\n")
    assert "\n\n" not in render(Report(), form, "1.2")


def test_sentences_are_folded_where_the_width_is_known():
    report = Report(
        ["one two three four five six", Details("seven eight nine ten eleven", ["twelve thirteen fourteen"])]
    )
    assert render(report, "text", "1", 22).splitlines() == [
        "one two three four",
        "  five six",
        "",
        "seven eight nine ten",
        "  eleven",
        "  twelve thirteen",
        "    fourteen",
        "",
        "trajectory-harness 1",
    ]
    assert "one two three four five six" in render(report, "markdown", "1", 22)
