from __future__ import annotations

from harness.diff.summary import summarize
from harness.diff.task_data import CSV_HEADERS, Compared, tasks_data, tasks_rows
from tests.harness.diff.test_summary import results


def compared(*contenders, **fields):
    found = results(*contenders)
    names = ["A", "B", "C"][: len(contenders)]
    summary = summarize(found, len(contenders))
    return Compared(names, [name.lower() for name in names], found, summary, 0, "success by a test", **fields)


def test_what_is_not_there_is_told_too():
    data = tasks_data(compared([[True, False], [True, True]], [[False], []], unread=["x: bad"], alone=["t9"]))
    assert (data["unread"], data["not_run"], data["suite"]) == (["x: bad"], ["t9"], None)
    assert [(one["name"], one["path"], one["expected"], one["found"]) for one in data["contenders"]] == [
        ("A", "a", 4, 4), ("B", "b", 4, 1),
    ]  # fmt: skip
    assert [(one["task"], one["expected"], [*map(len, one["runs"])]) for one in data["tasks"]] == [
        ("t0", 2, [2, 1]), ("t1", 2, [2, 0]),
    ]  # fmt: skip
    (against,) = data["comparisons"]
    assert (against["one"], against["other"], against["success"]["lost"]) == ("A", "B", 1)


def test_the_csv_has_a_line_for_each_run_that_is_there():
    rows = tasks_rows(compared([[True, False], [True, True]], [[False], []]))
    assert {len(row) for row in rows} == {len(CSV_HEADERS)}
    named = [dict(zip(CSV_HEADERS, row, strict=True)) for row in rows]
    assert [(row["contender"], row["task"], row["number"], row["status"]) for row in named] == [
        ("A", "t0", 0, "pass"), ("A", "t0", 1, "fail"), ("B", "t0", 0, "fail"), ("A", "t1", 0, "pass"),
        ("A", "t1", 1, "pass"),
    ]  # fmt: skip
