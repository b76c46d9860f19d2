from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from harness.redaction.channels import channels, splits
from harness.redaction.cleaner import Cleaner, Placeholders
from harness.redaction.finder import Finder
from harness.redaction.frame_data import data_of
from harness.redaction.redactor import Rule
from harness.redaction.scrub_call import clean_bodies, clean_frames
from tests.harness.leaky import WIRES, answer, pieces
from tests.harness.redaction.test_finder import SECRETS, VALUES
from tests.harness.redaction.test_redactor import KEYS

KEY = KEYS["anthropic"]


def cleaner(rules=()) -> Cleaner:
    return Cleaner(Finder(VALUES.values(), rules), Placeholders())


def texts_of(frames: list[bytes]) -> list[bytes]:
    data = [(n, data_of(raw) or b"") for n, raw in enumerate(frames)]
    return [b"".join(piece.text for piece in found) for found in channels(data)]


def assert_clean(frames: list[bytes], finder: Finder) -> None:
    assert not any(finder.find(raw) for raw in frames)
    data = [(n, data_of(raw) or b"") for n, raw in enumerate(frames)]
    for found in (*channels(data), *channels(data, wide=True)):
        assert not splits([piece.text for piece in found], finder)


@pytest.mark.parametrize("name", SECRETS)
@pytest.mark.parametrize("wire", WIRES)
def test_split_over_two_frames_at_every_byte(wire, name):
    secret = SECRETS[name]
    said = f"It is {secret}!"
    for cut in range(6, len(said)):
        one = cleaner()
        before = list(answer(wire, pieces(said, [cut])).chunks)
        after = clean_frames(before, one)
        assert len(after) == len(before)
        assert_clean(after, one.finder)
        rule = name if name not in VALUES else "key"
        assert f"It is [redacted:{rule}:1]!".encode() in texts_of(after)


@pytest.mark.parametrize("wire", ["openai-chat", "openai-responses", "anthropic"])
def test_split_arguments_stay_json(wire):
    arguments = json.dumps({"q": f"a {KEY} b", "n": [1]})
    for cut in range(1, len(arguments) - 1):
        parts = pieces(arguments, [cut])
        after = clean_frames(answer(wire, [], ("search", parts)).chunks, cleaner())
        texts = [json.loads(text) for text in texts_of(after) if text.startswith(b'{"q"')]
        assert texts == [{"q": "a [redacted:anthropic:1] b", "n": [1]}] * len(texts) != []


def test_parallel_calls_each_keep_their_own():
    def piece(index, text):
        call = {"index": index, "function": {"arguments": text}}
        return f"data: {json.dumps({'choices': [{'delta': {'tool_calls': [call]}}]})}\n\n".encode()

    frames = [piece(0, KEY[:20]), piece(1, KEYS["groq"][:20]), piece(0, KEY[20:]), piece(1, KEYS["groq"][20:])]
    after = b"".join(clean_frames(frames, cleaner()))
    assert after.count(b"[redacted:anthropic:1]") == after.count(b"[redacted:groq:1]") == 1
    assert KEY[20:].encode() not in after


def test_frames_without_a_secret_are_the_same_objects():
    frames = list(answer("openai-chat", ["some ", "text"]).chunks)
    assert all(one == other for one, other in zip(clean_frames(frames, cleaner()), frames, strict=True))


def test_plain_data_and_rules_of_the_user():
    one = cleaner([Rule("customer", "CUST-[0-9]{4}")])
    after = clean_frames([b"data: see CUS\n\n", b"data: T-12\n\n", b"data: 34.\n\n"], one)
    assert after == [b"data: see [redacted:customer:1]\n\n", b"data: \n\n", b"data: .\n\n"]


@given(st.lists(st.integers(0, 120), max_size=6), st.sampled_from([k for k in SECRETS if k != "odd-value"]))
def test_any_cuts(cuts, name):
    one = cleaner()
    said = f"one {SECRETS[name]} two {KEY} three"
    parts = pieces(said, sorted(min(cut, len(said)) for cut in cuts))
    after = clean_frames(answer("anthropic", parts).chunks, one)
    assert_clean(after, one.finder)


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_bodies(size):
    body = json.dumps({"error": {"message": f"Incorrect key {KEY}", "n": 1}}).encode()
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    after = clean_bodies(parts, cleaner())
    assert json.loads(b"".join(after)) == {"error": {"message": "Incorrect key [redacted:anthropic:1]", "n": 1}}
    assert len(after) == len(parts)
    assert [len(part) for part in after[:3]] == [min(size, len(part)) for part in after[:3]]


def test_a_body_that_is_no_json():
    assert clean_bodies([b"<p>", KEY.encode(), b"</p>"], cleaner())[0] == b"<p>"
    assert b"".join(clean_bodies([b"<p>", KEY.encode(), b"</p>"], cleaner())) == b"<p>[redacted:anthropic:1]</p>"
    assert clean_bodies([b"a", b"b"], cleaner()) == [b"a", b"b"]
