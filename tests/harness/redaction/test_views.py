from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.redaction.views import BASE64, ESCAPED, PERCENT, View, views


def only(form: str, data: bytes, shortest: int = 20) -> list[View]:
    return [view for view in views(data, shortest) if view.form == form]


def test_nothing_to_decode():
    assert list(views(b"plain text, 100%", 20)) == []


@pytest.mark.parametrize(
    ("form", "text", "decoded", "at", "span"),
    [
        (PERCENT, b"a=%73k-1%2D2&b", b"a=sk-1-2&b", (2, 8), (2, 12)),
        (PERCENT, b"%41", b"A", (0, 1), (0, 3)),
        (PERCENT, b"%41%42x%43", b"ABxC", (1, 3), (3, 7)),
        (ESCAPED, rb'"\n\u0073k\u002d1"', b'"\nsk-1"', (2, 6), (3, 17)),
        (ESCAPED, rb"\\u002d", rb"\u002d", (0, 6), (0, 7)),
        (ESCAPED, rb"\u0041\ud83d", "A\ud83d".encode("utf-8", "surrogatepass"), (1, 2), (6, 12)),
    ],
)
def test_decoded_and_where_it_came_from(form, text, decoded, at, span):
    (view,) = only(form, text)
    assert view.data == decoded
    assert view.span(*at) == span


def test_other_escapes_alone_are_not_worth_a_view():
    assert only(ESCAPED, rb'"a\nb\"c"') == []


@pytest.mark.parametrize("before", ["", "x", "xy", "xyz"])
@pytest.mark.parametrize("coder", [base64.b64encode, base64.urlsafe_b64encode])
def test_base64_from_any_of_its_first_characters(before, coder):
    secret = b"a secret, \xff\xfe long enough"
    token = coder(secret)
    data = b'"' + before.encode() + token + b'"'
    found = [view for view in only(BASE64, data) if secret in view.data]
    assert len(found) == 1
    assert found[0].span(0, 1) == found[0].span(3, 5) == (1, len(data) - 1)


def test_short_runs_are_words():
    assert only(BASE64, b"averylongwordindeed") == []
    assert only(BASE64, b"averylongwordindeed", 10)


def test_readable():
    assert View(BASE64, b"text\r\n\t", ()).readable
    assert not View(BASE64, b"\x00text", ()).readable
    assert not View(BASE64, "é".encode(), ()).readable


@given(st.text(), st.text(min_size=1), st.text())
def test_what_was_encoded_is_found_and_mapped_back(before, inner, after):
    encoded = "".join(f"%{byte:02X}" for byte in inner.encode())
    text = quote(before).encode() + encoded.encode() + quote(after).encode()
    (view,) = only(PERCENT, text)
    start = len(before.encode())
    assert view.data == (before + inner + after).encode()
    assert view.span(start, start + len(inner.encode())) == (len(quote(before)), len(quote(before)) + len(encoded))


@given(st.text(st.characters(max_codepoint=127)), st.text())
def test_json_escapes(before, after):
    written = json.dumps(before)[:-1].encode()
    (view,) = only(ESCAPED, written + rb"\u002d" + json.dumps(after)[1:].encode())
    start = 1 + len(before)
    assert view.data[: start + 1] == b'"' + before.encode() + b"-"
    assert view.span(start, start + 1) == (len(written), len(written) + 6)
