from __future__ import annotations

import pytest

from harness.redaction.open_shapes import add_end, add_first, heads, shape_ends, shape_start
from tests.harness.redaction.test_redactor import KEYS, PEM


def test_heads():
    found = {*heads()}
    assert {b"sk-", b"AKIA", b"ghp_", b"gho_", b"sk_live_", b"rk_test_", b"bearer", b"Bearer", b"-----BEGIN"} <= found
    assert all(any(key.encode().startswith(head) for head in found) for key in [*KEYS.values(), PEM])


@pytest.mark.parametrize("head", sorted(heads()))
def test_every_beginning_of_a_head_is_in_the_table_or_is_found(head):
    for length in range(1, len(head) + 1):
        text = b"a " + head[:length]
        assert shape_start(text) == 2
        if length < len(head):
            assert text.endswith(shape_ends()[text[-2:]])


def test_what_is_no_key():
    for text in (b"", b"the", b"task", b"a sk- c", b"risk", b"of the bearer, ", b"-----BEGIN PUBLIC KEY----- c"):
        assert shape_start(text) == len(text)


def test_the_table():
    ends = {}
    add_end(ends, b"abc")
    add_end(ends, b"xbc")
    add_end(ends, b"abc")
    assert ends == {b"bc": (b"abc", b"xbc")}
    add_first(ends, b"q")
    assert ends[b" q"] == ends[b"q"] == (b"",)
    assert b"aq" not in ends
    add_end(ends, b"x q")
    assert ends[b" q"] == (b"",)
