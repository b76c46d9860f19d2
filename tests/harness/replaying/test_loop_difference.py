from __future__ import annotations

import pytest

from agent.loop_types import Limits
from agent.messages import user
from harness.recording.contents import Turn as RecordedTurn
from harness.recording.opening import open as open_recording
from harness.replaying.loop_difference import loop_difference
from harness.replaying.replayer import replay_recording
from tests.harness.sessions import LOOK, Turn, chat, failure, record
from tests.harness.transports import Reply
from tests.harness.turns import ANSWER, LOOKS

KEY = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"
DONE = ("done", {})


def turn(*course, system=None):
    """A recorded turn that took this course."""
    given = dict.fromkeys(("input", "history", "mode", "provider", "model", "base_url", "tools", "params"))
    steps = [{"event": event, "data": data} for event, data in course]
    return RecordedTurn(0, {"system": system}, system=system, limits={}, course=steps, **given)


def compare(recorded, seen, *, died=False, cuts=True, system=None):
    return loop_difference(turn(*recorded, system=system), seen, died=died, cuts=cuts)


def finish(**data):
    return "finish", {"usage": {"input_tokens": 1}, "model": "m", "stop_reason": "stop", "cost_usd": "1", **data}


def trim(**data):
    return "notice", {"what": "trim", "of": "request", "results": 1, "before": 90, "after": 50, **data}


@pytest.mark.parametrize(
    ("recorded", "seen", "said"),
    [
        ([finish(), DONE], [("text", {"delta": "a"}), finish(cost_usd=None), DONE], None),
        ([finish(), DONE], [finish(stop_reason="length"), DONE], 'finish: stop_reason: recorded "stop", now "len'),
        ([finish(), DONE], [finish(usage={}), DONE], "finish: usage.input_tokens: recorded 1, now nothing"),
        ([finish(), DONE], [finish()], "loop event 1: recorded done {}, now nothing"),
        ([finish()], [finish(), DONE], "loop event 1: recorded nothing, now done {}"),
        ([DONE], [finish(), DONE], "loop event 0: recorded done {}, now finish"),
        ([("tool_result", {"id": "c", "output": "a"})], [("tool_result", {"id": "c", "output": "b"})], None),
        ([("tool_result", {"id": "c", "ok": True})], [("tool_result", {"id": "c", "ok": False})], "ok: recorded true"),
        ([trim()], [trim(before=91)], "before: recorded 90, now 91"),
    ],
)  # fmt: skip
def test_the_first_difference(recorded, seen, said):
    found = compare(recorded, seen)
    assert found is said or said in found


def test_a_turn_that_died_is_compared_as_far_as_it_goes():
    assert compare([finish()], [finish(), DONE], died=True) is None
    assert compare([finish(), DONE], [finish()], died=True) is not None


def test_notices_of_cuts_by_option():
    cut = "notice", {"what": "trim", "of": "result", "id": "c"}
    assert compare([cut, DONE], [DONE], cuts=False) is None
    assert compare([cut, DONE], [DONE]) is not None


class TestWhereSecretsWereReplaced:
    SYSTEM = "a [redacted:key:1]"

    def test_sizes_differ(self):
        assert compare([trim()], [trim(before=91, after=7)], system=self.SYSTEM) is None
        assert compare([trim()], [trim(results=2)], system=self.SYSTEM) is not None

    def test_masks_differ(self):
        one = "error", {"message": "bad [secret] here"}
        other = "error", {"message": "bad [redacted:openai:1] here"}
        assert compare([one], [other], system=self.SYSTEM) is None
        assert compare([one], [("error", {"message": "bad thing here"})], system=self.SYSTEM) is not None
        assert compare([one], [other]) is not None


SECRETS = {
    "prompt": Turn([ANSWER], input=f"is {KEY} mine?", history=[user(f"before {KEY}"), user("so")]),
    "output": Turn([LOOKS, ANSWER], tools={"look": f"KEY={KEY}\n" * 3}),
    "arguments": Turn([chat(calls=[("c1", "look", f'{{"at":"{KEY}"}}')]), ANSWER]),
    "answer": Turn([chat(f"use {KEY}", calls=[LOOK]), ANSWER]),
    "crash": Turn([LOOKS, ANSWER], tools={"look": ValueError(f"bad {KEY}")}),
    "echoed by a 401": Turn([failure(401, f"Incorrect API key provided: {KEY}")]),
    "echoed before a retry": Turn([failure(503, f"bad {KEY}"), ANSWER]),
    "in an exception": Turn([Reply(refused=("ConnectError", f"cannot {KEY}"))] * 4),
    "in a reset": Turn([chat("a", finish=None, end=("ReadError", f"reset {KEY}"))]),
    "before the cut": Turn([LOOKS, ANSWER], tools={"look": f"{KEY} " + "x" * 900}, limits=Limits(max_result_chars=300)),
    "left out by the cut": Turn(
        [LOOKS, ANSWER], tools={"look": "x" * 900 + f" {KEY} " + "x" * 900}, limits=Limits(max_result_chars=300)
    ),
    "one of two cut results": Turn(
        [chat(calls=[LOOK, ("c2", "list", "{}")]), ANSWER],
        tools={"look": f"{KEY} " + "x" * 900, "list": "y" * 900}, limits=Limits(max_result_chars=300),
    ),
    "left after the cut": Turn(
        [LOOKS, ANSWER], tools={"look": f"{KEY} " + "x" * 900}, limits=Limits(max_result_chars=300), leave=5
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SECRETS)
def test_a_session_with_secrets_replays_equal(tmp_path, name):
    path = record(tmp_path / "r.jsonl", SECRETS[name])
    assert KEY not in path.read_text()
    found = replay_recording(path)
    assert (found.status, found.reason) == ("pass", None)


def test_only_a_cut_result_with_secrets_says_what_was_given(tmp_path):
    plain = Turn([LOOKS, ANSWER], tools={"look": "x" * 900}, limits=Limits(max_result_chars=300))
    path = record(tmp_path / "r.jsonl", plain, SECRETS["output"], SECRETS["before the cut"])
    given = [turn.tool_results[0].get("given") for turn in open_recording(path, strict=True).turns]
    assert given[:2] == [None, None]
    assert len(given[2]) <= 300
