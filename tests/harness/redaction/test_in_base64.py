from __future__ import annotations

import base64
import json
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.redaction.in_base64 import (
    SHORTEST,
    base64_may_hold_key,
    chars_before,
    core_pattern,
    cores,
    cores_of,
    has_run,
    readings,
    runs,
    windows,
    written_forms,
)
from tests.harness.redaction.test_redactor import KEYS, PEM, VALUE


@given(st.binary(), st.binary(min_size=3), st.binary(), st.booleans())
def test_a_core_stands_in_whatever_holds_the_secret(before, secret, after, url_safe):
    encode = base64.urlsafe_b64encode if url_safe else base64.b64encode
    found = [core for core in cores(secret) if core in encode(before + secret + after)]
    assert found
    assert all(len(core) >= len(secret) * 8 // 6 - 1 for core in found)


def test_cores_come_once():
    assert len([*cores(b"plainsecret")]) == 3
    assert len([*cores(b"???>>>~~~")]) == 6


def test_cores_hold_no_bit_of_others():
    (seen,) = {
        tuple(core in base64.b64encode(b"?" * before + b"secret-1" + after) for core in cores(b"secret-1")).count(True)
        for before in range(3)
        for after in (b"", b"\x00", b"\xff", b"ab")
    }
    assert seen == 1


@pytest.mark.parametrize("width", [5, 64, 76])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\\n", "\\\\r\\\\n"])
def test_lines(width, end):
    encoded = base64.b64encode(KEYS["openai"].encode()).decode()
    text = end.join(encoded[at : at + width] for at in range(0, len(encoded), width)).encode()
    assert any(core_pattern(core.decode()).search(text) for core in cores(KEYS["openai"].encode()))


def test_escaped_slashes_and_percent_encoding():
    secret = b"???>>>~~~???>>>"
    (core,) = (core for core in cores(secret) if base64.b64encode(secret).startswith(core))
    assert b"/" in core
    assert b"+" in core
    for text in (core.replace(b"/", rb"\/"), quote(core).encode(), quote(core, safe="").encode()):
        assert core_pattern(core.decode()).search(text)


def test_written_forms():
    assert written_forms("plain-key_1") == ["plain-key_1"]
    assert written_forms('a"ü/') == ['a"ü/', 'a\\"ü/', 'a\\"\\u00fc/', "a%22%C3%BC%2F"]
    assert VALUE in written_forms(VALUE)


@pytest.mark.parametrize("length", [8, 20, 60, 200])
def test_a_window_is_whole_wherever_a_line_ends(length):
    for core in cores(bytes(range(48, 48 + 60))[: length % 60] + b"x" * (length // 60 * 60)):
        parts = windows(core)
        for at in range(64) if len(parts) == 2 else ():
            lines = b"\n".join([core[:at], *(core[n : n + 64] for n in range(at, len(core), 64))])
            assert any(part in lines for part in parts)


def test_runs_and_where_they_stand():
    key = KEYS["openai"].encode()
    encoded = base64.encodebytes(b"a: " + key + b" !!")
    for text in (b"x " + encoded, json.dumps("\t" + encoded.decode() + "é").encode(), b"(" + encoded.strip() + b")"):
        (spot,) = (
            (run, missing, data.index(key)) for run in runs(text) for missing, data in run.readings() if key in data
        )
        run, missing, at = spot
        start, end = run.span(missing, at, at + len(key))
        inside = text[start:end].replace(b"\\n", b"").replace(b"\n", b"")
        assert inside in {*cores(key)}


def test_escapes_end_a_run():
    run = b"QUJD" * 5
    for text in (run + b"\\t" + run, run + b"\\u00e9" + run, run + b'\\"' + run, run + b" " + run, run + b"," + run):
        assert [text[found.start : found.end].rstrip(b"\\")[-4:] for found in runs(text)] == [b"QUJD"] * 2
    (one,) = runs(run + b"\\/" + run)
    assert b"ABC" in next(one.readings())[1]


@pytest.mark.parametrize("name", [*KEYS, "private_key"])
@pytest.mark.parametrize("before", ["", "x=", "a: "])
def test_base64_may_hold_a_key(name, before):
    key = PEM if name == "private_key" else KEYS[name]
    encoded = base64.b64encode(f"{before}{key}".encode())
    assert base64_may_hold_key(b'"' + encoded + b'"')
    assert base64_may_hold_key(base64.encodebytes(before.encode() + b" " * 48 + key.encode()))
    assert not base64_may_hold_key(base64.b64encode(b"nothing of the kind, but some words"))


def test_short_runs_are_words():
    assert not has_run(b"The quick brown fox jumps over the lazy dog")
    assert has_run(b"x" * SHORTEST)
    assert not has_run(b"x" * (SHORTEST - 1))
    assert has_run(b"a bcd", 3)
    assert [*runs(b"a short text")] == []


@given(st.binary(min_size=4, max_size=40), st.integers(0, 3))
def test_readings(data, missing):
    found = dict(readings(base64.b64encode(data).rstrip(b"=")[missing:]))[missing]
    assert found[3:] == data[3:]
    assert len(found) == len(data)


def test_characters_before_a_core():
    for before, text in ((1, b"?sk-"), (2, b"??sk-")):
        (at,) = (base64.b64encode(text).index(core) for core in cores_of(b"sk-", before))
        assert base64.b64encode(text)[at - 1 : at] in chars_before(b"sk-", before)
    assert [len(chars_before(b"sk-", before)) for before in (1, 2)] == [4, 16]
