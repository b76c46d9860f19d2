"""Compares the loop events of a turn that runs again with the recorded ones. Pure.

Where secrets were replaced the two cannot be quite the same, as the recorded loop saw the secrets: messages that the
agent masks itself bear another mask, and sizes in characters differ.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from agent.jsonio import canonical, dumps
from harness.differences import shorten, value_differences
from harness.recording.contents import Turn
from harness.recording.records import is_cut_notice
from harness.redaction.placeholders import MARK

Step: TypeAlias = tuple[str, Mapping[str, Any]]
"""A loop event's name and data."""

_COMPARED = frozenset({"tool_result", "finish", "error", "notice", "done"})
_MASK = re.compile(rb"\[(?:secret|redacted:[A-Za-z0-9_.-]+(?::[0-9]+)?)\]")
_SIZES = ("before", "after")


def loop_difference(turn: Turn, seen: Sequence[Step], *, died: bool, cuts: bool) -> str | None:
    """The first difference, in one line; None for none.

    `died`: the recording stops in this turn, so only what stands in it is compared. `cuts`: notices of cut results too.
    """
    recorded = _steps(((step["event"], step["data"]) for step in turn.course), cuts)
    now = _steps(seen, cuts)
    if died:
        now = now[: len(recorded)]
    for index in range(max(len(recorded), len(now))):
        one = recorded[index] if index < len(recorded) else None
        other = now[index] if index < len(now) else None
        if one is None or other is None or not _same(one, other, turn):
            return f"loop event {index}: {_describe(one, other)}"
    return None


def _steps(steps: Any, cuts: bool) -> list[tuple[str, dict[str, Any]]]:
    """What is compared: no outputs, which the next request shows, and no prices, which a replay does not ask for."""
    return [
        (event, {name: value for name, value in data.items() if name not in ("cost_usd", "output")})
        for event, data in steps
        if event in _COMPARED and (cuts or not is_cut_notice(event, data))
    ]


def _same(one: Step, other: Step, turn: Turn) -> bool:
    left, right = canonical(list(one)), canonical(list(other))
    if left == right:
        return True
    if not _is_redacted(turn):
        return False
    if one[0] == "notice" and one[1].get("what") == "trim":
        left, right = (canonical([event, {**data, **dict.fromkeys(_SIZES)}]) for event, data in (one, other))
    return _MASK.sub(b"[secret]", left) == _MASK.sub(b"[secret]", right)


def _is_redacted(turn: Turn) -> bool:
    """Whether anything of the turn was replaced."""
    texts = [turn.record, turn.tool_results, [[call.event_records, call.end_record] for call in turn.calls]]
    return MARK in dumps(texts)


def _describe(one: Step | None, other: Step | None) -> str:
    if one is not None and other is not None and one[0] == other[0]:
        return f"{one[0]}: {value_differences(one[1], other[1])[0].say('now')}"
    return f"recorded {_show(one)}, now {_show(other)}"


def _show(step: Step | None) -> str:
    return "nothing" if step is None else f"{step[0]} {shorten(step[1], 160)}"
