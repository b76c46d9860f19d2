from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

import harness
from harness.errors import NewerVersion, UnreadableRecording
from harness.recording import lines
from harness.report.facts import recording_facts
from harness.report.reading import read_facts
from tests.harness.report.session import session, write
from tests.harness.sample import header

RECORDINGS = sorted((Path(__file__).resolve().parents[3] / "recordings").glob("*.jsonl"))


def whole(path: Path, *, content: bool = True) -> dict[str, Any]:
    """The facts of everything that stands in the file, but for what is not counted."""
    return without_counts(recording_facts(harness.open(path)).to_dict(), content)


def without_counts(data: dict[str, Any], content: bool = True) -> dict[str, Any]:
    for call in data["calls"]:
        call["frames"] = call["body_chunks"] = None
        if not content:
            call["content"], call["first_chunk"] = [], None
    return data


@pytest.mark.parametrize("content", [True, False], ids=["content", "no content"])
@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: path.stem)
def test_it_gives_the_facts_of_the_whole_file(path, content):
    found = read_facts(path, content=content)
    assert without_counts(found.to_dict(), content) == whole(path, content=content)
    if found.status is not None:
        assert all(call.frames is None for call in found.calls)
        assert content or all(call.content == [] and call.first_chunk is None for call in found.calls)


def test_compressed(tmp_path):
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(RECORDINGS[0].read_bytes()))
    expected = whole(RECORDINGS[0])
    assert read_facts(path).to_dict() == {**expected, "path": str(path)}


def text(number: int, call: int, piece: str, kind: str = "text", **more: Any) -> dict[str, Any]:
    event = {"type": kind, "text": piece, **more}
    return {"kind": "event", "seq": number, "t": 0.5, "call": call, "frame": number, "event": event}


@pytest.mark.parametrize(
    "events",
    [
        [text(1, 0, "a"), text(2, 0, 'b "quoted" \\'), text(3, 0, "ü\n")],
        [text(1, 0, "a"), text(2, 1, "b"), text(3, 0, "c"), text(4, 1, "d")],
        [text(1, 0, "a", "reasoning"), text(2, 0, "b", "reasoning"), text(3, 0, "c")],
        [text(1, 0, "a"), text(2, 0, "b", opaque="a string that ends as a piece does"), text(3, 0, "c")],
        [text(1, 0, "a"), text(2, 0, "b", opaque={"signature": "x"}), text(3, 0, "c", opaque={})],
        [text(1, 0, ""), text(2, 0, ""), text(3, 0, "c")],
        [text(1, 0, '","text":"'), text(2, 0, '"}}'), text(3, 0, '{"type":"text","text":"')],
    ],
    ids=["one call", "two calls", "two kinds", "opaque string", "opaque object", "empty", "look-alikes"],
)
def test_pieces_of_text(tmp_path, events):
    others = [record for record in session() if record["kind"] != "event"]
    path = write(tmp_path / "x.jsonl", [*others[:-1], *events, others[-1]])
    assert without_counts(read_facts(path).to_dict()) == whole(path)


def test_lines_that_are_written_otherwise(tmp_path):
    path = tmp_path / "x.jsonl"
    records = [json.loads(line) for line in RECORDINGS[0].read_bytes().splitlines()]
    path.write_text("".join(json.dumps(dict(reversed(record.items()))) + "\n" for record in records))
    assert without_counts(read_facts(path).to_dict()) == {**whole(RECORDINGS[0]), "path": str(path)}


def test_a_damaged_recording_is_read_whole(tmp_path):
    lines = RECORDINGS[5].read_bytes().splitlines(keepends=True)
    path = tmp_path / "x.jsonl"
    path.write_bytes(b"".join([*lines[:8], b"{torn\n", *lines[8:-2]]))
    found = read_facts(path).to_dict()
    assert found == recording_facts(harness.open(path)).to_dict()
    assert any("line 9" in warning for warning in found["warnings"])


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data.replace(b'"raw":"', b'"raw":"\n', 1),
        lambda data: data.replace(b"}\n", b"}", 3),
        lambda data: data.replace(b"}\n", b"\n", 2),
        lambda data: data.replace(b"\n", b"\n\n", 1),
        lambda data: data.replace(b"\n", b"\r\n"),
        lambda data: data.replace(b'\n{"kind":"frame"', b'\n {"kind":"frame"', 1),
        lambda data: b"".join(sorted(data.splitlines(keepends=True), reverse=True)),
        lambda data: data.replace(b'"bytes":', b'"octets":'),
        lambda data: data.replace(b'{"kind":"event"', b'{"kind":"event', 1),
    ],
)
def test_damage_of_any_kind_is_told_as_reading_all_tells_it(tmp_path, damage):
    for number, recorded in enumerate(RECORDINGS[:8]):
        path = tmp_path / f"{number}.jsonl"
        path.write_bytes(damage(recorded.read_bytes()))
        try:
            all_of_it = without_counts(recording_facts(harness.open(path)).to_dict())
        except UnreadableRecording:
            with pytest.raises(UnreadableRecording):
                read_facts(path)
        else:
            assert without_counts(read_facts(path).to_dict()) == all_of_it


def test_what_is_no_recording(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_bytes(b'{"some":"thing"}\n')
    with pytest.raises(UnreadableRecording):
        read_facts(path)
    write(path, [{**header(), "version": 99}])
    with pytest.raises(NewerVersion):
        read_facts(path)


@pytest.mark.parametrize("size", [1, 200, 701, 1500, 4096])
def test_any_size_of_blocks(monkeypatch, size):
    monkeypatch.setattr(lines, "BLOCK", size)
    for path in RECORDINGS[::4]:
        assert without_counts(read_facts(path).to_dict()) == whole(path)


def test_calls_that_interleave(tmp_path):
    """The first frame of a call may stand behind a record of another one."""
    records = session()
    frames = [index for index, record in enumerate(records) if record["kind"] == "frame" and record["i"] == 0]
    for index in frames:
        moved = [*records[:index], text(1, 3, "other"), *records[index:]]
        path = write(tmp_path / "x.jsonl", moved)
        assert without_counts(read_facts(path).to_dict()) == whole(path)
