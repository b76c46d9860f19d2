from __future__ import annotations

import json

import pytest

from harness.redaction.channels import channels, splits
from harness.redaction.finder import Finder
from tests.harness.redaction.test_redactor import KEYS, TAIL

KEY = KEYS["anthropic"]


def joined(payloads, wide=False) -> set[bytes]:
    frames = [(n, p if isinstance(p, bytes) else json.dumps(p).encode()) for n, p in enumerate(payloads)]
    return {b"".join(piece.text for piece in pieces) for pieces in channels(frames, wide=wide)}


def test_strings_at_one_place_are_one_text():
    assert b"Hello" in joined([{"delta": {"text": part}} for part in ("He", "l", "lo")])


def test_parallel_texts_stay_apart():
    found = joined(
        [{"index": index, "delta": {"text": part}} for index, part in ((0, "ab"), (1, "xy"), (0, "cd"), (1, "z!"))]
    )
    assert {b"abcd", b"xyz!"} <= found


def test_parts_of_lists_are_one_text_too():
    assert b"abcd" in joined([{"parts": [{"text": "a"}, {"text": "b"}]}, {"parts": [{"text": "cd"}]}], wide=True)


def test_data_that_is_no_json():
    assert joined([b"ab", b"cd"]) == {b"abcd"}


def test_what_never_changes_is_no_text():
    assert joined([{"id": "same"}, {"id": "same"}, 5, "text", None]) == set()


def test_lone_surrogates_and_long_numbers():
    assert joined([b'{"a":"\\ud83d","n":123456789012345678901234567890}', b'{"a":"\\ude00"}']) == {
        b"\xed\xa0\xbd\xed\xb8\x80"
    }


@pytest.mark.parametrize("cut", range(len(KEY) + 1))
def test_splits_at_any_byte(cut):
    found = splits([b"a ", b"", KEY[:cut].encode(), b"", KEY[cut:].encode() + b"", b" b"], Finder())
    if cut in (0, len(KEY)):
        assert found == []
    else:
        (split,) = found
        assert split.parts == ((2, 0, cut), (4, 0, len(KEY) - cut))
        assert split.hit.secret == KEY.encode()


def test_splits_over_many_pieces():
    pieces = [char.encode() for char in f"x {KEY} y {KEYS['groq']}."]
    assert [len(split.parts) for split in splits(pieces, Finder())] == [len(KEY), len(KEYS["groq"])]
    assert splits([TAIL.encode()], Finder()) == []
