from __future__ import annotations

import pytest

from agent import rounds
from tests.agent.scripts import tool

A = [("grep", {"q": "x", "n": 1}, "same")]
A_OTHER_ORDER = [("grep", {"n": 1, "q": "x"}, "same")]
B = [("grep", {"q": "y", "n": 1}, "same")]


@pytest.mark.parametrize(
    ("limit", "given", "at"),
    [
        (3, [A, A, A], 3),
        (3, [A, A_OTHER_ORDER, A], 3),
        (3, [A, B, A, B, A, B, A, B], None),
        (3, [A, A, B, A, A], None),
        (3, [B, A, A, A], 4),
        (3, [A, [*A, *B], A, [*A, *B]], None),
        (3, [[("grep", {}, str(n))] for n in range(9)], None),
        (3, [[*A, *B]] * 3, 3),
        (2, [A, A], 2),
        (0, [A] * 9, None),
    ],
    ids=["same", "key order", "A,B", "broken off", "later", "other size", "polling", "two calls", "two", "off"],
)
def test_identical_rounds_in_a_row(limit, given, at):
    counter = rounds.Rounds(limit)
    reached = [number for number, round_ in enumerate(given, 1) if counter.add(round_)]
    assert reached[:1] == ([] if at is None else [at])


@pytest.mark.parametrize(
    ("tools", "modes", "text"),
    [
        (["a", "b"], {}, "unknown tool 'x'; the tools here are: a, b"),
        ([], {}, "unknown tool 'x'; there are no tools here"),
        (["a"], {"x": ["FIX"]}, "unknown tool 'x' in PLAN mode (it exists in FIX mode); the tools here are: a"),
        (["a"], {"x": ["PLAN"]}, "unknown tool 'x'; the tools here are: a"),
    ],
)
def test_unknown_tool(tools, modes, text):
    assert rounds.unknown_tool("x", [tool(name) for name in tools], "PLAN", modes) == text


def test_texts_of_calls_that_did_not_run():
    assert "could not be parsed" in rounds.unparsed("look")
    assert rounds.not_run("why") == "not run: why"
    assert rounds.stopped("why") == "stopped while it ran: why"
    assert rounds.crash(ValueError("bad\n")) == "ValueError: bad"
    assert rounds.crash(KeyError()) == "KeyError"
