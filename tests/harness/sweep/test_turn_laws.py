"""Each law of a turn breaks where it should. That the loop keeps them, and bugs do not, is shown in test_loop.py."""

from __future__ import annotations

import pytest

from agent.events import ToolCall, UsageEvent
from agent.loop_types import LoopEvent
from agent.messages import assistant, tool_result, user
from harness.sweep.run import full_run
from harness.sweep.turn_laws import TURN_LAWS, Played, SeenTurn, forms, judge_turn, unanswered
from tests.harness.sweep.swept import ROOT, called, chat

CALL = ToolCall("call_a", "look", {"a": 1})
FULL = full_run(chat(called('{"a": 1}')))
END = [LoopEvent("finish", {"usage": {}, "stop_reason": "stop"}), LoopEvent("done", {})]
PAIR = [
    LoopEvent("tool_call", {"id": "call_a", "name": "look", "input": {"a": 1}}),
    LoopEvent("tool_result", {"id": "call_a", "name": "look", "ok": True, "output": "x"}),
]
ASKED = [user("go"), assistant([CALL], None)]
ANSWERED = [*ASKED, tool_result(CALL, "x")]
COMPLETE = UsageEvent(None, None, "tool_calls", None, True)
TRUNCATED = UsageEvent(None, None, "truncated", None, False)
MADE, AS_IT_WAS = {0: (FULL, True)}, {0: (FULL, False)}


def seen(kind="cut", events=END, ran=(), messages=(), raised=None, left_open=0, **more):
    return SeenTurn(
        kind, Played([*events], [(0, call) for call in ran], [*messages], left_open, raised), Played(), **more
    )


RIGHT = {
    "a cut": seen(),
    "left": seen("leave", PAIR[:1], messages=ANSWERED),
    "left at the end": seen("leave", END),
    "calls": seen("whole", [*PAIR, *END], [CALL], ANSWERED, sources=AS_IT_WAS),
    "cut after the end mark": seen(ran=[CALL], sources=MADE, closing=COMPLETE, marked=True),
    "another call after damage": seen("corrupt", ran=[ToolCall("x", "y", {})], sources=MADE, closing=COMPLETE),
    "goes on": seen(events=[LoopEvent("notice", {"what": "retry"}), *END], expected=Played(END)),
    "left before its end": seen("leave", PAIR[:1], expected=Played([*PAIR, *END])),
}
WRONG = {
    "turn-raises": seen(raised="KeyError"),
    "turn-end": seen(events=END[:1]),
    "turn-end, twice": seen(events=[*END, *END]),
    "turn-end, nothing": seen(events=[]),
    "turn-end, after leaving": seen("leave", [*END[:1], *PAIR]),
    "results": seen("whole", [*PAIR[:1], *END]),
    "results, message": seen("whole", messages=ASKED),
    "half-built": seen(ran=[CALL], sources=MADE, closing=TRUNCATED),
    "half-built, unparsed": seen("drop", ran=[ToolCall("c", "look", {"_raw": "{"}, unparsed=True)], sources=MADE),
    "half-built, no end mark": seen(ran=[CALL], sources=MADE, closing=COMPLETE),
    "half-built, no such call": seen(
        ran=[ToolCall("c", "look", {"a": 2})], sources=MADE, closing=COMPLETE, marked=True
    ),
    "half-built, another reply": seen("drop", ran=[ToolCall("c", "look", {"a": 2})], sources=AS_IT_WAS),
    "left-open": seen(left_open=1),
    "goes-on": seen(events=END, expected=Played([*PAIR, *END])),
    "goes-on, otherwise": seen(events=[*PAIR, *END], expected=Played([PAIR[1], PAIR[0], *END])),
    "goes-on, left": seen("leave", PAIR[1:], expected=Played(PAIR)),
}


@pytest.mark.parametrize("name", RIGHT)
def test_what_holds(name):
    verdicts = dict(judge_turn(RIGHT[name]))
    assert verdicts == dict.fromkeys(law.name for law in TURN_LAWS)


@pytest.mark.parametrize("name", WRONG)
def test_what_breaks(name):
    assert dict(judge_turn(WRONG[name]))[name.partition(",")[0]] is not None


def test_what_a_retry_changes_does_not_count():
    one = Played([LoopEvent("tool_call", {"id": "call_0_0", "name": "a", "input": {}}), *END])
    other = Played([LoopEvent("tool_call", {"id": "call_1_0", "name": "a", "input": {}}), *END])
    other.events[-2] = LoopEvent("finish", {"usage": {"input_tokens": 9}, "cost_usd": "1", "stop_reason": "stop"})
    assert forms(one) == forms(other)


@pytest.mark.parametrize(
    ("messages", "why"),
    [
        (ANSWERED, None), (ASKED, "look has no result"), ([ANSWERED[2]], "for no call"),
        ([*ASKED, user("x")], "before the result of look"), ([*ANSWERED, ANSWERED[2]], "for no call"),
    ],
)  # fmt: skip
def test_histories(messages, why):
    found = unanswered(messages)
    assert found is None if why is None else why in found


def test_the_laws_are_documented_in_words():
    page = (ROOT / "docs" / "sweep.md").read_text("utf-8")
    for law in TURN_LAWS:
        assert f"| `{law.name}` | {law.says} |" in page
