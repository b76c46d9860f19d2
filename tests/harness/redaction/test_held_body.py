from __future__ import annotations

import json

import pytest

from harness.redaction.held_body import HeldBody
from harness.redaction.redactor import Redactor, Rule
from tests.harness.planted import SECRETS, pieces

KEY = SECRETS["openai"]


def run(chunks, redactor=None):
    """What each chunk brings, and what the end does."""
    body = HeldBody(redactor or Redactor())
    return [*(body.feed(float(number), chunk) for number, chunk in enumerate(chunks)), body.flush()]


def test_only_what_may_end_in_a_secret_waits():
    assert run([b'{"a": "q', b" s", b'o", ', b"1}"]) == [
        [(0.0, b'{"a": "q')], [], [(1.0, b" s"), (2.0, b'o", ')], [(3.0, b"1}")], [],
    ]  # fmt: skip


def test_a_secret_over_many_chunks():
    chunks = [part.encode() for part in pieces(f'{{"a": "x {KEY} y"}}', [9, 11, 20, 30, len(KEY) + 12])]
    found = [chunk for step in run(chunks) for chunk in step]
    assert b"".join(data for _, data in found) == b'{"a": "x [redacted:openai:1] y"}'
    assert [t for t, _ in found] == [0.0, 1.0, 4.0, 5.0]


def test_a_secret_at_the_end():
    assert run([b"denied: " + KEY[:9].encode(), KEY[9:].encode()])[-1] == [(0.0, b"denied: [redacted:openai:1]")]


@pytest.mark.parametrize("cut", range(1, 30))
def test_numbers_and_user_rules_need_the_whole(cut):
    redactor = Redactor({"PIN": "12345678"}, [Rule("badge", r"^B-\d{6}$")])
    text = json.dumps({"a": 12345678, "b": "B-123456", "c": "x B-123456"}).encode()
    steps = run([text[:cut], text[cut:]], redactor)
    assert not any(steps[:-1])
    body = b"".join(data for _, data in steps[-1])
    assert json.loads(body) == {"a": "[redacted:key:1]", "b": "[redacted:badge:1]", "c": "x B-123456"}
    assert all(data.count(b"[redacted") == data.count(b":1]") for _, data in steps[-1])


def test_nothing_found_in_the_whole():
    chunks = [b'{"a": 1.50', b"}"]
    assert run(chunks, Redactor(rules=[Rule("x", "y")]))[-1] == [(0.0, chunks[0]), (1.0, chunks[1])]


def test_a_list_waits_for_its_end():
    items = [{"parts": [{"text": text}]} for text in ("a ", KEY[:8], KEY[8:], " b")]
    body = json.dumps(items).encode()
    steps = run([b"\n", body[:50], body[50:]])
    assert not any(steps[1:-1])
    found = json.loads(b"".join(data for step in steps for _, data in step))
    assert [item["parts"][0]["text"] for item in found] == ["a ", "[redacted:openai:1]", "", " b"]
    torn = run([body[:50], body[50:-1]])[-1]
    assert b"".join(data for _, data in torn) == body[:-1]


def test_what_is_held_is_bounded(monkeypatch):
    monkeypatch.setattr("harness.redaction.held_body.MOST_BYTES", 100)
    assert sum(map(len, run([b"Bearer " + b"a" * 60, b"a" * 60, b" x"])[1:2])) == 1
    assert len(run([b"[" + b"1" * 60, b"1" * 60, b"]"])[1]) == 2


def test_drop():
    body = HeldBody(Redactor())
    body.feed(0.0, b"a sk-")
    assert body.drop() == 5
    assert body.flush() == []
    body = HeldBody(Redactor())
    body.feed(0.0, b"[1,")
    assert body.drop() == 3
    assert body.flush() == []
