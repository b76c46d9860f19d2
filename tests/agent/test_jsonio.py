"""JSON in and out: exact where `orjson` rounds, readable where it refuses, and never raising on the way out."""

from __future__ import annotations

import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.jsonio import NotJSON, canonical, dumps, loads, loads_exact, scrub, scrub_deep

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=20,
)

REFUSED = {
    "half an object": b'{"a":',
    "two documents": b"{}{}",
    "not a number": b'{"a":NaN}',
    "infinity": b"[-Infinity]",
    "a control character": b'"a\x01"',
    "empty": b"",
    "too deep": b"[" * 200_000,
}


@pytest.mark.parametrize("data", REFUSED.values(), ids=REFUSED)
@pytest.mark.parametrize("read", [loads, loads_exact])
def test_what_is_no_json(read, data):
    with pytest.raises(NotJSON):
        read(data)


def test_lone_surrogates_are_read_and_written_as_replacement_characters():
    value = loads(b'{"a":"x\\ud83d"}')
    assert value == {"a": "x\ud83d"}
    assert dumps(value) == '{"a":"x\ufffd"}'.encode()


def test_a_pair_of_escapes_is_one_character():
    assert loads(b'"\\ud83d\\ude00\\ud83d"') == "😀\ud83d"


def test_invalid_utf8_is_read_with_replacement_characters():
    assert loads(b'{"a":"\xff"}') == {"a": "\ufffd"}


@pytest.mark.parametrize("number", [2**63, 2**64, -(2**63) - 1, 10**40, 12345678901234567890123])
def test_long_integers_stay_exact(number):
    assert loads_exact(b'{"n":%d}' % number) == {"n": number}
    assert json.loads(dumps({"n": number})) == {"n": number}


def test_scrub_joins_pairs_and_replaces_halves():
    assert scrub("a\ud83d\ude00b\ud83dc\ude00") == "a😀b\ufffdc\ufffd"
    assert scrub_deep({"\ud83d": ["\ud83d\ude00", 1, None]}) == {"\ufffd": ["😀", 1, None]}


def test_canonical_ignores_the_order_of_members():
    assert canonical({"b": 1, "a": {"d": 2, "c": 3}}) == canonical({"a": {"c": 3, "d": 2}, "b": 1})
    assert canonical({"b": 10**30, "a": 1}) == canonical({"a": 1, "b": 10**30})
    assert canonical([1, 2]) != canonical([2, 1])


@given(VALUES)
def test_round_trip(value):
    again = loads_exact(dumps(value))
    assert again == json.loads(json.dumps(scrub_deep(value)))


@given(st.text(alphabet=st.characters(categories=["Cs", "Lu", "So"]), max_size=20))
def test_scrubbed_text_can_be_encoded(text):
    assert scrub(text).encode().decode() == scrub(scrub(text))


def test_writing_never_raises():
    deep: list = []
    for _ in range(5000):
        deep = [deep]
    for value in (deep, {"a": math.inf}, "\ud800", 2**70):
        assert loads(dumps(value)) is not None
        assert canonical(value)
