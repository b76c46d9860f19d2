"""The facts of a run that nobody made: one call that gives an answer at once, uses no tool and ends as it should."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from harness.recording.opening import assemble
from harness.recording.records import FORMAT, FORMAT_VERSION, call_end_record, event_record
from harness.report.facts import RecordingFacts, recording_facts
from harness.report.figures import TOKENS
from harness.suites.case import Case

_USAGE = dict.fromkeys(TOKENS, 0)
_NOTHING: dict[str, Any] = {"usage": _USAGE, "model": None, "stop_reason": "stop", "iterations": 1}


def made_run(case: Case, answer: str) -> RecordingFacts:
    """What an agent would leave behind that took the prompt of `case` and said `answer`, in no time and for nothing."""
    closing = {"type": "usage", **_NOTHING, "stop_reason_raw": "stop", "complete": True}
    events = [*([{"type": "text", "text": answer}] if answer else []), closing]
    records: list[dict[str, Any]] = [
        {"kind": "header", "format": FORMAT, "version": FORMAT_VERSION, "task": case.task, "tags": []},
        {
            "kind": "turn", "turn": 0, "input": case.prompt or "", "history": [], "mode": case.mode, "provider": "",
            "model": "", "system": case.system, "tools": [], "params": dict(case.params), "limits": {},
        },
        {
            "kind": "request", "call": 0, "turn": 0, "wire": "openai-chat", "method": "POST", "url": "", "headers": [],
            "body": {},
        },
        {"kind": "response", "call": 0, "status": 200, "headers": []},
        {"kind": "frame", "call": 0, "i": 0, "raw": ""},
        *(event_record(0, None, event) for event in events),
        call_end_record(0, "eof", 0),
        {"kind": "loop", "turn": 0, "event": "finish", "data": {**_NOTHING, "cost_usd": "0"}},
        {"kind": "loop", "turn": 0, "event": "done", "data": {}},
        {"kind": "end", "status": "ok"},
    ]  # fmt: skip
    timed = [(line, {"seq": line - 1, "t": 0.0, **record}) for line, record in enumerate(records, 1)]
    recording = assemble(timed, Path(f"{case.name} (no recording)"))
    recording.header = records[0]
    return recording_facts(recording)
