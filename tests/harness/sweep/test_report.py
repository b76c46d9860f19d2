from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from harness.report.rendering import render
from harness.sweep.cases import Cut, Whole
from harness.sweep.report import report
from harness.sweep.sweep import Swept
from harness.sweep.tally import Example
from tests.harness.sweep.swept import chat

STREAM = chat({"content": "a"})


def results():
    held = Swept(Path("held.jsonl"), 1, 1, 1234)
    held.tallies["adapters"].add(STREAM, Whole(), [("raises", None)], times=4000)
    broken = Swept(Path("bro|ken_1.jsonl"), 2, 1, 99)
    broken.tallies["adapters"].add(
        STREAM, Cut(1, 0, "eof"), [("raises", None), ("usage", "2 usage\x1b events")], times=7
    )
    broken.tallies["loop"].add(STREAM, Whole(), [("turn-end", None)])
    broken.tallies["adapters"].broken["usage"].small = Example(STREAM, Cut(0, 0, "eof"), "smaller")
    left_out = Swept(Path("out.jsonl"), left_out=["call 0: no response came"])
    unusable = Swept(Path("un.sse"), fault="un.sse: cannot be read")
    return [held, broken, left_out, unusable]


TOTALS = "1 of 3 laws broken · 4,008 cases · 4 files, 3 calls, 2 turns · 1 unusable · seed 9"


def shown(form: str, found=None, **options) -> str:
    return render(report(results() if found is None else found, 9, **options), form, "1.2")


def test_text():
    lines = shown("text").splitlines()
    assert lines[0].split() == ["recording", "calls", "turns", "cases", "laws", "held", "first", "counter-example"]
    assert lines[2].split() == ["held.jsonl", "1", "1", "4,000", "1", "of", "1"]
    assert "2 of 3  usage: cut before frame 1, eof" in lines[3]
    assert "cannot be used: un.sse: cannot be read" in lines[5]
    assert lines[6:-2] == [
        "",
        "BROKEN bro|ken_1.jsonl, call 0, usage: exactly one `usage` event closes the call",
        "  first of 7 cases: cut before frame 1, eof: 2 usage\\x1b events",
        f"  smallest: 3 frames of {len(STREAM.body)} bytes, cut before frame 0, eof: smaller",
        "left out: out.jsonl, call 0: no response came",
        "",
        TOTALS,
    ]


def test_markdown():
    lines = shown("markdown").splitlines()
    assert lines[3].startswith("| bro\\|ken\\_1.jsonl | 2 | 1 | 8 | 2 of 3 |")
    assert lines[7].startswith("- BROKEN bro\\|ken\\_1.jsonl")
    assert lines[8].startswith("  - first of 7 cases")
    assert lines[-3] == TOTALS


def test_csv():
    rows = [*csv.DictReader(io.StringIO(shown("csv")))]
    assert [(row["path"], row["broken"], row["law"]) for row in rows] == [
        ("held.jsonl", "0", ""), ("bro|ken_1.jsonl", "1", "usage"), ("out.jsonl", "0", ""), ("un.sse", "0", ""),
    ]  # fmt: skip
    assert {row["seed"] for row in rows} == {"9"}
    assert rows[3]["reason"] == "un.sse: cannot be read"


def test_json():
    data = json.loads(shown("json"))
    held, broken, left_out, unusable = data["files"]
    assert held["laws"] == {"raises": {"checked": 4000, "broken": 0}}
    assert broken["cases"] == {"adapters": {"cut": 7}, "loop": {"whole": 1}}
    (found,) = broken["broken"]
    assert (found["law"], found["times"], found["first"]["case"]) == ("usage", 7, "cut before frame 1, eof")
    assert found["smallest"] == {
        "call": 0, "case": "cut before frame 0, eof", "reason": "smaller", "frames": 3, "bytes": len(STREAM.body),
    }  # fmt: skip
    assert (left_out["left_out"], unusable["fault"]) == (["call 0: no response came"], "un.sse: cannot be read")
    assert (data["seed"], data["totals"]["broken"], data["totals"]["cases"]) == (9, ["usage"], 4008)


@pytest.mark.parametrize("form", ["text", "markdown", "csv", "json"])
def test_quiet_leaves_out_what_holds(form):
    text = shown(form, quiet=True)
    assert "held.jsonl" not in text
    assert "un.sse" in text
    assert "4,008" in text or '"cases":4008' in text or form == "csv"
    assert shown(form, results()[:1], quiet=True).count("\n") == (3 if form in ("text", "markdown") else 1)
