"""A `<think>` that opens the answer is split off, whatever the pieces are; anything else stays as it came."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.think_tags import ThinkSplitter

CASES = {
    "no tag": ("a < b, </think>", "", "a < b, </think>"),
    "a tag": ("<think>plan</think>answer", "plan", "answer"),
    "blank lines stay": ("<think>plan</think>\n\nanswer", "plan", "\n\nanswer"),
    "blanks before the tag go": ("\n <think>plan</think>answer", "plan", "answer"),
    "a tag that does not open the answer": ("so <think>x</think>", "", "so <think>x</think>"),
    "never closed": ("<think>plan </thin", "plan </thin", ""),
    "half an opening tag": ("<thi", "", "<thi"),
    "almost a tag": ("<thin ice>", "", "<thin ice>"),
    "only the first pair": ("<think>a</think>b<think>c</think>", "a", "b<think>c</think>"),
    "false closings": ("<think>a</thi</think>b", "a</thi", "b"),
    "empty": ("<think></think>b", "", "b"),
}


def split(text: str, cuts: list[int]) -> tuple[str, str]:
    splitter = ThinkSplitter()
    pieces = []
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        pieces += splitter.feed(text[start:end])
    pieces += splitter.flush()
    assert all(piece for _, piece in pieces)
    return tuple("".join(piece for kind, piece in pieces if kind is want) for want in (True, False))


@pytest.mark.parametrize(("text", "reasoning", "answer"), CASES.values(), ids=CASES)
def test_cases(text, reasoning, answer):
    assert split(text, []) == (reasoning, answer)
    assert split(text, list(range(1, len(text)))) == (reasoning, answer)


@given(st.lists(st.sampled_from(["<", "think>", "</think>", "<think>", "a", " ", "/"]), max_size=12), st.data())
def test_any_pieces_give_the_same(parts, data):
    text = "".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=6)))
    assert split(text, cuts) == split(text, [])


def test_what_was_given_out_before_a_tool_call_opened_the_answer():
    splitter = ThinkSplitter()
    assert splitter.feed("<thi") == []
    assert splitter.flush() == [(False, "<thi")]
    assert splitter.feed("<think>x</think>") == [(False, "<think>x</think>")]
