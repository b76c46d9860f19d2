from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.redaction.open_secrets import OpenSecrets
from harness.redaction.open_shapes import LONGEST
from harness.redaction.redactor import Redactor, Rule
from tests.harness.planted import LEADS, SECRETS, redactor

KNOWN = redactor(user_rules=False)
OPEN = KNOWN.open_secrets()
AROUND = ["", "x ", 'a "', "key=", "é", "(", "\n", "ab\\n", "ab\\u00e9", "q-", "\\\\"]


@pytest.mark.parametrize("before", AROUND)
@pytest.mark.parametrize("name", [name for name in SECRETS if name != "badge"])
def test_every_beginning_of_a_secret_is_open(name, before):
    """Unless it is one whole already and nothing longer can come of it."""
    for form in (str, lambda text: json.dumps(text)[1:-1]):
        text = LEADS.get(name, "") + form(SECRETS[name])
        for length in range(1, len(text)):
            beginning = (before + text[:length]).encode()
            assert not OPEN.closed(beginning), beginning
            assert OPEN.start(beginning) <= len(before.encode()), beginning


CLOSED = [
    "", "the", " things", "risk", "task-force ", "work ", "AKI ", "bearer, ", "x-y", "snake_case", "tests\n", "desk-",
    "C:\\dir", "100%", "gpt-4o", "chatcmpl-", "HELLO", "BA", 'a "quote"', "[redacted:openai:1]",
]  # fmt: skip
LIKE_A_SECRET = ["sk- ", "Bearer of it", "-----BEGIN PUBLIC KEY----- ", "ends in sk-learn "]


@pytest.mark.parametrize("text", [*CLOSED, *LIKE_A_SECRET])
def test_what_is_closed(text):
    data = text.encode()
    assert OPEN.start(data) == len(data)
    assert Redactor().open_secrets().closed(data) == (text in CLOSED)


@pytest.mark.parametrize(
    "text", ["s", " s", "-", "\n-", "(g", "A", "xo", "B", "ends in \\", "\\u00", "n0tA\\", "TESTKEY%2"]
)
def test_what_is_open(text):
    data = text.encode()
    assert OPEN.start(data) < len(data)
    assert not OPEN.closed(data)


@pytest.mark.parametrize("name", [name for name in SECRETS if name != "badge"])
def test_whole_secrets_are_not_closed(name):
    text = f"x {LEADS.get(name, '')}{SECRETS[name]} y".encode()
    assert not OPEN.closed(text)
    assert OPEN.start(text) == len(text)


def test_private_keys():
    key = SECRETS["private_key"].encode()
    assert OPEN.start(b"a " + key + b"\n") == len(key) + 3
    assert OPEN.start(b"a " + key + b" " + key[:40]) == len(key) + 3
    assert OPEN.start(b"a " + key[:60] + b' "z') == len(key[:60]) + 5
    assert OPEN.start(b"a " + key.replace(b" ", b"%20")[:30]) == 2


def test_a_number_may_go_on():
    secrets = Redactor({"PIN": "12345678"}).open_secrets()
    assert secrets.start(b"a 12345678") == 2
    assert secrets.start(b"a 12345678 ") == 11
    assert secrets.start(b"a 123") == 2


def test_user_rules_leave_their_width_open():
    secrets = Redactor(rules=[Rule("badge", r"B-\d{6}")]).open_secrets()
    assert secrets.start("éé9 bytes".encode()) == len("éé9 bytes".encode()) - 7
    assert secrets.start("ééé".encode()) == 0
    assert secrets.start(b"abcdefghij", user_rules=False) == 10
    assert not secrets.closed(b"abcdefghijkl")


def test_a_value_without_a_plain_part():
    secrets = Redactor({"K": "a+b/c=d&e"}).open_secrets()
    assert not secrets.closed(b"anything")
    assert secrets.start(b"anything a+b") == 9
    assert secrets.start(rb"anything a\u002bb\/c") == 9
    assert secrets.start(b"anything a%2Bb%") == 9


def test_long_runs_take_linear_time():
    secrets = KNOWN.open_secrets()
    for unit in (
        b"\\",
        b"-----BEGIN PRIVATE" + b" KEY-----",
        b"Bearer a-",
        b"sk-a-",
        b"\\u0054",
        b"a-",
        b'"',
        b"n0tA",
        b"%",
    ):
        for text in (unit * (400_000 // len(unit)), unit * (400_000 // len(unit)) + b" "):
            secrets.closed(text)
            secrets.start(text)
    assert secrets.start(b"sk-" + b"a-" * LONGEST) > 0


def test_nothing_known():
    assert OpenSecrets().closed(b"TESTKEY")
    assert not OpenSecrets().closed(b"a s")


chars = st.sampled_from(["sk-", "AIza", "gh", "p_", "Bearer ", "-----BEGIN ", "TESTKEY-q", *'snot-A x\\"u0/%é\n1B'])
texts = st.lists(chars, max_size=8).map("".join)


@given(texts, texts)
def test_a_closed_text_and_what_follows_hold_what_each_holds(one, other):
    """No secret lies over the border of a closed text, nor over the place where a text is open from."""
    first, second = one.encode(), other.encode()
    border = OPEN.start(first)
    if OPEN.closed(first):
        assert border == len(first)
    for secret in KNOWN.find(first + second):
        assert not secret.start < border < secret.end or secret.end <= len(first)
