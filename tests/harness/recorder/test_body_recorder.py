from __future__ import annotations

from harness.recorder.body_recorder import BodyRecorder
from harness.recorder.outlet import Outlet
from harness.redaction.redactor import Redactor

KEY = "bench-key-0123456789"


class Body(BodyRecorder):
    """With what it gave the decoder, and the faults."""

    def __init__(self):
        self.taken, self.faults = [], []
        outlet = Outlet(
            write=lambda records: None,
            write_one=lambda ready: None,
            fault=self.faults.append,
            count=lambda event: None,
            clock=lambda: 0.0,
            redactor=Redactor({"A_KEY": KEY}),
        )
        super().__init__(3, outlet, self.taken.append)


def test_each_chunk_is_a_record():
    body = Body()
    assert body.feed(1.5, b'{"a":') == [{"t": 1.5, "kind": "body", "call": 3, "i": 0, "raw": '{"a":'}]
    assert body.feed(2.5, b"\xff}") == [{"t": 2.5, "kind": "body", "call": 3, "i": 1, "raw_b64": "/30="}]
    assert body.flush() == []
    assert body.taken == [b'{"a":', b"\xff}"]
    assert body.bytes == 7


def test_a_chunk_that_may_end_inside_a_secret_is_held():
    body = Body()
    assert body.feed(1.0, b'{"a":"' + KEY[:9].encode()) == []
    assert body.bytes == 0
    records = body.feed(2.0, KEY[9:].encode() + b'"}') + body.flush()
    assert [record["t"] for record in records] == [1.0, 2.0]
    assert KEY[:9] not in "".join(record["raw"] for record in records)
    assert "".join(record["raw"] for record in records).encode() == b"".join(body.taken)
    assert body.bytes == len(b"".join(body.taken))


def test_what_cannot_be_decided_is_lost_and_counted(monkeypatch):
    body = Body()
    assert body.feed(1.0, b'{"a":"' + KEY[:9].encode()) == []

    def failing(*_):
        raise ValueError("no")

    monkeypatch.setattr(body._held, "feed", failing)
    assert body.feed(2.0, b"x") == []
    assert [str(fault) for fault in body.faults] == ["no"]
    assert body.bytes == 15
    assert body.taken == []
