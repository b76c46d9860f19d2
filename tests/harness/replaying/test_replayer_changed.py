from __future__ import annotations

import pytest

from agent.loop_types import Limits
from tests.harness.judging import judged, setting
from tests.harness.sessions import Turn, change, chat, record
from tests.harness.turns import ANSWER, LEFT, LOOKS


class TestChanged:
    """What was changed in a recording is named, in the check that it belongs to."""

    @pytest.mark.parametrize(
        ("apply", "check", "said"),
        [
            (setting("frame", ["raw"], lambda raw: raw.replace("I look", "I took")), "events",
             'call 0, event 0: text: text: recorded "I look. ", derived "I took. "'),
            (setting("event", ["event", "text"], "Ho"), "events", 'text: recorded "Ho", derived "I look. "'),
            (setting("event", ["frame"], 3), "events", "from frame 3"),
            (setting("event", ["event", "stop_reason"], "length", frame=None), "events", "stop_reason: recorded"),
            (setting("frame", ["raw"], lambda raw: raw + "data: {}\n\n"), "events", "of its response are recorded"),
            (setting("frame", ["i"], 5), "events", "frame 5 stands where frame 0 belongs"),
            (setting("response", ["status"], 500), "events", "call 0, event 0"),
            (setting("tool_result", ["output"], "unseen"), "loop",
             'messages[3].content: recorded "seen", sent "unseen"'),
            (setting("tool_result", ["name"], "other"), "loop", 'name: recorded "other", now "look"'),
            (setting("tool_result", ["position"], 1), "loop", "recorded"),
            (setting("loop", ["data", "stop_reason"], "length", event="finish"), "loop",
             'finish: stop_reason: recorded "length", now "stop"'),
            (setting("loop", ["data", "usage", "input_tokens"], 1, event="finish"), "loop", "usage.input_tokens"),
            (setting("turn", ["input"], "come"), "loop", 'content: recorded "go", sent "come"'),
            (setting("turn", ["system"], "Be long."), "loop", "messages[0].content"),
            (setting("turn", ["tools"], []), "loop", "tools"),
            (setting("turn", ["params"], {"top_p": 0.5}), "loop", "top_p: recorded nothing, sent 0.5"),
            (setting("turn", ["model"], "n"), "loop", 'model: recorded "m", sent "n"'),
            (setting("turn", ["limits", "max_iterations"], 1), "loop", "loop event 1"),
            (setting("request", ["body", "model"], "n"), "loop", 'model: recorded "n", sent "m"'),
            (setting("request", ["method"], "PUT"), "loop", "method"),
        ],
    )  # fmt: skip
    def test_the_first_difference_is_named(self, tmp_path, apply, check, said):
        path = change(record(tmp_path / "r.jsonl", Turn([LOOKS, ANSWER])), apply)
        found = judged(path)
        verdicts = {verdict.check: verdict for verdict in found.verdicts}
        assert verdicts[check].status == "fail"
        assert said in verdicts[check].reason

    @pytest.mark.parametrize("call", [0, 1])
    def test_a_call_is_missing(self, tmp_path, call):
        path = record(tmp_path / "r.jsonl", Turn([LOOKS, ANSWER]))
        found = judged(change(path, lambda value: value.get("call") != call or value["kind"] == "tool_result"))
        assert found.status in ("fail", "error")

    def test_a_call_too_many(self, tmp_path):
        path = record(tmp_path / "r.jsonl", Turn([LOOKS, ANSWER]), Turn([chat("never asked")], input="more"))

        def merge(value):
            if value["kind"] == "turn" and value["turn"] == 1:
                return False
            if value.get("turn") == 1:
                value["turn"] = 0
                return value["kind"] == "request"
            return None

        found = judged(change(path, merge))
        assert found.reason == "recorded calls that the loop did not make: 2"

    def test_the_adapter_would_derive_something_else(self, tmp_path, monkeypatch):
        path = record(tmp_path / "r.jsonl", Turn([ANSWER]))
        monkeypatch.setattr(
            "agent.providers.base.Decoder._text", lambda self, text, opaque=None: self._reasoning(text, opaque)
        )
        found = judged(path)
        assert [verdict.status for verdict in found.verdicts] == ["fail", "pass"]
        assert 'type: recorded "text", derived "reasoning"' in found.reason

    def test_a_result_that_no_request_shows(self, tmp_path):
        turn = Turn([LOOKS, LOOKS], limits=Limits(max_iterations=2, max_repeats=2))
        path = record(tmp_path / "r.jsonl", turn)
        changed = change(path, setting("tool_result", ["output"], "other", call=1))
        assert "repeated_call" in judged(changed).reason

    def test_the_left_place(self, tmp_path):
        path = record(tmp_path / "r.jsonl", LEFT["between deltas"])
        changed = change(path, setting("loop", ["data", "events"], 9, event="cancelled"))
        assert "left after 9 loop events" in judged(changed).reason
