from __future__ import annotations

from agent.front_ends.summary import Summary
from agent.loop_types import LoopEvent


def test_what_a_summary_keeps():
    summary = Summary()
    summary.see(LoopEvent("text", {"delta": "a"}))
    assert summary == Summary(None, False)
    summary.see(LoopEvent("error", {"message": "no"}))
    summary.see(LoopEvent("finish", {"stop_reason": "error"}))
    summary.see(LoopEvent("done", {}))
    assert summary == Summary({"stop_reason": "error"}, True)
