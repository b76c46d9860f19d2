"""Blocks as markup: the same words as the text has, and nothing of them becomes markup."""

from __future__ import annotations

import pytest

from harness.page.blocks import Blocks
from harness.page.shell import page
from harness.report.report import Details, Heading, Quoted, Table
from tests.harness.page.markup import HOSTILE, assert_sound, parsed

TABLE = Table(
    ("verdict", "case", "calls"), [["ok", "one", "1,000"], ["FAIL", "two", "2"]], right=["calls"], title="Results"
)


def written(block, **links):
    return parsed("\n".join(Blocks(links).write(block)))


def test_a_table():
    root = written(TABLE)
    assert root.all("caption")[0].whole == "Results"
    assert [one.whole for one in root.all("th", scope="col")] == ["verdict", "case", "calls"]
    assert [[cell.whole for cell in row.children] for row in root.all("tbody")[0].all("tr")] == [
        ["ok", "one", "1,000"],
        ["FAIL", "two", "2"],
    ]
    assert [one.whole for one in root.all("th", scope="row")] == ["one", "two"]
    assert [one.whole for one in root.all("td", class_="r")] == ["1,000", "2"]
    assert [one.whole for one in root.all("td", class_="bad")] == ["FAIL"]
    (scroll,) = root.all("div")
    assert (scroll.attributes["role"], scroll.attributes["aria-label"]) == ("region", "Results")
    assert root.all("table", class_="sortable")


def test_a_table_without_a_title_is_named_after_its_columns_and_one_without_rows_is_none():
    assert written(Table(("", "a"), [["x", "1"]])).all("caption")[0].whole == "a"
    assert not written(Table(("a",), [])).children


def test_the_sum_stays_below():
    root = written(Table(("model", "cost"), [["a", "1"], ["b", "2"], ["total", "3"]], total=True))
    assert len(root.all("tbody")[0].all("tr")) == 2
    assert root.all("tfoot")[0].whole == "total 3"


def test_rows_that_belong_to_the_one_above_cannot_be_sorted_apart():
    root = written(Table(("task", "contender"), [["x", "a"], ["", "b"]]))
    assert not root.all("table", class_="sortable")
    assert [one.whole for one in root.all("th", scope="row")] == ["x"]


def test_sentences_headings_and_lists():
    assert written(Heading("Cost & more")).all("h2")[0].whole == "Cost & more"
    assert written("23 passed").all("p")[0].whole == "23 passed"
    root = written(Details("FAIL garden: tea", ["text: no <b>", "b"]))
    assert root.all("strong", class_="bad")[0].whole == "FAIL"
    assert root.all("p")[0].whole == "FAIL garden: tea"
    assert [one.whole for one in root.all("li")] == ["text: no <b>", "b"]
    assert not written("FAILED is no verdict").all("strong")


def test_a_difference():
    root = written(Quoted(["- gone", "+ new", "! text: a [-b-] {+c+} d", "  2 steps the same"], "diff"))
    assert root.all("pre")[0].text.endswith("\n  2 steps the same")
    assert [(one.attributes["class"], one.whole) for one in root.all("span")] == [
        ("gone", "- gone"), ("new", "+ new"), ("changed", "! text: a [-b-] {+c+} d"),
    ]  # fmt: skip
    assert [one.text for one in (*root.all("del"), *root.all("ins"))] == ["[-b-]", "{+c+}"]
    plain = written(Quoted(["- a"]))
    assert (plain.all("pre")[0].text, plain.all("span")) == ("- a", [])


def test_links_lead_from_whole_words():
    links = {"runs/a.jsonl": "t0", "runs/a": "t1"}
    writer = Blocks(links)
    line = "runs/a, other/runs/a, runs/a.jsonl.gz, runs/a-b, see runs/a."
    root = parsed("\n".join(writer.write(Details("FAIL x (runs/a.jsonl)", [line]))))
    assert [(one.attributes["href"], one.whole) for one in root.all("a")] == [
        ("#t0", "runs/a.jsonl"), ("#t1", "runs/a"), ("#t1", "runs/a"),
    ]  # fmt: skip
    assert root.all("li")[0].whole == line


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text):
    blocks = (
        Heading(text), text, Details(text, [text]), Quoted([text, f"! [-{text}-]"], "diff"), Quoted([text]),
        Table((text, "b"), [[text, text], ["x", text]], [text], title=text),
    )  # fmt: skip
    writer = Blocks({text: "t0", "x": "t0"})
    assert_sound(page("x", ['<p id="t0"></p>', *(line for block in blocks for line in writer.write(block))], "1"))
