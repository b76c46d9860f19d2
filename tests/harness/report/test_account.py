from __future__ import annotations

import pytest

import harness
from harness.report.account import account
from harness.report.page import Style
from harness.report.text import columns
from tests.harness.report.session import ESCAPE, loop, session, turn, write


def told(tmp_path, records, *, only=None, **style):
    recording = harness.open(write(tmp_path / "x.jsonl", records))
    return list(account(recording, Style(**style), only=only))


def numbered(*records):
    return [{"seq": seq, "t": seq / 4, **record} for seq, record in enumerate(records)]


def test_a_whole_session(tmp_path):
    lines = told(tmp_path, session())
    path = f"{tmp_path}/x.jsonl"
    assert lines[:16] == [
        path,
        "  recorded   2026-01-02 03:04:05.678 UTC by trajectory-harness 0.1.0",
        "  source     scripted",
        "  task       t-1",
        "  tags       a, b",
        "",
        "turn 0",
        "  input      what is it?",
        "  history    1 message before it",
        "  mode       PLAN",
        "  model      openai/m at http://h/v1",
        "  system     be brief",
        "  tools      read",
        '  params     {"temperature":0}',
        "",
        "  call 0: POST http://h/v1/chat/completions",
    ]
    at = lines.index("  notice     retry 1 in 2.5 s: slow down")
    assert lines[at + 1 : at + 3] == ["", "  call 1 (retry of call 0): POST http://h/v1/chat/completions"]
    at = lines.index("  finish     stop after 2 iterations")
    assert lines[at + 1 : at + 5] == [
        "  tokens     in 20 (cached 8, cache writes ?), out 10 (reasoning 4)",
        "  cost       $0.000123",
        "",
        "  call 3: POST http://h/v1/chat/completions",
    ]
    assert lines[lines.index("totals") :] == [
        "totals",
        "  calls      4 calls (1 retry) in 1 turn, 2 tool calls (1 failed), 1 error",
        "  tools      read 2",
        "  tokens     in 20 (cached 8, cache writes ?), out 10 (reasoning 4)",
        "  cost       $0.000123",
        "  time       9.250 s",
        "  ending     ok (stop reason: stop)",
    ]


def test_an_error_of_a_call_is_told_once(tmp_path):
    failure = {"type": "error", "message": "slow down", "kind": "rate_limit", "retryable": True, "hint": "wait"}
    records = session()
    at = next(i for i, record in enumerate(records) if record.get("event") == "finish")
    records.insert(at, {"t": 7.0, "seq": records[at]["seq"], **loop("error", **failure)})
    assert sum("slow down [" in line for line in told(tmp_path, records)) == 1
    records[at]["data"] = {**failure, "message": "of the loop itself"}
    assert "  error      of the loop itself [rate_limit]" in told(tmp_path, records)


@pytest.mark.parametrize(
    ("records", "line"),
    [
        (numbered(loop("cancelled", events=3, pulling=True)), "  cancelled  the reader left after 3 loop events"),
        (numbered(loop("notice", what="retry")), '  notice     {"what":"retry"}'),
        (
            numbered(loop("finish", stop_reason="length", iterations=1)),
            "  finish     length (the answer was cut off at the output limit) after 1 iteration",
        ),
        (numbered(loop("finish")), "  cost       unpriced"),
        ([{"kind": "resume", "seq": 1, "t": 1.0}], "  resumed    1 time"),
        ([], "  ending     not closed (its process died, or is writing still)"),
        ([], "  warning    the recording was not closed: the process that wrote it died"),
        ([{"kind": "end", "seq": 9, "t": 2.0, "status": "error"}], "  ending     error"),
    ],
)
def test_lines(tmp_path, records, line):
    assert line in told(tmp_path, [*numbered(session()[0], turn()), *records])


def test_a_recording_without_a_header(tmp_path):
    lines = told(tmp_path, numbered(turn(system=None, tools=[], params={}, base_url=None)))
    assert "  recorded   at an unknown time by an unknown program" in lines
    assert any(line.startswith("  warning    line 1: the header is missing") for line in lines)


def test_only_one_call(tmp_path):
    lines = told(tmp_path, session(), only=2)
    assert [line for line in lines if line.startswith("  call")] == ["  call 2: POST http://h/v1/chat/completions"]
    assert "    last input question" in lines
    assert not {"turn 0", "totals"} & set(lines)


@pytest.mark.parametrize("width", [40, 72, 140])
def test_lines_fit_and_carry_no_control_characters(tmp_path, width):
    records = session()
    records[1] |= {"input": f"{ESCAPE} 日本語 " * 50, "model": "m\x07" * 30}
    for line in told(tmp_path, records, width=width)[1:]:
        assert columns(line) <= width
        assert line.isprintable()


def test_full_shows_every_character(tmp_path):
    records = session()
    records[1] |= {"input": "i" * 5000, "system": "s" * 5000}
    shown = "\n".join(told(tmp_path, records, full=True, width=20))
    assert "i" * 5000 in shown
    assert "s" * 5000 in shown
    assert "i" * 5000 not in "".join(told(tmp_path, records))
