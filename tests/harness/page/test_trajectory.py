from __future__ import annotations

from pathlib import Path

import pytest

import harness
from harness.page.shell import page
from harness.page.trajectory import trajectory
from harness.report.account import account
from harness.report.page import Style
from tests.harness.page.markup import assert_sound, parsed

ROOT = Path(__file__).resolve().parents[3]
RECORDINGS = sorted((ROOT / "recordings").glob("*.jsonl"))


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_all_that_show_says_is_there(path):
    recording = harness.open(path)
    fragment = trajectory(recording, "r7")
    assert_sound(page("x", [fragment], "0", parts=("viewer",)))
    shown = parsed(fragment)
    ids = [one.attributes["id"] for one in shown.walk() if "id" in one.attributes]
    assert all(one == "r7" or one.startswith("r7-") for one in ids)
    assert {f"r7-call-{call.number}" for call in recording.calls} <= {*ids}
    assert {f"r7-turn-{turn.number}" for turn in recording.turns} <= {*ids}
    for line in account(recording, Style(full=True)):
        field = line.strip().partition("  ")
        words = " ".join((field[2] or field[0]).split())
        if words == "totals":
            continue
        for part in words.removeprefix("tool call ").partition("{")[0].split(": ")[-1].split(" · "):
            assert part.strip() in shown.whole, line
