"""Each law breaks where it should, and only there. That right adapters keep them all is shown in test_run.py."""

from __future__ import annotations

from dataclasses import replace

import pytest

from agent.events import EOF, End, Error, Reasoning, Text, ToolCall, Usage, UsageEvent
from harness.sweep.laws import LAWS, judge
from harness.sweep.run import full_run
from harness.sweep.seen import Seen
from tests.harness.sweep.swept import ROOT, called, chat, unknown

RESET = End("error", "ReadError", "reset")
STREAM = chat(
    {"content": "ab"}, {"content": "c"}, called('{"a": 1}'), stop="tool_calls", usage={"completion_tokens": 3}
)
FULL = full_run(STREAM)
CUT = Error("cut", "truncated_stream", True, status=200)
OTHER = Error("no", "overloaded", True, status=200)
CALL = ToolCall("call_a", "look", {"a": 1})
OPEN = ToolCall("call_a", "look", {"_raw": '{"a'}, unparsed=True)


def closes(stop="truncated", *, complete=False, tokens=None):
    usage = None if tokens is None else Usage(output_tokens=tokens)
    return UsageEvent(usage, "m", stop, None, complete)


def seen(kind, fed=(), finished=(CUT, closes()), end=RESET, **more):
    return Seen(FULL, kind, [*fed], [*finished], end, **more)


RIGHT = {
    "cut": seen("cut", [Text("ab")], [OPEN, CUT, closes()], frames=3),
    "cut, closed": seen("cut", [Text("ab")], [closes("cancelled")], End("closed")),
    "cut, later": seen("cut", [Text("c")], [CALL, CUT, closes()], same=1, frames=3),
    "cut after the end mark": seen(
        "cut", [], [CALL, closes("tool_calls", complete=True)], same=2, marked=True, frames=4
    ),
    "fail": seen("fail", [Text("ab"), OTHER], [closes("error")]),
    "status": seen(
        "status",
        [],
        [Error("x", "overloaded", True, status=529), UsageEvent(None, None, "error", None, False)],
        status=529,
    ),
    "double": seen("double", [], [closes(tokens=3)]),
    "drop": seen("drop", [Text("anything")], [closes()]),
}

WRONG = {
    "raises": seen("cut", raised="KeyError: 'x'"),
    "usage": seen("drop", [], [CUT]),
    "usage, twice": seen("drop", [], [closes(), closes()]),
    "usage, not last": seen("drop", [], [closes(), CUT]),
    "written": seen("drop", [Text("\ud83d")]),
    "last": seen("swap", [OTHER, Text("x")], [closes("error")]),
    "ids": seen("drop", [ToolCall("call_0_0", "a", {}, synthetic_id=True)] * 2),
    "chunks": seen("chunks", [Text("abc")], FULL.run.finished, EOF),
    "chunks, missing": seen("chunks", [], [], EOF),
    "prefix": seen("cut", [Text("a")]),
    "prefix, more": seen("cut", [Text("x")], same=2),
    "end, another call": seen("cut", [], [ToolCall("call_a", "look", {"a": 2}), CUT, closes()]),
    "end, unparsed and more": seen("cut", [], [replace(OPEN, input={"_raw": "", "b": 1}), CUT, closes()]),
    "end, opaque": seen("cut", [], [Reasoning("", {"type": "x"}), CUT, closes()]),
    "end, text": seen("cut", [Text("ab")], [Text("x"), CUT, closes()]),
    "end, two errors": seen("cut", [], [CUT, CUT, closes()]),
    "complete": seen("cut", [], [closes("stop", complete=True)]),
    "complete, truncated": seen("cut", [], [closes(complete=True)], marked=True),
    "truncated": seen("cut", [], [closes()]),
    "truncated, as an end": seen("cut", [], [CUT, closes("stop")]),
    "truncated, closed": seen("cut", [], [CUT, closes("cancelled")], End("closed")),
    "kept": seen("cut", [Text("ab"), Text("c")], frames=3),
    "summed": seen("double", [], [closes(tokens=6)]),
    "error": seen("fail", [], [closes("error")]),
    "error, twice": seen("fail", [OTHER, OTHER], [closes("error")]),
    "error, complete": seen("fail", [OTHER], [closes("stop", complete=True)]),
    "status": seen("status", [], [Error("x", "timeout", True, status=529), closes()], status=529),
    "status, more": seen("status", [Text("x")], [OTHER, closes()], status=529),
    "status, usage": seen("status", [], [Error("x", "overloaded", True, status=529), closes()], status=529),
}


def broken(one):
    return {law for law, reason in judge(one) if reason is not None}


@pytest.mark.parametrize("name", RIGHT)
def test_what_holds(name):
    assert dict(judge(RIGHT[name])) == dict.fromkeys(dict(judge(RIGHT[name])))


@pytest.mark.parametrize("name", WRONG)
def test_what_breaks(name):
    assert name.partition(",")[0] in broken(WRONG[name])


def test_an_exception_hides_the_other_laws():
    assert dict(judge(WRONG["raises"])) == {"raises": "KeyError: 'x'"}


def test_big_integers_can_be_written():
    assert broken(seen("drop", [ToolCall("c", "look", {"n": 10**30})])) == set()


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda events: events, None),
        (lambda events: [*events, events[-1]], "event 4 is missing"),
        (lambda events: events[:-1], "event 3 is too many"),
        (lambda events: [{"type": "text", "text": "ax"}, *events[1:]], 'event 0: text: recorded "ax", now "ab"'),
    ],
)
def test_what_is_known(change, reason):
    from agent.events import to_dict

    events = [to_dict(event) for event in FULL.run.events]
    full = full_run(replace(STREAM, expected=tuple(change(events))))
    found = dict(judge(Seen(full, "whole", full.fed, full.run.finished, EOF, frames=9)))["known"]
    assert found is None if reason is None else found.startswith(reason)


def test_nothing_is_known_of_a_stream_without_events():
    full = full_run(unknown(STREAM))
    assert broken(Seen(full, "whole", full.fed, full.run.finished, EOF)) == set()


def test_an_early_call():
    full = full_run(STREAM)
    at = full.run.fed.index(CALL)
    full.run.frame_of[at] = 2
    one = Seen(full, "whole", full.fed, full.run.finished, EOF)
    assert broken(one) == {"early"}
    full.run.fed.insert(at + 1, OTHER)  # an error closes what is open
    full.run.frame_of.insert(at + 1, 2)
    assert "early" not in broken(one)


def test_the_laws_are_documented_in_words():
    page = (ROOT / "docs" / "sweep.md").read_text("utf-8")
    for law in LAWS:
        assert f"| `{law.name}` | {law.says} |" in page
