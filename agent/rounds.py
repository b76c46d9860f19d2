"""What the loop answers a call with that is not run, and when rounds repeat. Pure.

A round is one response's calls with their results.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agent.jsonio import canonical
from agent.messages import ToolSpec


class Rounds:
    """Counts identical rounds in a row. A,B,A,B never counts as a repeat, nor does a call whose result changes."""

    __slots__ = ("_count", "_last", "_limit")

    def __init__(self, limit: int) -> None:
        """`limit`: how many identical rounds in a row are too many; 0 = no limit."""
        self._limit = limit
        self._last = b""
        self._count = 0

    def add(self, round_: Sequence[tuple[str, dict[str, Any], str]]) -> bool:
        """Take the `(name, input, result)` of each call of a round; whether the limit is reached.

        Ids do not count, nor does the key order of inputs.
        """
        key = canonical([list(item) for item in round_])
        self._count = self._count + 1 if key == self._last else 1
        self._last = key
        return 0 < self._limit <= self._count


def unknown_tool(name: str, tools: Sequence[ToolSpec], mode: str, tool_modes: Mapping[str, Sequence[str]]) -> str:
    """`tool_modes` says in which modes a tool exists; tools of other modes are named with theirs."""
    text = f"unknown tool {name!r}"
    elsewhere = [other for other in tool_modes.get(name, ()) if other != mode]
    if elsewhere:
        text += f" in {mode} mode (it exists in {' and '.join(elsewhere)} mode)"
    if not tools:
        return f"{text}; there are no tools here"
    return f"{text}; the tools here are: {', '.join(tool.name for tool in tools)}"


def unparsed(name: str) -> str:
    return f"not run: the arguments of {name} could not be parsed; send them again as one whole JSON object"


def not_run(reason: str) -> str:
    return f"not run: {reason}"


def stopped(reason: str) -> str:
    return f"stopped while it ran: {reason}"


def crash(error: BaseException) -> str:
    """The exception's text, without the traceback."""
    text = str(error).strip()
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
