from __future__ import annotations

import harness
from harness.page import trajectory_index
from harness.page.trajectory_index import recording_page, recordings_page
from harness.report.scan import scan
from tests.harness.page.markup import assert_sound
from tests.harness.report.session import session, write


def test_one(tmp_path):
    path = write(tmp_path / "a&b.jsonl", session())
    root = assert_sound(recording_page(harness.open(path), "1.2"))
    assert root.all("h1")[0].whole == "a&b.jsonl"
    assert root.all("section", id="t")
    assert len(root.all("article")) == 4
    assert len(assert_sound(recording_page(harness.open(path), "1.2", only=1)).all("article")) == 1


def test_several_under_a_table(tmp_path):
    paths = [write(tmp_path / f"{name}.jsonl", session()) for name in ("one", "two")]
    (tmp_path / "bad.jsonl").write_text("nothing\n")
    root = assert_sound(recordings_page([scan(path) for path in (*paths, tmp_path / "bad.jsonl")], "1.2"))
    assert root.all("h1")[0].whole == "3 recordings"
    table = root.all("table")[0]
    rows = table.all("tbody")[0].all("tr")
    assert [one.attributes["href"] for row in rows for one in row.all("a")] == ["#r0", "#r1"]
    assert "unreadable" in rows[2].whole
    assert [one.children[0].whole for one in root.all("details", class_="tj-file")] == [str(path) for path in paths]
    assert [one.attributes["id"] for one in root.all("section", class_="tj")] == ["r0", "r1"]
    assert "2 recordings · 8 calls" in root.whole
    assert "1 unreadable" in root.whole


def test_more_than_a_page_takes(tmp_path, monkeypatch):
    monkeypatch.setattr(trajectory_index, "MOST", 1)
    rows = [scan(write(tmp_path / f"{name}.jsonl", session())) for name in ("one", "two", "three")]
    root = assert_sound(recordings_page(rows, "1"))
    assert len(root.all("section", class_="tj")) == 1
    assert "2 recordings more only in the table" in root.whole
    assert len(assert_sound(recordings_page(rows, "1", full=True)).all("section", class_="tj")) == 3


def test_one_that_went_away_meanwhile(tmp_path):
    path = write(tmp_path / "one.jsonl", session())
    row = scan(path)
    path.unlink()
    root = assert_sound(recordings_page([row], "1"))
    assert "one.jsonl" in root.all("p", id="r0")[0].whole
