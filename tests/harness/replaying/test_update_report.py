from __future__ import annotations

import csv
import io
import json
from pathlib import Path

from harness.replaying.update_report import update_report
from harness.replaying.updating import EventChange, Updated
from harness.report.rendering import render

TEXT = {"type": "text", "text": "a"}
RESULTS = [
    Updated(Path("same.jsonl")),
    Updated(Path("new.jsonl"), [EventChange(0, 3, TEXT, {"type": "text", "text": "b"})]),
    Updated(Path("long.jsonl"), [EventChange(1, None, None, TEXT) for _ in range(30)], written=True),
    Updated(Path("other.jsonl"), [EventChange(0, 1, TEXT, None)], fault="the loop would go another way"),
    Updated(Path("torn.jsonl"), fault="it is damaged"),
]
TOTALS = "1 unchanged, 1 would change, 1 updated, 1 record again, 1 unusable · 5 recordings"


def test_text():
    lines = render(update_report(RESULTS), "text", "1").splitlines()
    assert lines[2].split() == ["unchanged", "same.jsonl"]
    assert lines[3].split() == ["would", "change", "new.jsonl", "1", "1"]
    assert '  call 0, frame 3: text: text: recorded "a", derived "b"' in lines
    assert '  call 1, the end: + {"type":"text","text":"a"}' in lines
    assert "  and 10 more (--json has all of them)" in lines
    assert "  the loop would go another way" in lines
    assert "  it is damaged" in lines
    assert TOTALS in lines
    assert "Nothing was written: add --accept to write what would change." in lines


def test_quiet_leaves_out_what_is_unchanged():
    assert "same.jsonl" not in render(update_report(RESULTS, quiet=True), "text", "1")
    assert "accept" not in render(update_report(RESULTS[:1]), "text", "1")


def test_json():
    data = json.loads(render(update_report(RESULTS), "json", "1"))
    assert data["totals"] == {
        "unchanged": 1, "would change": 1, "updated": 1, "record again": 1, "unusable": 1,
    }  # fmt: skip
    assert data["recordings"][1]["changes"] == [
        {"call": 0, "frame": 3, "recorded": TEXT, "derived": {"type": "text", "text": "b"}}
    ]
    assert len(data["recordings"][2]["changes"]) == 30
    assert data["recordings"][4] == {
        "path": "torn.jsonl", "status": "unusable", "changes": [], "fault": "it is damaged",
    }  # fmt: skip


def test_csv():
    rows = [*csv.DictReader(io.StringIO(render(update_report(RESULTS), "csv", "1")))]
    assert len(rows) == 34
    assert (rows[1]["status"], rows[1]["frame"], json.loads(rows[1]["recorded"])) == ("would change", "3", TEXT)
    assert rows[-1]["fault"] == "it is damaged"
