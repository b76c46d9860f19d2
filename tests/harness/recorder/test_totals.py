from __future__ import annotations

from agent.events import USAGE_COUNTS, Error, Reasoning, Text, ToolCall, Usage, UsageEvent, to_dict
from harness.recorder.totals import Totals

EVENTS = [
    Text("a"),
    Reasoning("b"),
    ToolCall("1", "read", {}),
    ToolCall("2", "read", {}),
    Error("no", "auth", False),
    UsageEvent(Usage(1, None), "m", "stop", "stop", True),
    UsageEvent(Usage(2, 5, iterations=[{}], provider_tools={"web_search": 1}), "m", "stop", "stop", True),
    UsageEvent(None, "m", "stop", "stop", True),
    UsageEvent(Usage(3, 4), None, "stop", "stop", True),
]


def totals_of(events):
    totals = Totals()
    for event in events:
        totals.count(event)
    return totals


def test_sums_over_events():
    found = totals_of(EVENTS).to_dict()
    assert (found["tool_calls"], found["errors"]) == ({"read": 2}, 1)
    counts = {model: (sums["input_tokens"], sums["output_tokens"]) for model, sums in found["usage"].items()}
    assert counts == {"m": (3, 5), "": (3, 4)}
    assert found["usage"]["m"]["cache_read_tokens"] is None
    assert found["usage"]["m"].keys() == dict.fromkeys(USAGE_COUNTS).keys()


def test_records_give_the_same_sums_as_their_events():
    records = [{"kind": "request"}, {"kind": "header"}]
    records += [{"kind": "event", "event": to_dict(event)} for event in EVENTS]
    records += [{"kind": "event"}, {"kind": "event", "event": 1}, {"kind": "event", "event": {"type": "new"}}]
    totals = Totals()
    totals.add_recorded(enumerate(records))
    assert totals.calls == 1
    assert totals.to_dict() == totals_of(EVENTS).to_dict()
