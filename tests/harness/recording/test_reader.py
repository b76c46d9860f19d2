from __future__ import annotations

import gzip
import json

import pytest

from harness.errors import BadLine, HarnessError, NewerVersion, UnreadableRecording
from harness.recording import reader as reader_module
from harness.recording.reader import RecordReader, task_of
from tests.harness.sample import header, numbered


def lines(records):
    return b"".join(json.dumps(record).encode() + b"\n" for record in records)


def write(tmp_path, data: bytes, name: str = "x.jsonl"):
    path = tmp_path / name
    path.write_bytes(data)
    return path


def read(path, *, strict=False):
    reader = RecordReader(path, strict=strict)
    return [record for _, record in reader], [(fault.what, fault.line) for fault in reader.warnings]


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("compress", [False, True])
def test_a_whole_recording(tmp_path, strict, compress):
    data = lines(numbered())
    path = write(tmp_path, gzip.compress(data) if compress else data)
    assert read(path, strict=strict) == (numbered(), [])


def test_what_is_parsed_can_be_chosen(tmp_path):
    path = write(tmp_path, lines(numbered()))
    found = RecordReader(path, choose=lambda block: block.split(b"\n")[:2])
    assert [record["kind"] for _, record in found] == ["header", "turn"]


def test_the_header_is_kept(tmp_path):
    reader = RecordReader(write(tmp_path, lines(numbered())))
    assert [number for number, _ in reader] == [*range(1, len(numbered()) + 1)]
    assert reader.header == numbered()[0]


UNREADABLE = {
    "empty": (b"", "empty"),
    "blank": (b"\n\n", "no record"),
    "nul": (bytes(100), "no record"),
    "binary": (b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 20, "not a recording"),
    "text": (b"hello\nworld\n", "not a recording"),
    "foreign": (b'{"a":1}\n{"b":2}\n', "no header"),
    "foreign header": (b'{"kind":"header","format":"other","version":1}\n', "no header"),
    "torn header": (b'{"kind":"header","for', "no record"),
    "version 0": (lines([{**numbered()[0], "version": 0}]), "version 0 does not exist"),
    "version text": (lines([{**numbered()[0], "version": "1"}]), "version '1' does not exist"),
    "broken gzip": (gzip.compress(b"x" * 100)[:8], "no record"),
}


@pytest.mark.parametrize(("data", "message"), UNREADABLE.values(), ids=UNREADABLE)
def test_what_is_no_recording_is_refused_in_one_line(tmp_path, data, message):
    path = write(tmp_path, data)
    with pytest.raises(UnreadableRecording, match=message) as caught:
        read(path)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)
    with pytest.raises(HarnessError):
        read(path, strict=True)


def test_folders_and_missing_files(tmp_path):
    with pytest.raises(UnreadableRecording, match=r"Is a directory .*name a file in it"):
        read(tmp_path)
    with pytest.raises(UnreadableRecording, match="No such file"):
        read(tmp_path / "x.jsonl")


def test_a_newer_version_is_refused(tmp_path):
    path = write(tmp_path, lines([{**numbered()[0], "version": 2}]))
    with pytest.raises(NewerVersion, match=r"x\.jsonl:1: format version 2 is newer than 1, .*pip install"):
        read(path)


def test_an_old_version_is_upgraded(tmp_path, monkeypatch):
    monkeypatch.setattr(reader_module, "FORMAT_VERSION", 2)
    monkeypatch.setattr(reader_module, "upgrade", lambda record, version: {**record, "from": version})
    found, _ = read(write(tmp_path, lines(numbered())))
    assert {record["from"] for record in found} == {1}


def without(number: int):
    records = numbered()
    del records[number]
    return records


class TestFaults:
    def check(self, tmp_path, data, found, warnings):
        path = write(tmp_path, data)
        assert read(path) == (found, warnings)
        with pytest.raises(BadLine, match=r"x\.jsonl(:\d+)?: "):
            read(path, strict=True)

    def test_missing_header(self, tmp_path):
        self.check(tmp_path, lines(without(0)), without(0), [("missing_header", 1)])

    def test_torn_tail(self, tmp_path):
        data = lines(numbered())
        self.check(
            tmp_path, data[:-10], numbered()[:-1],
            [("truncated_tail", len(numbered())), ("not_closed", None)],
        )  # fmt: skip

    def test_second_header(self, tmp_path):
        twice = [*numbered(), *numbered()]
        self.check(tmp_path, lines(twice), twice, [("second_header", len(numbered()) + 1)])

    def test_bad_line(self, tmp_path):
        parts = lines(numbered()).split(b"\n")
        parts[4] = parts[4][:20]
        self.check(tmp_path, b"\n".join(parts), without(4), [("bad_line", 5)])

    def test_truncated_gzip(self, tmp_path):
        data = gzip.compress(lines(numbered() * 50))
        path = write(tmp_path, data[: len(data) // 2])
        found, warnings = read(path)
        assert found == (numbered() * 50)[: len(found)]
        assert {what for what, _ in warnings} >= {"truncated_gzip", "not_closed"}
        with pytest.raises(BadLine):
            read(path, strict=True)


def test_strict_reading_checks_records_and_their_order(tmp_path):
    for changes, message in (({"call": "0"}, "call"), ({"kind": "novel"}, "kind"), ({"seq": 0}, "seq 0 follows seq 1")):
        records = numbered()
        records[2] = {**records[2], **changes}
        path = write(tmp_path, lines(records))
        assert read(path) == (records, [])
        with pytest.raises(BadLine, match=rf"x\.jsonl:3: .*{message}"):
            read(path, strict=True)


def test_not_closed_is_a_warning_in_strict_reading_too(tmp_path):
    path = write(tmp_path, lines(numbered()[:-1]))
    assert read(path, strict=True) == (numbered()[:-1], [("not_closed", None)])


@pytest.mark.parametrize(("task", "found"), [("list", "list"), ("", None), (7, None), (None, None)])
def test_the_task_of_a_recording(tmp_path, task, found):
    """Nothing behind the header is read."""
    path = write(tmp_path, lines([{"seq": 0, "t": 0, **header(), "task": task}]) + b"no record")
    assert task_of(path) == found


def test_what_has_no_header_has_no_task(tmp_path):
    assert task_of(write(tmp_path, lines(numbered()[1:]))) is None
    with pytest.raises(UnreadableRecording):
        task_of(write(tmp_path, b""))


def test_memory_stays_flat(tmp_path):
    import tracemalloc

    record = {"kind": "frame", "seq": 1, "t": 0, "call": 0, "i": 0, "raw": "x" * 1000}
    path = tmp_path / "big.jsonl"
    with path.open("wb") as file:
        file.write(lines([{"seq": 0, "t": 0, **header()}]))
        for _ in range(20):
            file.write(lines([record]) * 1000)
    tracemalloc.start()
    assert sum(1 for _ in RecordReader(path)) == 20_001
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4_000_000
