from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.recording import records
from harness.recording.records import (
    FORMAT_VERSION,
    KINDS,
    UPGRADES,
    body_record,
    call_end_record,
    event_record,
    frame_record,
    is_cut_notice,
    raw_bytes,
    upgrade,
    validate,
)
from tests.harness.sample import numbered


def test_the_sample_has_every_kind_and_is_valid():
    assert {record["kind"] for record in numbered()} == {*KINDS}
    for record in numbered():
        validate(record)


def test_after_names_kinds():
    for kind in KINDS.values():
        assert {*kind.after} <= {*KINDS}


def test_optional_fields_stand_only_where_they_say_something():
    assert frame_record(1, 2, b"x") == {"kind": "frame", "call": 1, "i": 2, "raw": "x"}
    assert frame_record(1, 2, b"\xff", [], None, True) == {
        "kind": "frame", "call": 1, "i": 2, "raw_b64": "/w==", "cuts": [], "unterminated": True,
    }  # fmt: skip
    assert frame_record(1, 2, b"xyz", [1, 3], [0.5]) == {
        "kind": "frame", "call": 1, "i": 2, "raw": "xyz", "cuts": [1, 3], "cut_t": [0.5],
    }  # fmt: skip
    assert event_record(0, None, {}) == {"kind": "event", "call": 0, "frame": None, "event": {}}
    assert call_end_record(0, "eof", 5) == {"kind": "call_end", "call": 0, "end": "eof", "bytes": 5}


@given(st.binary())
def test_bytes_read_back(raw):
    assert raw_bytes(frame_record(0, 0, raw)) == raw_bytes(body_record(0, 0, raw)) == raw


@pytest.mark.parametrize("record", [{"kind": "frame"}, {"raw_b64": "*"}, {"raw": 5}])
def test_records_without_bytes(record):
    with pytest.raises(ValueError, match=r"raw|base64|alphabet"):
        raw_bytes(record)


@pytest.mark.parametrize(
    ("event", "data", "is_one"),
    [
        ("notice", {"what": "trim", "of": "result", "id": "c"}, True),
        ("notice", {"what": "trim", "before": 9, "after": 7, "results": 1}, False),
        ("notice", {"what": "retry"}, False),
        ("finish", {"what": "trim", "of": "result"}, False),
    ],
)
def test_notices_of_cut_results(event, data, is_one):
    assert is_cut_notice(event, data) is is_one


def test_upgrades_lead_to_the_newest_version(monkeypatch):
    assert [*UPGRADES] == [*range(1, FORMAT_VERSION)]
    monkeypatch.setattr(records, "FORMAT_VERSION", 3)
    monkeypatch.setattr(records, "UPGRADES", {1: lambda r: {**r, "a": 2}, 2: lambda r: {**r, "b": r["a"] + 1}})
    assert upgrade({}, 1) == {"a": 2, "b": 3}
    assert upgrade({}, 3) == {}
