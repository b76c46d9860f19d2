"""The notices of the loop: what it did that the reader did not ask for. Sizes in characters, times in seconds."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent.events import Error, ToolCall, to_dict
from agent.jsonio import dumps
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


def describe(data: Mapping[str, Any]) -> str:
    """The data of a notice in one line."""
    what = data.get("what")
    if what == "retry":
        return f"retry {data['attempt']} in {data['delay']:g} s: {data['error']['message']}"
    if what == "resume":
        return "the provider paused; going on"
    if what == "trim" and data["of"] == "result":
        return f"result of {data['name']} cut from {data['before']:,} to {data['after']:,} characters"
    if what == "trim" and not data["fits"]:
        return f"the request is too long: {data['after']:,} characters, and nothing more can be left out"
    if what == "trim":
        done = ", ".join(
            f"{words}: {data[key]}"
            for key, words in (
                ("results", "results left out"),
                ("inputs", "inputs shortened"),
                ("units", "tool calls dropped"),
            )
            if data[key]
        )
        return f"request trimmed from {data['before']:,} to {data['after']:,} characters" + (
            f" ({done})" if done else ""
        )
    return dumps(dict(data)).decode()
