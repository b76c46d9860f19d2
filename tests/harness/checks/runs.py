"""Runs to judge: recordings written by the recorder's own fixtures, or facts put together by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.checks.base import Check, Subject
from harness.checks.registry import check_class
from harness.report.call_facts import CallFacts
from harness.report.facts import RecordingFacts, Totals, TurnFacts
from harness.report.figures import add_usage

USAGE = {
    "input_tokens": 100, "output_tokens": 20, "cache_read_tokens": None, "cache_write_tokens": None,
    "cache_write_1h_tokens": None, "reasoning_tokens": None,
}  # fmt: skip


def free(usage: Any, provider: str, model: str, at: Any) -> None:
    """A price function that knows no price."""


def tool(name: str, /, **arguments: Any) -> dict[str, Any]:
    return {"type": "tool_call", "id": "id", "name": name, "input": arguments, "unparsed": False}


def said(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def call(number: int = 0, *content: dict[str, Any], **fields: Any) -> CallFacts:
    data: dict[str, Any] = {
        "turn": 0, "retry_of": None, "wire": "openai-chat", "provider": "openai", "model": "m", "method": "POST",
        "url": "http://h/v1/chat/completions", "request_bytes": 10, "status": 200, "content_type": "text/event-stream",
        "started": 1.0 + number, "first_chunk": 0.25, "duration": 0.5, "frames": None, "body_chunks": None,
        "bytes": 10, "end": "eof", "ending": "complete", "ending_detail": None, "complete": True, "answered_by": "m-1",
        "stop_reason": "stop", "stop_reason_raw": "stop", "usage": dict(USAGE), "iterations": None,
        "provider_tools": {}, "tool_results": [], "errors": [], "malformed": 0, "unknown": {},
    }  # fmt: skip
    return CallFacts(call=number, content=[*content], **(data | fields))


def turn(number: int = 0, calls: tuple[int, ...] = (0,), **fields: Any) -> TurnFacts:
    data: dict[str, Any] = {
        "input": "go", "history": 0, "mode": "PLAN", "provider": "openai", "model": "m", "base_url": None,
        "system": None, "tools": [], "params": {}, "notices": [], "errors": [], "cancelled": False,
        "stop_reason": "stop", "iterations": 1, "usage": None, "cost_usd": None,
    }  # fmt: skip
    return TurnFacts(turn=number, calls=[*calls], **(data | fields))


def facts(calls: list[CallFacts], turns: list[TurnFacts] | None = None, **fields: Any) -> RecordingFacts:
    """Facts of calls; without `turns` all of them are of one."""
    if turns is None:
        turns = [turn(0, tuple(made.call for made in calls))]
    totals = Totals(len(turns), len(calls), 0, {}, 0, 0, add_usage(made.usage for made in calls), None, len(turns))
    data: dict[str, Any] = {
        "path": "run.jsonl", "version": 1, "id": "x", "started_at": "2026-01-02T03:04:05Z", "by": None,
        "source": "live", "task": "t", "tags": [], "resumed": 0, "status": "ok", "ending": "stop", "duration": 9.5,
        "turns": turns, "calls": calls, "totals": totals, "warnings": [],
    }  # fmt: skip
    return RecordingFacts(**(data | fields))


def subject(*calls: CallFacts, folder: Path = Path("."), price: Any = free, **fields: Any) -> Subject:
    """A run of these calls in one turn. `fields`: of the facts, but for those of the subject."""
    own = {name: fields.pop(name) for name in ("path", "workspace", "golden") if name in fields}
    return Subject(facts([*calls], **fields), folder, price, **own)


def check(kind: str, /, **keys: Any) -> Check:
    return check_class(kind).model_validate({"type": kind, **keys})
