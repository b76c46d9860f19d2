"""Neutral messages: how events become an assistant message, and the JSON form that recordings hold."""

from __future__ import annotations

import pytest

from agent.events import Error, Reasoning, Text, ToolCall, UsageEvent
from agent.messages import (
    Message,
    ToolSpec,
    assistant,
    message_from_dict,
    message_to_dict,
    note,
    system,
    tool_result,
    user,
)

CALL = ToolCall("1", "f", {"x": 1})
USAGE = UsageEvent(None, None, "stop", "stop", True)

ASSEMBLED = {
    "nothing": ([USAGE], ()),
    "pieces are joined": ([Text("a"), Text("b"), USAGE], (Text("ab"),)),
    "kinds are kept apart": (
        [Reasoning("a"), Reasoning("b"), Text("c"), Reasoning("d")],
        (Reasoning("ab"), Text("c"), Reasoning("d")),
    ),
    "opaque data stays on its own part": (
        [Reasoning("a"), Reasoning("", {"s": 1}), Reasoning("b"), Text("c", 0), Text("d")],
        (Reasoning("a"), Reasoning("", {"s": 1}), Reasoning("b"), Text("c", 0), Text("d")),
    ),
    "calls in their place": ([Text("a"), CALL, Text("b")], (Text("a"), CALL, Text("b"))),
    "errors are no parts": ([Text("a"), Error("no", "network", True), USAGE], (Text("a"),)),
    "empty pieces are dropped": ([Text(""), Reasoning(""), CALL], (CALL,)),
}


@pytest.mark.parametrize(("events", "parts"), ASSEMBLED.values(), ids=ASSEMBLED)
def test_assistant(events, parts):
    message = assistant(events, "anthropic")
    assert message == Message("assistant", parts=parts, wire="anthropic")
    assert message.tool_calls == [part for part in parts if isinstance(part, ToolCall)]


FORMS = {
    "system": (system("s"), {"role": "system", "text": "s"}),
    "user": (user("u"), {"role": "user", "text": "u"}),
    "note": (note("n"), {"role": "note", "text": "n"}),
    "assistant": (
        assistant([Text("a"), CALL], "gemini"),
        {
            "role": "assistant",
            "parts": [
                {"type": "text", "text": "a"},
                {"type": "tool_call", "id": "1", "name": "f", "input": {"x": 1}},
            ],
            "wire": "gemini",
        },
    ),
    "assistant of no format": (assistant([], None), {"role": "assistant", "parts": []}),
    "tool result": (
        tool_result(CALL, "out"),
        {"role": "tool", "text": "out", "id": "1", "name": "f", "ok": True},
    ),
    "failed result of a call without an id": (
        tool_result(ToolCall("call_0_0", "f", {}, synthetic_id=True), "no", ok=False),
        {"role": "tool", "text": "no", "id": "call_0_0", "name": "f", "ok": False, "synthetic_id": True},
    ),
}


@pytest.mark.parametrize(("message", "data"), FORMS.values(), ids=FORMS)
def test_forms(message, data):
    assert message_to_dict(message) == data
    assert message_from_dict(data) == message


@pytest.mark.parametrize(
    "data",
    [
        {"role": "robot", "text": ""},
        {"role": "assistant", "parts": [{"type": "usage", "usage": None, "model": None, "stop_reason": "stop",
                                         "stop_reason_raw": None, "complete": True}]},
    ],
    ids=["role", "part"],
)  # fmt: skip
def test_unknown_forms_are_refused(data):
    with pytest.raises(ValueError, match=r"unknown role|only text"):
        message_from_dict(data)


def test_tool_specs():
    spec = ToolSpec("f", "does f", {"type": "object", "properties": {"x": {"type": "string"}}})
    assert ToolSpec.from_dict(spec.to_dict()) == spec
    assert ToolSpec.from_dict({"name": "f"}).parameters == {"type": "object", "properties": {}}
