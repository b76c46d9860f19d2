"""The notices of the loop: what it did that the reader did not ask for. Sizes in characters, times in seconds."""

from __future__ import annotations

from agent.events import Error, ToolCall, to_dict
from agent.loop_types import LoopEvent
from agent.trim import Trimmed


def retry(call: int, attempt: int, delay: float, error: Error) -> LoopEvent:
    """`call` failed and is tried again after `delay`; `attempt` counts the retries of this request from 1."""
    return LoopEvent(
        "notice", {"what": "retry", "call": call, "attempt": attempt, "delay": delay, "error": to_dict(error)}
    )


def resume(iteration: int) -> LoopEvent:
    """The provider paused its answer; it is sent back to go on, as this iteration."""
    return LoopEvent("notice", {"what": "resume", "iteration": iteration})


def trimmed(done: Trimmed) -> LoopEvent:
    """The request was cut to its budget, or (`fits` false) cannot be."""
    data = {
        "what": "trim", "of": "request", "results": done.results, "inputs": done.inputs, "units": done.units,
        "before": done.before, "after": done.after, "fits": done.fits,
    }  # fmt: skip
    return LoopEvent("notice", data)


def capped(call: ToolCall, before: int, after: int) -> LoopEvent:
    """A tool result was cut to its cap."""
    data = {"what": "trim", "of": "result", "id": call.id, "name": call.name, "before": before, "after": after}
    return LoopEvent("notice", data)
