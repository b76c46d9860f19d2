from __future__ import annotations

import re

import pytest

from harness.redaction.key_shapes import HINTS, SHAPES, is_number, is_secret, shape_of, value_pattern
from tests.harness.redaction.test_redactor import KEYS, PEM


@pytest.mark.parametrize(("rule", "key"), [*KEYS.items(), ("private_key", PEM)])
def test_each_shape_is_hinted_and_quick(rule, key):
    data = key.encode()
    assert any(hint.search(data) for hint in HINTS)
    shape = next(shape for shape in SHAPES if shape.name == rule)
    assert shape.quick.search(data)
    assert shape_of(data) == rule


def test_each_shape_has_a_key_here():
    assert {shape.name for shape in SHAPES} == {*KEYS, "private_key", "bearer"}


@pytest.mark.parametrize("text", ["risk-free", "task-1 desk-2", "ask-", "weights_", "halfhf_x", "a private k_live"])
def test_words_that_only_contain_a_head_give_no_hint(text):
    assert not any(hint.search(text.encode()) for hint in HINTS)


@pytest.mark.parametrize("before", ["", " ", '"', "\\n", "\\u00e9", "=", "_"])
def test_where_a_key_may_begin_its_head_gives_one(before):
    assert any(hint.search(f"x{before}sk-".encode() if before else b"sk-") for hint in HINTS)


def test_encrypted_data_holds_no_keys():
    data = b"gAAAAAB" + b"aB3dE5gH7jK9" * 4 + b"_" + KEYS["openai"].encode() + b"_" + KEYS["google"].encode()
    assert not any(shape.pattern.search(data) for shape in SHAPES)
    assert next(shape for shape in SHAPES if shape.name == "openai").pattern.search(
        b"MY_KEY_" + KEYS["openai"].encode()
    )


def test_what_has_no_shape():
    assert shape_of(b"TESTKEY-AAAA-1111") is None


@pytest.mark.parametrize(
    ("value", "number"), [("12345678", True), ("-1.5e+10", True), ("1e", False), ("0x12", False), ("", False)]
)
def test_numbers(value, number):
    assert is_number(value) is number


def test_secrets():
    assert is_secret("12345678")
    assert not is_secret("1234567")
    assert not is_secret("CHANGEME")


def test_value_patterns_find_nothing_inside_placeholders():
    match = re.search(value_pattern("redacted:key:1"), b"[redacted:key:1]")
    assert match is not None
    assert match["placeholder"]
