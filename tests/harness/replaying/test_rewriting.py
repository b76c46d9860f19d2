from __future__ import annotations

import gzip
import json
import os
import stat

import pytest

from harness.errors import HarnessError
from harness.recording.writer import Writer
from harness.replaying.rewriting import beside, renumbered, with_events, write_file

RECORDS = [{"kind": "header", "seq": 0, "t": 0}, {"kind": "end", "seq": 1, "t": 1}]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("run.jsonl", "run.scrubbed.jsonl"),
        ("run.jsonl.gz", "run.scrubbed.jsonl"),
        ("run", "run.scrubbed.jsonl"),
        ("a.b.json", "a.b.json.scrubbed.jsonl"),
    ],
)
def test_a_name_beside(name, expected, tmp_path):
    assert beside(tmp_path / name, "scrubbed") == tmp_path / expected


def test_numbers_rise_and_keep_the_gaps_of_lost_records():
    old = [{"kind": "a", "seq": seq} for seq in (0, 1, 4, 5, 6, 9)]
    new = [old[0], {"kind": "new"}, *old[1:3], {"kind": "new"}, {"kind": "new"}, old[5]]
    assert [record["seq"] for record in renumbered(new, old)] == [0, 1, 2, 5, 6, 7, 10]
    assert [record["seq"] for record in renumbered(new)] == list(range(7))
    assert list(renumbered([{"t": 1, "kind": "x"}])[0]) == ["kind", "seq", "t"]


def test_events_stand_where_they_belong():
    records = [
        {"kind": "request", "call": 0, "t": 0},
        {"kind": "frame", "call": 0, "t": 1},
        {"kind": "event", "call": 0, "t": 1},
        {"kind": "frame", "call": 1, "t": 2},
        {"kind": "event", "call": 1, "t": 2},
        {"kind": "frame", "call": 0, "t": 3},
        {"kind": "call_end", "call": 0, "t": 4},
        {"kind": "tool_result", "call": 0, "t": 5},
    ]
    found = with_events(records, {0: [(0, {"n": 1}), (0, {"n": 2}), (None, {"n": 4}), (1, {"n": 3})]})
    shown = [(r["kind"], r["call"], r["t"], r.get("event", {}).get("n")) for r in found]
    assert shown == [
        ("request", 0, 0, None), ("frame", 0, 1, None), ("event", 0, 1, 1), ("event", 0, 1, 2), ("frame", 1, 2, None),
        ("event", 1, 2, None), ("frame", 0, 3, None), ("event", 0, 3, 3), ("event", 0, 4, 4), ("call_end", 0, 4, None),
        ("tool_result", 0, 5, None),
    ]  # fmt: skip


def test_a_call_without_its_end():
    records = [{"kind": "frame", "call": 0, "t": 1}, {"kind": "body", "call": 0, "t": 2}, {"kind": "loop", "t": 3}]
    found = with_events(records, {0: [(0, {"n": 1}), (None, {"n": 2})]})
    assert [(r["kind"], r.get("event", {}).get("n")) for r in found] == [
        ("frame", None), ("event", 1), ("body", None), ("event", 2), ("loop", None),
    ]  # fmt: skip


def accept(path):
    assert path.exists()


def test_a_new_file_is_the_owners_alone(tmp_path):
    path = tmp_path / "new" / "x.jsonl"
    write_file(path, RECORDS, accept, over=False)
    assert [json.loads(line) for line in path.read_bytes().splitlines()] == RECORDS
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert os.listdir(path.parent) == ["x.jsonl"]


def test_replacing_keeps_permissions_and_links(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text("old")
    path.chmod(0o640)
    link = tmp_path / "link.jsonl"
    link.symlink_to("x.jsonl")
    with pytest.raises(HarnessError, match="the file exists"):
        write_file(path, RECORDS, accept, over=False)
    write_file(link, RECORDS, accept, over=True)
    assert link.is_symlink()
    assert path.read_bytes().count(b"\n") == 2
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_compressed(tmp_path):
    path = tmp_path / "x.jsonl.gz"
    write_file(path, RECORDS, accept, over=False)
    assert gzip.decompress(path.read_bytes()).count(b"\n") == 2


def test_what_fails_leaves_nothing_behind(tmp_path):
    def refuse(path):
        raise HarnessError("not so")

    path = tmp_path / "x.jsonl"
    path.write_text("old")
    with pytest.raises(HarnessError, match="not so"):
        write_file(path, RECORDS, refuse, over=True)
    with pytest.raises(HarnessError, match="cannot write it"):
        write_file(path / "below", RECORDS, accept, over=False)
    with pytest.raises(HarnessError, match="it is a folder"):
        write_file(tmp_path, RECORDS, accept, over=True)
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["x.jsonl"]


def test_a_recording_that_is_being_written_is_left_alone(tmp_path):
    path = tmp_path / "x.jsonl"
    with Writer.create(path), pytest.raises(HarnessError, match="being written to already"):
        write_file(path, RECORDS, accept, over=True)


def test_a_pipe_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(HarnessError, match="no regular file"):
        write_file(tmp_path / "pipe", RECORDS, lambda path: None, over=True)
    assert stat.S_ISFIFO(os.stat(tmp_path / "pipe").st_mode)
