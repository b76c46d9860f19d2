from __future__ import annotations

import base64

import pytest

from harness.redaction.open_base64 import all_ends, open_in_base64
from tests.harness.redaction.test_redactor import KEYS


@pytest.mark.parametrize("before", ["users:", "user=1:", "user:", '{"key": "', ""])
@pytest.mark.parametrize("name", KEYS)
def test_every_beginning_of_a_key_is_open(name, before):
    """From its core on; the first letter alone may be a word."""
    encoded = base64.b64encode(f"{before}{KEYS[name]}".encode()).rstrip(b"=")
    first = -(-len(before) * 8 // 6)
    for length in range(max(first, 1) + 1, len(encoded)):
        text = b"it is " + encoded[:length]
        if text != b"it is a":
            assert open_in_base64(text) <= 6 + first, text


@pytest.mark.parametrize(
    "text",
    [
        "", "a", " a", "the", " things", "The", "HTTP", "JSON", "gpt-4o", "a word.", "snake_case_name", "/usr/lib/file",
        "x = 5;", "pizza", "123456", "UPPER_CASE",
    ],
)  # fmt: skip
def test_words_are_closed(text):
    assert open_in_base64(text.encode()) == len(text)


def test_behind_an_escape():
    assert open_in_base64(b"x\\nc2") == 3
    assert open_in_base64(b"x nc2") == 5


def test_the_table():
    ends = all_ends()
    assert b" c2".endswith(ends[b"c2"])
    assert ends[b" Z"] == (b"",)
    assert b" a" not in ends
    assert ends[b" s"] == (b"",)


def test_a_long_run_takes_linear_time():
    run = base64.b64encode(bytes(range(256)) * 2000)
    assert open_in_base64(run) > len(run) - (1 << 14)
