"""Facts of recordings with nothing in them but what a cost needs."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from harness.report.call_facts import CallFacts
from harness.report.facts import RecordingFacts
from harness.report.figures import TOKENS

USAGE = dict.fromkeys(TOKENS) | {"input_tokens": 1_000_000, "output_tokens": 10}
TEXT = [{"type": "text", "text": "hi"}]
ERROR = {"type": "error", "message": "busy", "kind": "overloaded", "retryable": True, "status": 529}


def call(number: int = 0, **given: Any) -> CallFacts:
    known: dict[str, Any] = {
        "call": number, "turn": 0, "method": "POST", "url": "http://test/v1", "status": 200, "ending": "complete",
        "provider": "p", "model": "asked", "answered_by": "answered", "started": 0.0, "usage": USAGE, "content": [],
        "tool_results": [], "errors": [], "stop_reason": "stop", "provider_tools": {},
    }  # fmt: skip
    return CallFacts(**(dict.fromkeys(field.name for field in fields(CallFacts)) | known | given))


def recording(*calls: CallFacts, **given: Any) -> RecordingFacts:
    known: dict[str, Any] = {"path": "x.jsonl", "started_at": "2026-01-02T03:04:05Z", "resumes": [], "calls": [*calls]}
    return RecordingFacts(**(dict.fromkeys(field.name for field in fields(RecordingFacts)) | known | given))
