from __future__ import annotations

from harness.report.columns import columns


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


def test_a_name_with_a_line_feed_stays_in_its_row():
    assert columns(("a", "b"), [("x\ny\x1b", 1)]).splitlines()[2:] == ["x⏎y\\x1b  1"]
