from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.errors import BadLine
from harness.recording.lines import MAX_FAULTS, Faults, blocks_of, read_objects
from tests.shared import SHARED, needs_shared


def read(data: bytes, size: int | None = None, *, strict: bool = False):
    faults = Faults(None, strict=strict)
    blocks = [data] if size is None else [data[i : i + size] for i in range(0, len(data), size)]
    found = list(read_objects(blocks, faults))
    return found, [(fault.what, fault.line) for fault in faults.found]


def case_files():
    if not SHARED.is_dir():
        return []
    files = json.loads((SHARED / "cases/57-torn-jsonl.json").read_text())["files"]
    return [
        (f["name"], f["bytes_text"].encode() if "bytes_text" in f else bytes.fromhex(f["bytes_hex"])) for f in files
    ]


EXPECTED = {
    "torn-json": ([(1, {"t": 1})], [("truncated_tail", 2)]),
    "torn-utf8": ([(1, {"t": 1})], [("truncated_tail", 2)]),
    "torn-then-blank": ([(1, {"t": 1})], [("truncated_tail", 2)]),
    "bad-middle": ([(1, {"t": 1}), (3, {"t": 3})], [("bad_line", 2)]),
    "u2028-inside": ([(1, {"t": 1, "s": "a\u2028b"})], []),
    "nul-tail": ([(1, {"t": 1})], [("truncated_tail", 2)]),
}


@needs_shared
@pytest.mark.parametrize("size", [None, 1, 7])
@pytest.mark.parametrize(("name", "data"), case_files(), ids=lambda v: v if isinstance(v, str) else "")
def test_handed_cases(name, data, size):
    assert read(data, size) == EXPECTED[name]
    if EXPECTED[name][1]:
        with pytest.raises(BadLine, match=r"^x\.jsonl:2: "):
            read_strictly(data)


def read_strictly(data: bytes):
    from pathlib import Path

    faults = Faults(Path("x.jsonl"), strict=True)
    return list(read_objects([data], faults))


A, B = b'{"kind":"turn","seq":1,"t":0}', b'{"kind":"loop","seq":2,"t":0}'
DICT_A, DICT_B = json.loads(A), json.loads(B)
CASES = {
    "empty": (b"", [], []),
    "no-last-lf": (A, [(1, DICT_A)], []),
    "crlf": (A + b"\r\n" + B + b"\r\n", [(1, DICT_A), (2, DICT_B)], []),
    "blank-lines": (A + b"\n\n  \n" + B + b"\n", [(1, DICT_A), (4, DICT_B)], []),
    "bom": (b"\xef\xbb\xbf" + A + b"\n", [(1, DICT_A)], []),
    "glued": (A + B + b"\n", [(1, DICT_A), (1, DICT_B)], [("glued_records", 1)]),
    "glued-to-torn": (A[:-3] + B + b"\n", [(1, DICT_B)], [("bad_line", 1)]),
    "torn-inside-a-string": (b'{"kind":"x","s":"a' + B + b"\n", [(1, DICT_B)], [("bad_line", 1)]),
    "glued-then-torn": (A + B[:-4], [(1, DICT_A)], [("bad_line", 1)]),
    "glued-then-torn-utf8": (A + b'{"s":"\xe6\xbc', [(1, DICT_A)], [("bad_line", 1)]),
    "nul-before": (A + b"\n\0\0\0" + B + b"\n", [(1, DICT_A), (2, DICT_B)], [("nul_bytes", 2)]),
    "nul-line-between": (A + b"\n\0\0\n" + B + b"\n", [(1, DICT_A), (3, DICT_B)], [("bad_line", 2)]),
    "not-an-object": (A + b"\n[1]\n5\n" + B, [(1, DICT_A), (4, DICT_B)], [("bad_line", 2), ("bad_line", 3)]),
    "two-broken-at-the-end": (A + b"\n{\n{", [(1, DICT_A)], [("bad_line", 2), ("truncated_tail", 3)]),
    "not-utf8": (b'{"s":"\xff"}\n' + B, [(2, DICT_B)], [("bad_line", 1)]),
    "nan": (b'{"n":NaN}\n' + B, [(2, DICT_B)], [("bad_line", 1)]),
    "long-integer": (b'{"n":123456789012345678901234567890}', [(1, {"n": 123456789012345678901234567890})], []),
    "lone-surrogate": (b'{"s":"\\ud800"}', [(1, {"s": "\ud800"})], []),
    "too-deep": (b'{"a":' * 5000 + b"1" + b"}" * 5000 + b"\n" + B, [(2, DICT_B)], [("bad_line", 1)]),
}


@pytest.mark.parametrize("size", [None, 1, 5])
@pytest.mark.parametrize(("data", "found", "faults"), CASES.values(), ids=CASES)
def test_each_readable_part_is_read(data, found, faults, size):
    assert read(data, size) == (found, faults)


def test_faults_are_bounded():
    found, faults = read(b"x\n" * 10_000)
    assert found == []
    assert len(faults) == MAX_FAULTS + 1
    assert faults[-1] == ("more_faults", None)


@given(st.lists(st.dictionaries(st.text(), st.text() | st.integers() | st.booleans())), st.integers(1, 50))
def test_any_lines_in_any_blocks(objects, size):
    data = b"".join(json.dumps(item, ensure_ascii=False).encode("utf-8", "replace") + b"\n" for item in objects)
    found, faults = read(data, size)
    assert [item for _, item in found] == [json.loads(line) for line in data.splitlines() if line] or b"\\u" in data
    assert faults == []


class TestGzip:
    DATA = b"".join(b'{"t":%d,"s":"%d"}\n' % (i, i * 7919) for i in range(3000))

    def read(self, tmp_path, data: bytes):
        path = tmp_path / "x.jsonl.gz"
        path.write_bytes(data)
        faults = Faults(path, strict=False)
        return [item["t"] for _, item in read_objects(blocks_of(path, faults), faults)], [f.what for f in faults.found]

    def test_whole(self, tmp_path):
        assert self.read(tmp_path, gzip.compress(self.DATA)) == (list(range(3000)), [])

    def test_two_members_and_padding(self, tmp_path):
        half = self.DATA.index(b'{"t":1500')
        data = gzip.compress(self.DATA[:half]) + gzip.compress(self.DATA[half:]) + bytes(500)
        assert self.read(tmp_path, data) == (list(range(3000)), [])

    def test_truncated(self, tmp_path):
        data = gzip.compress(self.DATA)
        found, faults = self.read(tmp_path, data[: len(data) // 2])
        assert found == list(range(len(found)))
        assert len(found) > 100
        assert faults[0] == "truncated_gzip"

    def test_damaged(self, tmp_path):
        data = bytearray(gzip.compress(self.DATA))
        data[len(data) // 2] ^= 0xFF
        assert "truncated_gzip" in self.read(tmp_path, bytes(data))[1]

    def test_damage_in_a_small_file_keeps_what_stands_before_it(self, tmp_path):
        data = gzip.compress(A + b"\n" + B + b"\n")
        found, faults = self.read(tmp_path, data[:-8] + b"\1" * 8)
        assert (len(found), faults) == (2, ["truncated_gzip"])

    def test_highly_compressed(self, tmp_path):
        data = b'{"t":0,"s":"' + b"a" * 3_000_000 + b'"}\n'
        assert self.read(tmp_path, gzip.compress(data)) == ([0], [])
