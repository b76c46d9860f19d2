"""The golden events of a recording: what today's adapters derive from its frames, put together per call.

    {"calls": [{"content": [{"type": "text", "text": "..."},
                            {"type": "tool_call", "name": "read_file", "input": {...}, "id": 0}],
                "usage": {...}, "model": "...", "stop_reason": "stop", "stop_reason_raw": "...", "complete": true,
                "errors": [...]}]}

Texts are joined, ids are the position of the tool call in the recording, and nothing has a date, so that the golden
changes only when what the adapters say changes.
"""

from __future__ import annotations

from itertools import count
from typing import Any

from agent.jsonio import dumps, loads_exact
from harness.differences import shorten, value_differences
from harness.errors import CheckError
from harness.recording.contents import Call
from harness.recording.opening import Recording
from harness.replaying.derive import derive
from harness.report.call_facts import content

_CLOSING = ("usage", "model", "stop_reason", "stop_reason_raw", "complete")


def golden_of(recording: Recording) -> dict[str, Any]:
    """The golden form of a recording, as it is once it was written as JSON and read again.

    Raises `CheckError` where there are no events to derive: no call, a wire format that is not known, and a call that
    did not end.
    """
    from agent.providers import WIRES

    if not recording.calls:
        raise CheckError("the recording has no call")
    for call in recording.calls:
        if call.wire not in WIRES:
            name = "is not known" if call.wire is None else f"{call.wire!r} is none of {', '.join(WIRES)}"
            raise CheckError(f"call {call.number}: its wire format {name}, so no events can be derived")
        if call.end_record is None:
            raise CheckError(f"the recording stops inside call {call.number}")
    ids = count()
    golden: dict[str, Any] = loads_exact(dumps({"calls": [_call(call, ids) for call in recording.calls]}))
    return golden


def _call(call: Call, ids: Any) -> dict[str, Any]:
    events = [event for _, event in derive(call)]
    parts = content(events)
    for part in parts:
        if part["type"] == "tool_call":
            part["id"] = next(ids)
            if not part["unparsed"]:
                del part["unparsed"]
    closing = next((event for event in reversed(events) if event["type"] == "usage"), {})
    errors = [{name: value for name, value in event.items() if name != "type"} for event in events
              if event["type"] == "error"]  # fmt: skip
    return {"content": parts, **{name: closing.get(name) for name in _CLOSING}, "errors": errors}


def differences(old: Any, new: Any) -> list[str]:
    """Every difference between two goldens, one line each, in the order of calls and parts; empty for none."""
    before, after = _calls(old), _calls(new)
    found = []
    for index in range(max(len(before), len(after))):
        if index >= len(before):
            found.append(f"call {index}: new: {_sum_up(after[index])}")
        elif index >= len(after):
            found.append(f"call {index}: gone: {_sum_up(before[index])}")
        else:
            changes = value_differences(before[index], after[index])
            found += [f"call {index}: {change.say('now', 'golden')}" for change in changes]
    return found


def _calls(golden: Any) -> list[Any]:
    """Raises `CheckError` for what is no golden."""
    calls = golden.get("calls") if isinstance(golden, dict) else None
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        raise CheckError("this is no golden file: it should be an object with the list `calls`")
    return calls


def _sum_up(call: dict[str, Any]) -> str:
    return shorten(call.get("content"))
