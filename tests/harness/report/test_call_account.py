from __future__ import annotations

import pytest

import harness
from harness.recording.bodies import BodyLog
from harness.recording.records import call_end_record
from harness.report.call_account import CallAccount, tell_error
from harness.report.call_facts import call_facts
from harness.report.page import Page, Style
from tests.harness.report.session import call, error, session, tool_call, usage, write


def told(tmp_path, number=1, *, records=None, explained=True, frames=False, events=False, **style):
    recording = harness.open(write(tmp_path / "x.jsonl", records or session()))
    found = next(one for one in recording.calls if one.number == number)
    results = [record for turn in recording.turns for record in turn.tool_results if record["call"] == number]
    page = Page(Style(**style))
    writer = CallAccount(page, {number: call_facts(found, results)}, frames=frames, events=events)
    writer.tell(found, explained=explained)
    return page.take()


def test_a_call_with_tools(tmp_path):
    assert told(tmp_path) == [
        "  call 1 (retry of call 0): POST http://h/v1/chat/completions",
        "    response   200 · complete · first chunk after 0.500 s · 2.750 s in all · 2 frames, 18 bytes",
        "    reasoning  let me think",
        "    text       one \\x1b[31mred two",
        '    tool call  read {"path":"a"}',
        "    result     read ok in 0.250 s: out",
        '    tool call  read {"path":"b"}',
        "    result     read failed in 0.250 s: no such file",
        "    stopped    tool_calls",
        "    tokens     in 10 (cached 4, cache writes ?), out 5 (reasoning 2)",
    ]


def test_an_http_error(tmp_path):
    assert told(tmp_path, 0)[1:] == [
        "    response   429 · an HTTP error instead of an answer · first chunk after 0.500 s · 1.250 s in all",
        "               · 1 chunk, 18 bytes",
        "    error      slow down [rate_limit]",
        "    hint       wait",
        "    stopped    error",
        "    tokens     not reported",
    ]


def test_an_unknown_format(tmp_path):
    assert told(tmp_path, 3, explained=False)[1:] == [
        "    request    1 message, 2 tools, 94 bytes",
        "    last input alone?",
        "    response   200 · ended; of this format nothing tells whether it is whole · first chunk after",
        "               0.500 s · 1.000 s in all · 2 frames, 18 bytes",
        "    format     unknown, so there are no events; --frames shows the bytes",
    ]


def test_frames(tmp_path):
    records = session()
    last = [record for record in records if record["kind"] == "frame" and record["call"] == 1][-1]
    last["cuts"] = []
    lines = told(tmp_path, records=records, frames=True)
    assert [line.split() for line in lines[-3:]] == [
        ["frame", "seconds", "bytes", "cuts", "raw"],
        ["0", "0.500", "9", "-", "data:", "1⏎⏎"],
        ["1", "0.750", "9", "none", "data:", "2⏎⏎"],
    ]
    assert told(tmp_path, 0, frames=True)[-1].split() == ["body", "0", "0.500", "2", "-", "{}"]


def test_events(tmp_path):
    lines = told(tmp_path, events=True)
    assert [line.split(maxsplit=3) for line in lines[-3:-1]] == [
        ["1", "2.000", "tool_call", '{"id":"c0","name":"read","input":{"path":"a"}}'],
        ["1", "2.250", "tool_call", '{"id":"c1","name":"read","input":{"path":"b"}}'],
    ]
    assert lines[-1].split()[:3] == ["-", "2.500", "usage"]
    assert '"one \\u001b[31mred"' in "\n".join(lines)


def of(*events, **fields):
    records = [session()[0], *call(BodyLog(), 0, list(events), **fields)]
    return [{"seq": seq, "t": 0.0, **record} for seq, record in enumerate(records)]


@pytest.mark.parametrize(
    ("records", "line"),
    [
        (of({**tool_call(0), "unparsed": True}, usage()), "    tool call  read {} [its arguments are no JSON object]"),
        (
            of({"type": "reasoning", "text": "", "opaque": {"type": "web_search"}}, usage()),
            "    opaque     web_search: kept for the provider, not readable",
        ),
        (of({**usage(), "stop_reason_raw": "end_turn"}), "    stopped    stop (end_turn)"),
        (
            of(usage(), end=call_end_record(0, "eof", 1, malformed=1, unknown={"x.y": 2})),
            "    skipped    2 of the unknown type x.y, 1 payload that is no JSON object",
        ),
        (of(status=None, end={}), "    response   the recording stops inside this call"),
        (of(usage(), frames=()), "    response   200 · complete · 0.000 s in all · no body"),
    ],
    ids=["unparsed", "opaque", "raw stop reason", "skipped", "died", "no body"],
)
def test_lines(tmp_path, records, line):
    assert line in told(tmp_path, 0, records=records, width=200)


def test_long_texts_are_shortened_unless_full(tmp_path):
    long = "x" * 5000
    records = of({"type": "reasoning", "text": long}, tool_call(0, text=long), usage())
    short = told(tmp_path, 0, records=records, explained=False)
    assert sum(map(len, short)) < 2000
    assert "(5,000 characters)" in "\n".join(short)
    full = told(tmp_path, 0, records=records, explained=False, full=True)
    assert f"    reasoning  {long}" in full
    assert f'    tool call  read {{"text":"{long}"}}' in full


def test_an_error_without_its_fields():
    page = Page(Style())
    tell_error(page, {}, indent=0)
    tell_error(page, error(message="a\nb"), indent=0)
    assert page.take() == ["error       [?]", "error      a", "           b [rate_limit]"]
