from __future__ import annotations

import contextlib
import json
from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.jsonio import canonical
from harness.recording.bodies import BodyLog, BodyReader, body_digest, parse_body

LONG = "x" * 100


def message(text: str) -> dict[str, str]:
    return {"role": "user", "content": f"{text} {LONG}"}


def roundtrip(bodies):
    """The records of some bodies, and the bodies read back from them."""
    log, reader = BodyLog(), BodyReader()
    records = [{"call": call, **log.fields(call, json.dumps(body).encode())} for call, body in enumerate(bodies)]
    return records, [reader.body(json.loads(json.dumps(record))) for record in records]


@pytest.mark.parametrize(
    "data",
    [
        b'{"a":1}', b'{ "b" : [1, 2.50, -0.0, 1e2, "\\u00e9\\/", null, true], "a": {} }', b"[1]", b'"x"', b"null", b"5",
        b"18446744073709551615", b"-9223372036854775808", b"0.1", b"1e-7", b"123456789.125e3",
    ],
)  # fmt: skip
def test_kept_as_json(data):
    fields = BodyLog().fields(0, data)
    assert fields["body"] == json.loads(data)
    assert fields["sha256"] == sha256(canonical(json.loads(data))).hexdigest() == body_digest(fields["body"])
    assert fields["size"] == len(data)


@pytest.mark.parametrize(
    "data",
    [
        b"", b"a=1&b=2", b'{"a":1', b'{"a":1,"a":1}', b'[{"a":{"b":1,"b":2}}]', b'{"n":18446744073709551616}',
        b'{"n":-9223372036854775809}', b'{"n":0.1000000000000000055511151231257827021181583404541015625}',
        b'{"n":1e400}', b'{"n":1e-400}', b'{"n":1e99999999999999999999}', b'{"n":12345678901234567890.5}', b'{"n":-0}',
        b'{"s":"\\ud83d"}', b'{"n":NaN}', b"[" * 300 + b"]" * 300, b"[" * 5000 + b"]" * 5000, "é".encode(),
    ],
)  # fmt: skip
def test_kept_as_text(data):
    fields = BodyLog().fields(0, data)
    assert fields == {"text": data.decode(), "sha256": sha256(data).hexdigest(), "size": len(data)}
    assert BodyReader().body({"call": 0, **fields}) == data


def test_kept_in_base64():
    fields = BodyLog().fields(0, b"\xff\x00")
    assert fields["b64"] == "/wA="
    assert BodyReader().body({"call": 0, **fields}) == b"\xff\x00"


def test_the_digest_does_not_depend_on_key_order():
    one, other = BodyLog().fields(0, b'{"a":1,"b":2}'), BodyLog().fields(0, b'{ "b": 2, "a": 1 }')
    assert one["sha256"] == other["sha256"]


def test_what_earlier_calls_sent_is_not_repeated():
    tools = [{"name": LONG}]
    bodies = [
        {"model": "m", "tools": tools, "messages": [message("a"), message("b")]},
        {"model": "m", "tools": tools, "messages": [message("a"), message("b"), message("c")]},
        {"model": "m", "tools": tools, "messages": [message("a"), message("X"), message("c"), message("d")]},
        {"model": "m", "messages": [message("a"), message("b")], "tools": tools[:]},
    ]
    records, read = roundtrip(bodies)
    assert read == bodies
    assert [record["body"] for record in records[1:]] == [{"model": "m"}] * 3
    assert records[1]["same"] == {"tools": 0, "messages": [[0, 0, 2], {"new": [message("c")]}]}
    assert records[2]["same"] == {
        "tools": 0,
        "messages": [[1, 0, 1], {"new": [message("X")]}, [1, 2, 3], {"new": [message("d")]}],
    }
    assert records[3]["same"] == {"messages": 0, "tools": 0}


def test_repeated_items_stay_one_slice():
    items = [message("a"), message("b"), message("a"), message("a")]
    records, read = roundtrip(
        [{"m": items}, {"m": [*items, message("z")]}, {"m": [*items, message("z"), message("a")]}]
    )
    assert records[1]["same"]["m"][0] == [0, 0, 4]
    assert len(records[2]["same"]["m"]) == 2
    assert read[2]["m"] == [*items, message("z"), message("a")]


def test_recordings_grow_linearly():
    history = []
    bodies = []
    for n in range(60):
        history += [message(f"question {n}"), message(f"answer {n}")]
        trimmed = [*history[:1], *history[max(1, len(history) - 21) :]]
        bodies.append({"messages": trimmed if n % 2 else history[:]})
    records, read = roundtrip(bodies)
    assert read == bodies
    sizes = [len(json.dumps(record)) for record in records]
    assert max(sizes) < 1000


def test_other_bodies_are_never_referred_to():
    log = BodyLog()
    log.fields(0, json.dumps([message("a")]).encode())
    log.fields(1, b'{"m":"' + LONG.encode() + b'","m":1}')
    assert "same" not in log.fields(2, b'{"m":"' + LONG.encode() + b'"}')


@pytest.mark.parametrize(
    "same",
    [{"a": 7}, {"a": [[7, 0, 1]]}, {"a": [[0, 0, 9]]}, {"a": [[0, 2, 1]]}, {"b": [[0, 0, 1]]}, {"c": [[0, 0, 1]]}],
)
def test_what_was_not_read_cannot_be_taken(same):
    reader = BodyReader()
    reader.body({"call": 0, "body": {"a": [1, 2], "c": "xyz"}})
    with pytest.raises(ValueError, match="call"):
        reader.body({"call": 1, "body": {}, "same": same})


items = st.sampled_from([message(text) for text in "abcd"] + [1, "x", [LONG], {}])
bodies = st.dictionaries(
    st.sampled_from(["messages", "tools", "model", "system"]),
    st.lists(items, max_size=6) | st.sampled_from(["m", LONG, LONG + "2", {"a": LONG}, None]),
)


@given(st.lists(bodies, max_size=8))
def test_any_sequence_of_bodies_reads_back(sequence):
    assert roundtrip(sequence)[1] == sequence


def gone_on_with(records):
    """A log that knows the bodies of some records."""
    log = BodyLog()
    for record in records:
        log.add_recorded(record["call"], record.get("body"), record.get("same", {}))
    return log


@given(st.lists(bodies, max_size=8), st.integers(0, 8))
def test_a_recording_that_is_gone_on_with_refers_as_one_that_is_written_at_once(sequence, border):
    records, _ = roundtrip(sequence)
    log = gone_on_with(records[:border])
    again = [log.fields(call, json.dumps(sequence[call]).encode()) for call in range(len(sequence))[border:]]
    assert again == [{name: r[name] for name in r if name != "call"} for r in records[border:]]


def test_going_on_reads_what_is_new_and_not_all_that_was_sent(monkeypatch):
    history, records, log = [], [], BodyLog()
    for call in range(60):
        history += [message(f"{call} a"), message(f"{call} b")]
        records.append({"call": call, **log.fields(call, json.dumps({"messages": history}).encode())})
    read = []
    monkeypatch.setattr(
        "harness.recording.bodies.dumps", lambda value: read.append(value) or json.dumps(value).encode()
    )
    gone_on_with(records)
    assert len(read) == 120


@pytest.mark.parametrize(
    "damage",
    [
        lambda records: records[1:],
        lambda records: [{**records[0], "same": {"messages": 9}}, *records[1:]],
        lambda records: [{**records[0], "same": {"messages": [[0, 0]]}}, *records[1:]],
        lambda records: [{**records[0], "same": 5}, *records[1:]],
        lambda records: [*records, *records],
        lambda records: [records[1], *records],
    ],
    ids=["lost", "of no call", "no slice", "no object", "two recordings", "a number twice"],
)
def test_what_cannot_be_read_back_is_not_referred_to(damage):
    body = {"messages": [message("a"), message("b")], "tools": [LONG]}
    longer = {**body, "messages": [*body["messages"], message("c")]}
    records, _ = roundtrip([body, longer])
    found = damage(records)
    log, reader = gone_on_with(found), BodyReader()
    for record in found:
        with contextlib.suppress(AttributeError, KeyError, TypeError, ValueError):
            reader.body(record)
    assert reader.body({"call": 2, **log.fields(2, json.dumps(longer).encode())}) == longer


@given(
    st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5), st.text()
)
def test_any_body_reads_back(value, text):
    for data in (json.dumps(value).encode("utf-8", "replace"), text.encode("utf-8", "replace")):
        found = BodyReader().body({"call": 0, **BodyLog().fields(0, data)})
        if isinstance(found, bytes):
            assert found == data
        else:
            assert canonical(found) == canonical(json.loads(data))
            assert canonical(parse_body(data)) == canonical(found)
