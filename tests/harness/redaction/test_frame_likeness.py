from __future__ import annotations

import json

import pytest

from harness.redaction.frame_likeness import LARGEST, MOST_KINDS, MOST_LESSONS, Likenesses


def frame(text, n=1, **more):
    return (
        b"data: " + json.dumps({"id": "c-1", "n": n, "delta": {"text": text}, "end": None, **more}).encode() + b"\n\n"
    )


def likenesses(closed=lambda text: not text.endswith(b"s"), repeats=lambda text: False):
    return Likenesses((closed, closed), repeats)


@pytest.fixture
def taught():
    found = likenesses()
    found.learn(frame("one"))
    assert not found.passes(frame("one"))
    found.learn(frame("two", 2))
    return found


@pytest.mark.parametrize("text", ["", "three", 'a "quote"', "back\\slash", "\n", "é\u2028", "[1]", "}]}"])
def test_frames_alike_pass(taught, text):
    assert taught.passes(frame(text, -1.5e10))
    assert taught.read(frame(text, 12))[1] == [text.encode()]


@pytest.mark.parametrize(
    "raw",
    [
        frame("ends"), frame("one", None), frame("one", n="1"), frame("one", more=1), frame("one")[:-1],
        frame("one").replace(b"one", b'one", "b": "s'), frame("one").replace(b"c-1", b"c-2"),
        frame("one").replace(b"null", b"true"), b": c\n\n", b"", frame("one").replace(b"one", b"\\x"),
    ],
)  # fmt: skip
def test_others_do_not(taught, raw):
    assert not taught.passes(raw)


def test_what_stays_the_same_is_looked_at_once():
    """Unless it ends as a secret may begin, and is not known to stand by itself."""
    seen = []
    closed = lambda text: seen.append(text) or text != b"a s"  # noqa: E731
    found = Likenesses((closed, closed), lambda text: text == b"chunks")
    for number in range(3):
        found.learn(frame(f"t{number}", kind="chunks", tag="a s"))
    seen.clear()
    assert not found.passes(frame("t4", kind="chunks", tag="a s"))
    assert seen == [b"t4", b"a s"]


def test_blanks_before_the_end():
    found = likenesses()
    base = json.dumps({"a": "b", "d": {"text": "QQ"}}).encode()
    for pad in (0, 3):
        found.learn(b"data: " + base[:-1].replace(b"QQ", b"q" * pad) + b" " * pad + b"}\n\n")
    assert found.passes(b"data: " + base[:-1] + b" " * 9 + b"}\n\n")
    assert not found.passes(b"data: " + base[:-1] + b', "c": "s"}\n\n')


def test_several_kinds_in_turn():
    found = likenesses()
    for number in range(3):
        found.learn(frame(f"a{number}"))
        found.learn(frame(f"a{number}", other="x"))
    for _ in range(3):
        assert found.passes(frame("b"))
        assert found.passes(frame("b", other="x"))


def test_parallel_parts_are_told():
    found = likenesses()
    for number in range(2):
        found.learn(frame(f"x{number}", index=number))
    assert found.read(frame("y", index=7))[0].parallel


def test_lessons_are_bounded():
    found = likenesses()
    for number in range(MOST_LESSONS + 10):
        found.learn(frame("x", **{f"k{number}": 1}))
    assert len(found._kinds) == MOST_KINDS
    found.learn(frame("x"))
    found.learn(frame("y"))
    assert not found.passes(frame("z"))
    found = likenesses()
    for text in "xy":
        found.learn(frame(text * LARGEST))
    assert not found.passes(frame("x"))
