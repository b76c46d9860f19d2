from __future__ import annotations

import gzip
import json
from copy import deepcopy
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

import harness
from agent.jsonio import dumps
from harness.report.account import account
from harness.report.data import recording_data
from harness.report.facts import recording_facts
from harness.report.listing import listing
from harness.report.page import Style
from harness.report.scan import scan
from tests.harness.report.session import loop, session, write


def test_a_row(tmp_path):
    row = scan(write(tmp_path / "x.jsonl", session()))
    assert (row.started_at, row.models) == ("2026-01-02T03:04:05.678Z", ["openai/m"])
    assert (row.turns, row.calls, row.tool_calls, row.errors) == (1, 4, 2, 1)
    assert (row.usage["input_tokens"], row.usage["output_tokens"]) == (20, 10)
    assert (row.cost, row.unpriced_turns, row.ending, row.fault) == (Decimal("0.000123"), 0, "stop", None)


def agree(path):
    row, facts = scan(path), recording_facts(harness.open(path))
    totals = facts.totals
    assert (row.turns, row.calls, row.errors) == (totals.turns, totals.calls, totals.errors)
    assert row.tool_calls == sum(totals.tool_calls.values())
    assert row.usage == totals.usage
    assert row.to_dict()["cost_usd"] == totals.cost_usd
    assert (row.unpriced_turns, row.ending, row.started_at) == (totals.unpriced_turns, facts.ending, facts.started_at)


@given(st.integers(1, len(session())))
def test_a_recording_that_stops_anywhere_gives_the_totals_of_its_account(tmp_path_factory, length):
    agree(write(tmp_path_factory.mktemp("x") / "x.jsonl", session()[:length]))


@pytest.mark.parametrize("gone", ["turn", "finish", "end", "header"])
def test_a_recording_with_a_gap_too(tmp_path, gone):
    agree(write(tmp_path / "x.jsonl", [r for r in session() if gone not in (r["kind"], r.get("event"))]))


def test_any_order_of_keys_and_any_spacing(tmp_path):
    path = tmp_path / "x.jsonl"
    lines = [json.dumps(dict(reversed(record.items()))) for record in session()[:-1]]
    path.write_text("\n".join(lines), "utf-8")
    plain = scan(write(tmp_path / "y.jsonl", session()[:-1]))
    assert scan(path).to_dict() | {"path": ""} == plain.to_dict() | {"path": ""}


def test_gzip_and_big_files(tmp_path):
    records = session()
    at = next(i for i, record in enumerate(records) if record["kind"] == "frame")
    big = [*records[:at], *({**records[at], "i": i, "raw": "x" * 1000} for i in range(2000)), *records[at:]]
    path = write(tmp_path / "x.jsonl", big)
    packed = tmp_path / "x.jsonl.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    expected = scan(write(tmp_path / "y.jsonl", records)).to_dict() | {"path": ""}
    assert scan(path).to_dict() | {"path": ""} == expected
    assert scan(packed).to_dict() | {"path": ""} == expected


def test_frames_and_pieces_are_not_parsed(tmp_path):
    """What is passed over may even be no JSON."""
    records = session()
    path = write(tmp_path / "x.jsonl", records)
    head, rest = path.read_bytes().split(b"\n", 1)
    broken = [
        b'{"kind":"frame","seq":1,...',
        b'{"kind":"event","seq":1,"t":0.5,"call":0,"frame":1,"event":{"type":"text",...',
    ]
    path.write_bytes(b"\n".join([head, *broken, rest]))
    assert scan(path).calls == 4


def test_an_event_that_only_mentions_text_is_counted(tmp_path):
    records = session()[:-1]
    event = next(record for record in records if record["kind"] == "event" and record["event"]["type"] == "tool_call")
    event["event"]["input"] = {"event": {"type": "text"}, "x": [{"type": "text", "text": "a"}]}
    assert scan(write(tmp_path / "x.jsonl", records)).tool_calls == 2


@pytest.mark.parametrize(
    ("drop", "models"),
    [
        ((), ["openai/m"]),
        (("turn",), ["openai/m"]),
        (("turn", "provider"), ["m"]),
        (("turn", "provider", "model", "body"), ["m-1"]),
    ],
)
def test_models(tmp_path, drop, models):
    records = [record for record in session() if record["kind"] not in drop]
    for record in records:
        if record["kind"] == "request":
            for name in drop:
                record.pop(name, None)
    assert scan(write(tmp_path / "x.jsonl", records)).models == models


def test_a_cancelled_turn(tmp_path):
    records = [record for record in session()[:-1] if record.get("event") not in ("finish", "done")]
    end = {"kind": "end", "seq": 98, "t": 9.0, "status": "cancelled", "calls": 4}
    row = scan(write(tmp_path / "x.jsonl", [*records, {"seq": 97, "t": 9.0, **loop("cancelled", events=1)}, end]))
    assert (row.ending, row.cost, row.unpriced_turns) == ("cancelled", None, 1)


@pytest.mark.parametrize(
    ("content", "fault"),
    [
        (b"", "x.jsonl: the file is empty (record again)"),
        (b'{"a":1}\n', "x.jsonl:1: not a recording: its first record is no header"),
        (b"\x00\xff", "x.jsonl: not a recording: no record in it (check the path, or record again)"),
        (b'{"kind":"header","format":"trajectory","version":99}\n', "x.jsonl:1: format version 99 is newer than 1"),
    ],
)
def test_a_fault_is_one_line(tmp_path, content, fault):
    path = tmp_path / "x.jsonl"
    path.write_bytes(content)
    row = scan(path)
    assert fault in (row.fault or "")
    assert "\n" not in (row.fault or "")
    assert (row.calls, row.cost, row.ending) == (None, None, None)


ODD = st.sampled_from([None, True, -1, 3, 0.5, "x", "\x1b", [], [1], [[1, 2]], {}, {"a": None}, 10**30, "2026"])


@given(st.data())
def test_records_of_any_shape_are_told(tmp_path_factory, data):
    records = session()
    for _ in range(data.draw(st.integers(1, 3))):
        record = data.draw(st.sampled_from(records[1:]))
        inner = data.draw(st.sampled_from([record, *(value for value in record.values() if isinstance(value, dict))]))
        name = data.draw(st.sampled_from([name for name in inner if name != "kind"] or ["x"]))
        inner[name] = deepcopy(data.draw(ODD))
    path = write(tmp_path_factory.mktemp("x") / "x.jsonl", records)
    recording = harness.open(path)
    assert list(account(recording, Style(), frames=True, events=True))
    assert dumps(recording_data(recording, frames=True, events=True))
    assert listing([scan(path)])
