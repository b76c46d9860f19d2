from __future__ import annotations

import base64
import json
import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.redaction.joined_text import JoinedText
from harness.redaction.redactor import Redactor, Rule
from harness.redaction.rules_in_base64 import SHORTEST_RUN, TEXT_LENGTH, find_in_base64, open_for_rules
from harness.redaction.user_rules import UserRules

BADGE = r"\bB-\d{6}\b"
EMAIL = r"[\w.+-]+@[\w.]+"


def encoded(data: str | bytes, coder=base64.b64encode) -> bytes:
    return coder(data.encode() if isinstance(data, str) else data)


def found(data: bytes, *patterns: str) -> list[bytes]:
    rules = UserRules([Rule(f"r{number}", pattern) for number, pattern in enumerate(patterns or [BADGE])])
    return [value for *_, value in find_in_base64(rules, data)]


@pytest.mark.parametrize("before", ["", "x", "by", "by:", "words that go before: "])
@pytest.mark.parametrize("after", ["", "!", " and more that follows"])
@pytest.mark.parametrize("coder", [base64.b64encode, base64.urlsafe_b64encode, base64.encodebytes])
def test_wherever_it_stands(before, after, coder):
    before += " " if before[-1:].isalnum() else ""
    text = encoded(f"{before}B-123456{after}", coder)
    for around in (b"%s", b"Basic %s", b"data:;base64,%s", b'{"a":"%s"}', b"is it\t%s\nit is", b"line\n%s\nline"):
        assert found(around % text) == [b"B-123456"]
    assert found(json.dumps(text.decode())[1:-1].encode()) == [b"B-123456"]


@pytest.mark.parametrize(
    ("pattern", "text", "values"),
    [
        (r"^pin \d+$", "pin 123456789", [b"pin 123456789"]),
        (r"^pin \d+$", "a pin 123456789", []),
        (r"Kunde Jürg \w+", "für Kunde Jürg Übelmäßig, bitte", ["Kunde Jürg Übelmäßig".encode()]),
        (EMAIL, "to: me@example.org, you@example.org; hm", [b"me@example.org", b"you@example.org"]),
        (r"x*", "nothing of that kind", []),
    ],
)
def test_what_stands_there(pattern, text, values):
    assert found(encoded(text), pattern) == values


def test_the_span_is_its_own_characters():
    text = b"id: " + encoded("user B-123456 and others")
    ((start, end, rule, value),) = find_in_base64(UserRules([Rule("badge", BADGE)]), text)
    assert (rule, value) == ("badge", b"B-123456")
    assert base64.b64decode(text[4:start] + b"A" * (end - start) + text[end:])[:5] == b"user "
    assert text[start:end] in encoded("user B-123456")


@pytest.mark.parametrize("length", range(1, SHORTEST_RUN))
def test_short_runs_are_not_looked_at(length):
    assert found(encoded("1" * 12)[:length], r"\d") == []


def test_noise_is_no_text():
    """An address needs three characters, which in a picture stand in many places; words and paths are no base64."""
    noise = random.Random(7).randbytes(200_000)
    assert found(encoded(noise), EMAIL) == []
    assert found(b"/home/user/project/source/module/implementation-of_internationalization", EMAIL, r"\d{3,}") == []
    text = b"mail me@example.org, "
    assert found(encoded(noise[:999] + text + noise[:999]), EMAIL) == [b"me@example.org"]
    assert len(text) >= TEXT_LENGTH


def test_redaction_and_again():
    redactor = Redactor(rules=[Rule("badge", BADGE)])
    text = f"B-123456 is {encoded('a: B-123456, b: B-654321.').decode()} or {encoded('B-123456').decode()}"
    once = redactor.text(text)
    assert once.count("[redacted:badge:1]") == 3
    assert once.count("[redacted:badge:2]") == 1
    assert redactor.text(once) == once
    assert json.loads(redactor.bytes(json.dumps({text: [text]}).encode())) == {once: [once]}


def test_placeholders_are_none_of_its_business():
    redactor = Redactor(rules=[Rule("QjpiYWRnZQ-QjpiYWRnZQ", r"B:badge")])
    once = redactor.text("B:badge")
    assert once == "[redacted:QjpiYWRnZQ-QjpiYWRnZQ:1]"
    assert redactor.text(once) == once


@pytest.mark.parametrize("text", ["", "some words ", 'so {"a": "QUJD', "QUJDQUJD=", "x" * 4000])
def test_open(text):
    start = open_for_rules(text.encode(), 8)
    assert len(text) - start <= 4 * (8 + 2 * TEXT_LENGTH)
    assert text[start:] == text[max(start, len(text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJQU"))) :]


@given(
    st.text("ab :é\x00\x01", max_size=30),
    st.text("ab :é\x00\x01", max_size=30),
    st.lists(st.integers(0, 120), max_size=12),
    st.booleans(),
)
def test_in_pieces_as_in_one(before, after, cuts, lines):
    """However it is cut: what is found in the whole is found."""
    redactor = Redactor(rules=[Rule("badge", r"B-\d{6}")])
    text = b"It is " + encoded(f"{before}B-123456{after}", base64.encodebytes if lines else base64.b64encode) + b" now."
    borders = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    joined: JoinedText[int] = JoinedText(redactor)
    secrets = redactor.open_secrets()
    pieces = [joined.add(at, text[at:end], secrets) for at, end in pairwise(borders)]
    whole = b"".join(piece.data for some in [*pieces, joined.close()] for piece in some)
    if redactor.text(text.decode()) != text.decode():
        assert whole == redactor.text(text.decode()).encode()
