from __future__ import annotations

import json
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.recording.lines import Faults, read_objects
from harness.recording.reader import RecordReader
from harness.recording.tail import repair
from harness.recording.writer import Writer
from tests.harness.recording.test_lines import case_files
from tests.harness.sample import numbered
from tests.shared import needs_shared

HEADER = b'{"kind":"header","seq":0,"t":0,"format":"trajectory","version":1}\n'


def repaired(path, data: bytes) -> bytes:
    path.write_bytes(data)
    descriptor = os.open(path, os.O_RDWR | os.O_APPEND)
    repair(descriptor)
    os.close(descriptor)
    return path.read_bytes()


def objects(data: bytes):
    return [value for _, value in read_objects([data], Faults(None, strict=False))]


@needs_shared
@pytest.mark.parametrize(("name", "data"), case_files(), ids=lambda v: v if isinstance(v, str) else "")
def test_handed_cases_append(tmp_path, name, data):
    """The bytes as they are; and behind a header, through the writer."""
    before = objects(data)
    after = repaired(tmp_path / "plain", data) + b'{"t":9}\n'
    assert objects(after) == [*before, {"t": 9}]
    path = tmp_path / "x.jsonl"
    path.write_bytes(HEADER + data)
    with Writer.append(path) as writer:
        writer.write([{"kind": "resume", "t": 9}])
    found = [record for _, record in RecordReader(path)]
    assert found[1:-1] == before
    assert (found[-1]["kind"], found[-1]["t"]) == ("resume", 9)


A, B = b'{"a":1}', b'{"b":2}'
CASES = {
    "empty": (b"", b""),
    "whole": (A + b"\n", A + b"\n"),
    "crlf": (A + b"\r\n", A + b"\n"),
    "no-lf": (A, A + b"\n"),
    "blank-after": (A + b"\n\n \n", A + b"\n"),
    "nul-after": (A + b"\n" + bytes(200_000), A + b"\n"),
    "nul-after-no-lf": (A + bytes(10), A + b"\n"),
    "torn": (A + b"\n" + B[:4], A + b"\n"),
    "torn-and-closed": (A + b"\n" + B[:4] + b"\n", A + b"\n"),
    "torn-first": (B[:4], b""),
    "glued": (A + b"\n" + A + B, A + b"\n" + A + B + b"\n"),
    "glued-torn": (A + b"\n" + A + B[:4], A + b"\n" + A + B[:4] + b"\n"),
    "long": (A + b"\n" + b'{"s":"' + b"x" * 200_000, A + b"\n"),
    "long-whole": (A + b"\n" + b'{"s":"' + b"x" * 200_000 + b'"}', A + b"\n" + b'{"s":"' + b"x" * 200_000 + b'"}\n'),
    "only-blank": (b"\n\n\0", b""),
}


@pytest.mark.parametrize(("data", "expected"), CASES.values(), ids=CASES)
def test_repair(tmp_path, data, expected):
    assert repaired(tmp_path / "x", data) == expected


@given(st.integers(0, 2000), st.sampled_from([b"", b"\0\0", b"\n", b"\r\n"]))
def test_any_cut_can_be_appended_to(tmp_path_factory, cut, junk):
    data = b"".join(json.dumps(record, ensure_ascii=False).encode() + b"\n" for record in numbered())[:cut]
    path = tmp_path_factory.mktemp("cut") / "x.jsonl"
    path.write_bytes(data + junk)
    whole = objects(data)
    with Writer.append(path) as writer:
        assert writer.tail.seq == len(whole)
        writer.write([{"kind": "resume"}] if whole else [{**numbered()[0], "seq": 0}])
    reader = RecordReader(path)
    found = [record for _, record in reader]
    assert found[: len(whole)] == whole
    assert len(found) == len(whole) + 1
    assert found[-1]["seq"] == len(whole)
    assert [fault.what for fault in reader.warnings] == ["not_closed"]
