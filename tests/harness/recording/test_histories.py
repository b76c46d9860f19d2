from __future__ import annotations

import json

import pytest

from harness.recording.histories import HistoryLog, HistoryReader
from harness.recording.records import validate
from tests.harness.sample import turn


def message(text):
    return {"role": "user", "text": f"{text} {'x' * 100}"}


def given(number, texts):
    return {**turn(number), "seq": number, "t": 0, "history": [message(text) for text in texts]}


def written(*records):
    log = HistoryLog()
    return [log.compressed(record) for record in records]


SESSION = [given(number, range(number * 2)) for number in range(8)]


def test_what_an_earlier_turn_was_given_is_not_repeated():
    found = written(*SESSION)
    assert found[:2] == SESSION[:2]
    assert "history" not in found[2]
    assert found[2]["same"] == {"history": [[1, 0, 2], {"new": [message(2), message(3)]}]}
    assert max(len(json.dumps(record)) for record in found) < 500
    for record in found:
        validate(record)


@pytest.mark.parametrize("texts", ["", "a", "ab", "abc", "bc", "xaby", "aab"])
def test_any_history_reads_back(texts):
    records = [given(0, "abc"), given(1, texts), given(2, "abc" + texts)]
    reader = HistoryReader()
    assert [reader.whole(record) for record in written(*records)] == records


def test_the_members_keep_their_order():
    found = HistoryReader()
    again = [found.whole(record) for record in written(*SESSION)]
    assert [[*record] for record in again] == [[*record] for record in SESSION]


def test_a_recording_that_is_gone_on_with():
    whole = written(*SESSION)
    log = HistoryLog()
    for record in whole[:5]:
        log.add_recorded(record)
    assert [log.compressed(record) for record in SESSION[5:]] == whole[5:]


@pytest.mark.parametrize(
    "same", [{}, {"history": 7}, {"history": [[0, 0, 9]]}, {"history": [[0, 0]]}, {"history": 1.5}]
)
def test_a_history_that_was_not_read(same):
    reader = HistoryReader()
    reader.whole(given(0, "abc"))
    record = {name: value for name, value in given(1, "").items() if name != "history"}
    with pytest.raises((KeyError, TypeError, ValueError)):
        reader.whole({**record, "same": same})


def test_a_record_needs_one_history():
    for record in ({**given(0, "a"), "same": {"history": 0}}, {"same": {}}):
        with pytest.raises(ValueError, match="history"):
            validate({**{k: v for k, v in given(0, "").items() if k != "history"}, **record})
