from __future__ import annotations

import json

import pytest

from harness.redaction.cleaner import Cleaner, Placeholders
from harness.redaction.finder import Finder, Hit
from harness.redaction.redactor import Rule
from tests.harness.redaction.test_redactor import KEYS
from tests.harness.secret_forms import FORMS

KEY = KEYS["groq"]
OTHER = KEYS["npm"]


def cleaner(*values: str, rules=()) -> Cleaner:
    return Cleaner(Finder(values, rules), Placeholders())


def test_placeholders_go_on_where_the_file_stops():
    placeholders = Placeholders()
    placeholders.reserve(b"x [redacted:groq:3] [redacted:groq:2] [redacted:key:1]")
    first, second = Hit(0, 1, "groq", b"a"), Hit(5, 6, "groq", b"b")
    assert placeholders.of(first) == b"[redacted:groq:4]"
    assert placeholders.of(second) == b"[redacted:groq:5]"
    assert placeholders.of(first) == b"[redacted:groq:4]"
    assert placeholders.of(Hit(0, 1, "npm", b"a")) == b"[redacted:npm:1]"
    assert placeholders.rules == ["groq", "npm"]
    assert len(placeholders) == 2


@pytest.mark.parametrize("form", FORMS)
def test_texts_in_any_form(form):
    text = f"a {FORMS[form][0](KEY)} b"
    assert cleaner().text(text) == "a [redacted:groq:1] b"


def test_what_holds_no_secret_stays_the_same_object():
    value = {"a": ["text", 1, 1.5, True, None, {"b": "[redacted:groq:1]"}]}
    one = cleaner("12345678901")
    assert one.value(value) is value
    text = "a text"
    assert one.text(text) is text
    frame = b'data: {"a": 1}\n\n'
    assert one.frame(frame) is frame or one.frame(frame) == frame


def test_values():
    one = cleaner("12345678901", rules=[Rule("c", "CUST-[0-9]+")])
    value = {f"k {KEY}": [f"{OTHER} {KEY}", 12345678901, "CUST-1", 5]}
    assert one.value(value) == {
        "k [redacted:groq:1]": ["[redacted:npm:1] [redacted:groq:1]", "[redacted:key:1]", "[redacted:c:1]", 5]
    }


def test_what_is_left_of_overlapping_secrets_goes_too():
    one = cleaner("abcdefgh1", "gh1ijklm")
    assert "ijklm" not in one.text("abcdefgh1ijklm") or "gh1ijklm" not in one.text("abcdefgh1ijklm")
    assert one.finder.find(one.data(b"xx abcdefgh1gh1ijklm yy")) == []


FRAMES = {
    "json": (f'data: {{"a": "{KEY}"}}\n\n', 'data: {"a":"[redacted:groq:1]"}\n\n'),
    "json-over-lines": (f'data: {{"a":\ndata:  "{KEY}"}}\n\n', 'data: {"a":"[redacted:groq:1]"}\n\n'),
    "text": (f"event: x\ndata: a {KEY}\n\n", "event: x\ndata: a [redacted:groq:1]\n\n"),
    "comment": (f': {KEY}\ndata: {{"a": 1}}\n\n', ': [redacted:groq:1]\ndata: {"a": 1}\n\n'),
    "error-field": (f'error: {{"m":"{KEY}"}}\n\n', 'error: {"m":"[redacted:groq:1]"}\n\n'),
    "twice-named": (f'data: {{"a":"{KEY}","a":1}}\n\n', 'data: {"a":"[redacted:groq:1]","a":1}\n\n'),
    "torn": (f'data: {{"a": "{KEY}', 'data: {"a": "[redacted:groq:1]'),
    "crlf": (f"id: {KEY}\r\ndata: {KEY}\r\n\r\n", "id: [redacted:groq:1]\r\ndata: [redacted:groq:1]\r\n\r\n"),
}


@pytest.mark.parametrize(("raw", "cleaned"), FRAMES.values(), ids=FRAMES)
def test_frames(raw, cleaned):
    assert cleaner().frame(raw.encode()).decode() == cleaned


def test_a_rule_never_cuts_json_apart():
    one = cleaner(rules=[Rule("any", "a.*b")])
    data = b'{"x":"a","y":"b"}'
    assert one.document(data) == data
    assert json.loads(one.document(b'{"x":"a1b"}')) == {"x": "[redacted:any:1]"}
