from __future__ import annotations

import pytest

from harness.recording.bodies import BodyLog, BodyReader, body_digest
from harness.recording.histories import HistoryLog
from harness.recording.mending import (
    mend,
    whole,
    with_bodies,
    with_calls,
    with_ends,
    with_one_header,
    with_turns,
    without_gaps,
)
from harness.recording.order import OrderChecker
from harness.recording.records import call_end_record, event_record, frame_record, raw_bytes, validate
from tests.harness.sample import header, numbered, request, response, turn, usage_event

BODY = b'{"model":"m","messages":[{"role":"user","content":"a long enough message to be referred to, and more"}]}'
LONGER = BODY.replace(b"}]}", b'},{"role":"user","content":"more"}]}')


def of(*records, start: int = 1):
    return [(line, {"seq": 0, "t": float(line), **record}) for line, record in enumerate(records, start)]


def kinds(found) -> list[str]:
    return [record["kind"] for _, record in found]


def requested(call: int = 0, **fields):
    record = request(call, BodyLog(), BODY, **fields)
    return {name: value for name, value in record.items() if name != "turn"}


def frame(i: int, call: int = 0, raw: bytes = b"data: x\n\n"):
    return frame_record(call, i, raw)


def test_a_whole_recording_stays_as_it_is():
    lost: list[str] = []
    records = numbered()
    for end in (record for record in records if record["kind"] == "call_end"):
        parts = [record for record in records if record["kind"] in ("frame", "body") and record["call"] == end["call"]]
        end["bytes"] = sum(len(raw_bytes(record)) for record in parts)
    found = mend(list(enumerate(records, 1)), lost)
    assert [{**record, "seq": 0} for record in records] == [record for _, record in found]
    assert lost == []


@pytest.mark.parametrize(
    ("record", "message"),
    [
        ({"kind": "turn"}, "line 7: a turn record that is not whole ("),
        ({"kind": "nonsense"}, 'line 7: no record (its kind is "nonsense"); left out'),
        ({"a": 1}, "line 7: no record (its kind is null); left out"),
        ({"kind": ["x"]}, 'line 7: no record (its kind is ["x"]); left out'),
        ({"kind": "frame", "call": 0, "i": 0, "raw_b64": "???"}, "line 7: a frame record that is not whole ("),
        ({"kind": "call_end", "call": -1, "end": "eof", "bytes": 0}, "line 7: a call_end record that is not whole ("),
    ],
)
def test_records_that_are_none(record, message):
    lost: list[str] = []
    assert whole([(7, {"seq": 0, "t": 0, **record})], lost) == []
    assert lost[0].startswith(message)


def test_seq_and_t_are_mended():
    lost: list[str] = []
    records = [(1, {"t": 2.0, **frame(0)}), (2, {"seq": "x", "t": None, **frame(1)}), (3, {"t": -1, **frame(2)})]
    found = whole(records, lost)
    assert [(record["seq"], record["t"]) for _, record in found] == [(0, 2.0)] * 3
    assert lost == []


def test_missing_lines_show_in_the_numbers():
    lost: list[str] = []
    whole([(1, {"t": 0, "seq": 0, **frame(0)}), (2, {"t": 0, "seq": 3, **frame(1)})], lost)
    whole([(1, {"t": 0, "seq": 0, **frame(0)}), (3, {"t": 0, "seq": 2, **frame(1)})], lost)
    assert lost == ["line 2: before it 2 records are missing (by their seq)"]


def test_a_second_recording_is_numbered_on():
    lost: list[str] = []
    log = BodyLog()
    again = header(id="y")
    records = of(header(), turn(), request(0, log, BODY), again, turn(), request(0, log, LONGER, retry_of=0), header())
    found = with_one_header(records, lost)
    assert kinds(found) == ["header", "turn", "request", "resume", "turn", "request"]
    last = found[-1][1]
    assert (last["turn"], last["call"], last["retry_of"], last["t"]) == (1, 1, 1, 9.0)
    assert last["same"] == {"messages": [[1, 0, 1], {"new": [{"role": "user", "content": "more"}]}]}
    assert lost == ["line 4: a second recording begins here; it is numbered on", "line 7: the header again; left out"]


def test_the_header_comes_first():
    found = with_one_header(of(turn(), header()), [])
    assert kinds(found) == ["header", "turn"]


def test_turns():
    lost: list[str] = []
    loop = {"kind": "loop", "turn": 1, "event": "done", "data": {}}
    found = with_turns(
        of(turn(0), turn(0), request(0, BodyLog(), BODY), loop, request(1, BodyLog(), BODY, turn=1)), lost
    )
    assert kinds(found) == ["turn", "request", "request"]
    assert "turn" not in found[-1][1]
    assert lost == [
        "line 2: turn 0 again; left out",
        "line 4: a loop record of turn 1, whose own record is lost; left out",
        "line 5: the record of turn 1 is lost; call 1 is kept without it",
    ]


def test_calls_in_order():
    lost: list[str] = []
    end = call_end_record(0, "eof", 9)
    records = of(
        requested(), requested(), response(0, 200, "text/event-stream"), frame(0), frame(0), end, frame(1), end
    )
    found = with_calls(records, lost)
    assert kinds(found) == ["request", "response", "frame", "call_end"]
    assert lost == [
        "line 2: request of call 0 again; left out",
        "line 5: frame 0 of call 0 again; left out",
        "line 7: a frame record of call 0 after its end; left out",
        "line 8: a call_end record of call 0 after its end; left out",
    ]


@pytest.mark.parametrize(
    ("record", "put_in"),
    [
        (frame(0), ["request", "response"]),
        (event_record(0, None, usage_event()), ["request"]),
        (call_end_record(0, "eof", 0), ["request"]),
        (response(0, 200, "x"), ["request"]),
    ],
)
def test_what_is_lost_before_a_record_is_put_in(record, put_in):
    lost: list[str] = []
    found = with_calls(of(record), lost)
    assert kinds(found) == [*put_in, record["kind"]]
    for _, added in found[:-1]:
        assert added["assumed"] is True
        validate({"seq": 0, **added})
    assert len(lost) == len(put_in)


def test_gaps_in_frames():
    lost: list[str] = []
    usage = usage_event()
    records = of(
        frame(0), event_record(0, 0, usage), frame(2), event_record(0, 1, usage), event_record(0, 2, usage),
        frame(5), event_record(0, None, usage), call_end_record(0, "eof", 99),
    )  # fmt: skip
    found = without_gaps(records, lost)
    assert [record["i"] for _, record in found if record["kind"] == "frame"] == [0, 1, 2]
    assert [record["frame"] for _, record in found if record["kind"] == "event"] == [0, 1, None]
    assert found[-1][1]["bytes"] == 27
    assert lost == [
        "line 3: before it frame 1 of call 0 is lost",
        "line 4: an event of frame 1 of call 0, which is lost; left out",
        "line 6: before it frame 3 to 4 of call 0 is lost",
        "line 8: 99 bytes of call 0 came, 27 are kept",
    ]


@pytest.mark.parametrize(("complete", "end"), [(True, "eof"), (False, "error")])
def test_ends_of_calls(complete, end):
    lost: list[str] = []
    records = of(requested(), frame(0), event_record(0, None, usage_event(complete)), requested(1))
    found = with_ends(records, lost)
    assert kinds(found) == ["request", "frame", "event", "call_end", "request", "call_end"]
    first = found[3][1]
    assert (first["end"], first["bytes"], first["t"], first["assumed"]) == (end, 9, 3.0, True)
    assert found[-1][1]["end"] == "error"
    assert len(lost) == 2


def test_bodies_without_what_is_lost():
    lost: list[str] = []
    log = BodyLog()
    request(0, log, BODY)
    later = request(1, log, LONGER)
    ((_, record),) = with_bodies(of(later), lost)
    body = BodyReader().body(record)
    assert body == {"model": "m"}
    assert record["sha256"] == body_digest(body)
    assert "same" not in record
    assert lost == ["line 1: messages of the request of call 1 stood in a lost one"]


def test_whatever_order_the_records_come_in():
    import random

    for seed in range(100):
        rest = numbered()
        random.Random(seed).shuffle(rest)
        lost: list[str] = []
        found = mend(list(enumerate(rest[: seed % 24 + 1], 1)), lost)
        order = OrderChecker()
        records = [record for _, record in found]
        if records and records[0]["kind"] != "header":
            records.insert(0, {"seq": 0, "t": 0, **header()})
        for seq, record in enumerate(records):
            validate({**record, "seq": seq})
            assert order.feed({**record, "seq": seq}) is None


def test_histories_of_lost_turns():
    log = HistoryLog()
    messages = [{"role": "user", "text": "x" * 100}, {"role": "user", "text": "y" * 100}]
    turns = [log.compressed({**turn(number), "history": messages[: number + 1]}) for number in range(3)]
    assert ["same" in record for record in turns] == [False, True, True]
    lost: list[str] = []
    found = with_turns(of(turns[1], turns[2]), lost)
    assert [record.get("history") for _, record in found] == [[], []]
    assert lost == [f"line {line}: the history of turn {line} stood in a lost one; left out" for line in (1, 2)]
    lost.clear()
    assert with_turns(of(*turns), lost) == of(*turns)
    found = with_one_header(of(header(), *turns, header(id="y"), *turns), lost)
    assert [record["same"]["history"] for _, record in found[6:]] == [[[3, 0, 1], {"new": [messages[1]]}], 4]
    assert len(with_turns(found, lost)) == len(found)
