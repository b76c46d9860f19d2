"""A recording of a run that nobody made: one call that gives an answer at once, uses no tool and ends as it should."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from agent.jsonio import dumps
from harness.recording.records import FORMAT, FORMAT_VERSION, call_end_record, event_record, frame_record
from harness.suites.case import Case

_WIRE = "openai-chat"
_FREE = "GET"
"""What nobody is billed for, see `harness.costs.billing`."""
_NOTHING: dict[str, Any] = {"usage": None, "model": None, "stop_reason": "stop"}


def write_made_run(path: Path, case: Case, answer: str) -> None:
    """What an agent would leave behind that took the prompt of `case` and said `answer`, in no time and for nothing."""
    texts = [{"type": "text", "text": answer}] if answer else []
    closing = {"type": "usage", **_NOTHING, "stop_reason_raw": "stop", "complete": True}
    deltas = [_chunk({"content": answer})] if answer else []
    frames = [*deltas, _chunk({}, "stop"), b"data: [DONE]\n\n"]
    records: list[dict[str, Any]] = [
        {
            "kind": "header", "format": FORMAT, "version": FORMAT_VERSION, "id": "made-up", "source": "made up",
            "by": {"name": "trajectory-harness", "version": "0"}, "started_at": "1970-01-01T00:00:00Z",
            "task": case.task, "tags": [], "redaction": {"rules": []}, "normalizers": [],
        },
        {
            "kind": "turn", "turn": 0, "input": case.prompt or "", "history": [], "mode": case.mode, "provider": "",
            "model": "", "system": case.system, "tools": [], "params": dict(case.params), "limits": {},
        },
        {
            "kind": "request", "call": 0, "turn": 0, "wire": _WIRE, "decode": {}, "method": _FREE, "url": "",
            "headers": [], "body": {}, "sha256": hashlib.sha256(b"{}").hexdigest(), "size": 2,
        },
        {"kind": "response", "call": 0, "status": 200, "headers": [["content-type", "text/event-stream"]]},
        *(frame_record(0, i, frame) for i, frame in enumerate(frames)),
        *(event_record(0, 0, text) for text in texts),
        event_record(0, None, closing),
        call_end_record(0, "eof", sum(map(len, frames))),
        {"kind": "loop", "turn": 0, "event": "finish", "data": {**_NOTHING, "cost_usd": "0", "iterations": 1}},
        {"kind": "loop", "turn": 0, "event": "done", "data": {}},
        {"kind": "end", "status": "ok", "calls": 1, "turns": 1, "usage": {}, "tool_calls": {}, "errors": 0},
    ]  # fmt: skip
    timed = ({"kind": record["kind"], "seq": seq, "t": 0.0, **record} for seq, record in enumerate(records))
    path.write_bytes(b"".join(dumps(record) + b"\n" for record in timed))


def _chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return b"data: " + dumps({"choices": [choice]}) + b"\n\n"
