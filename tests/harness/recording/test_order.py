from __future__ import annotations

import pytest

from harness.recording.order import OrderChecker, record_of
from tests.harness.sample import numbered


def problems(records):
    checker = OrderChecker()
    return [problem for record in records if (problem := checker.feed(record))]


def test_the_sample_is_in_order():
    assert problems(numbered()) == []


def moved(kind, *, to):
    records = numbered()
    record = next(item for item in records if item["kind"] == kind)
    records.remove(record)
    records.insert(to, record)
    return [{**item, "seq": seq} for seq, item in enumerate(records)]


@pytest.mark.parametrize(
    ("records", "problem"),
    [
        (numbered()[1:], "a turn record before the header"),
        (moved("header", to=1), "a turn record before the header"),
        ([numbered()[0], {**numbered()[0], "seq": 1}], "a second header"),
        (moved("turn", to=22), "a tool_result record of turn 0 before its turn"),
        (moved("request", to=5), "a response record of call 0 before its request"),
        (moved("response", to=4), "a frame record of call 0 before its response"),
        (moved("call_end", to=5), "a frame record of call 0 after its call_end"),
        ([*numbered()[:3], {**numbered()[2], "seq": 9}], "a second request record of call 0"),
        ([numbered()[0], {**numbered()[1], "seq": 0}], "seq 0 follows seq 0"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_out_of_order(records, problem):
    assert problems(records)[0] == problem


@pytest.mark.parametrize(("kind", "named"), [("frame", "a frame record"), ("event", "an event record")])
def test_how_messages_name_a_record(kind, named):
    assert record_of(kind) == named
