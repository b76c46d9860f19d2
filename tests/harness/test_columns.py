from __future__ import annotations

from tabulate import tabulate

from harness.columns import columns


def test_columns():
    rows = [("ok", "a.jsonl", 1), ("FAIL", "folder/longer name.jsonl", 1200)]
    assert columns(("verdict", "recording", "calls"), rows, right=("calls",)).splitlines() == [
        "verdict  recording                 calls",
        "-------  ------------------------  -----",
        "ok       a.jsonl                       1",
        "FAIL     folder/longer name.jsonl   1200",
    ]


def test_no_rows():
    assert columns(("a", "b"), []) == "a  b\n-  -"


def test_as_tabulate_has_it():
    rows = [("1", "2.50", "x"), ("10", "3", "")]
    table = tabulate(rows, headers=("one", "two", "three"), disable_numparse=True, colalign=("right", "right", "left"))
    assert columns(("one", "two", "three"), rows, right=("one", "two")).split() == table.split()
