"""Events and their JSON form: each is the inverse of the other; optional fields stand only where they say something."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent.events import (
    DecodeOptions,
    Error,
    Reasoning,
    Text,
    ToolCall,
    Usage,
    UsageEvent,
    from_dict,
    to_dict,
    usage_from_dict,
    usage_to_dict,
)

FORMS = {
    "text": (Text("a"), {"type": "text", "text": "a"}),
    "text with a signature": (Text("a", {"s": 1}), {"type": "text", "text": "a", "opaque": {"s": 1}}),
    "reasoning": (Reasoning(""), {"type": "reasoning", "text": ""}),
    "tool call": (ToolCall("1", "f", {"x": 1}), {"type": "tool_call", "id": "1", "name": "f", "input": {"x": 1}}),
    "marked tool call": (
        ToolCall("1", "f", {"_raw": "{"}, unparsed=True, synthetic_id=True, opaque=0),
        {
            "type": "tool_call",
            "id": "1",
            "name": "f",
            "input": {"_raw": "{"},
            "unparsed": True,
            "synthetic_id": True,
            "opaque": 0,
        },
    ),
    "usage unknown": (
        UsageEvent(None, None, "truncated", None, False),
        {
            "type": "usage",
            "usage": None,
            "model": None,
            "stop_reason": "truncated",
            "stop_reason_raw": None,
            "complete": False,
        },
    ),
    "error": (
        Error("no", "auth", False),
        {"type": "error", "message": "no", "kind": "auth", "retryable": False},
    ),
    "error in full": (
        Error("no", "rate_limit", True, "wait", 429, 1.5),
        {
            "type": "error",
            "message": "no",
            "kind": "rate_limit",
            "retryable": True,
            "hint": "wait",
            "status": 429,
            "retry_after": 1.5,
        },
    ),
}


@pytest.mark.parametrize(("event", "data"), FORMS.values(), ids=FORMS)
def test_forms(event, data):
    assert to_dict(event) == data
    assert list(to_dict(event)) == list(data)
    assert from_dict(data) == event


def test_unknown_counts_are_null_and_zero_stays_zero():
    data = usage_to_dict(Usage(input_tokens=0))
    assert data == {
        "input_tokens": 0,
        "output_tokens": None,
        "cache_read_tokens": None,
        "cache_write_tokens": None,
        "cache_write_1h_tokens": None,
        "reasoning_tokens": None,
    }


COUNTS = st.none() | st.integers(0, 10**9)


@given(st.builds(Usage, *[COUNTS] * 6, iterations=st.none() | st.lists(st.dictionaries(st.text(), COUNTS))))
def test_usage_round_trip(usage):
    assert usage_from_dict(usage_to_dict(usage)) == usage


@pytest.mark.parametrize("data", [{}, {"type": "ping"}, {"type": None}])
def test_an_unknown_type_is_refused(data):
    with pytest.raises(ValueError, match="unknown event type"):
        from_dict(data)


def test_a_missing_field_is_named():
    with pytest.raises(KeyError, match="name"):
        from_dict({"type": "tool_call", "id": "1"})


@pytest.mark.parametrize(
    ("options", "data"),
    [
        (DecodeOptions(), {}),
        (DecodeOptions(think_tags=True), {"think_tags": True}),
        (DecodeOptions(key_variable="X_API_KEY"), {"key_variable": "X_API_KEY"}),
    ],
    ids=["none", "think tags", "key variable"],
)
def test_decode_options(options, data):
    assert options.to_dict() == data
    assert DecodeOptions.from_dict(data) == options
