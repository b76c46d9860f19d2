"""A small recording with one record of every kind, as lines of dicts."""

from __future__ import annotations

from typing import Any

from harness.recording.bodies import BodyLog
from harness.recording.cuts import cuts_for
from harness.recording.records import body_record, call_end_record, event_record, frame_record

FRAMES = [b'data: {"a":1}\n\n', b": ping\n\n", "data: é\n\n".encode(), b"data: \xff\n\n", b"data: [DONE]"]
CHUNKS = [b"".join(FRAMES)[a:b] for a, b in ((0, 5), (5, 9), (9, 30), (30, None))]
BODIES = [b'{"model":"m","messages":[{"role":"user","content":"a long enough message to be referred to later"}]}']
BODIES.append(BODIES[0].replace(b"}]}", b'},{"role":"user","content":"more"}]}'))
USAGE = {
    "input_tokens": 3, "output_tokens": 4, "cache_read_tokens": None, "cache_write_tokens": None,
    "cache_write_1h_tokens": None, "reasoning_tokens": None,
}  # fmt: skip


def header(**fields: Any) -> dict[str, Any]:
    return {
        "kind": "header", "format": "trajectory", "version": 1, "id": "x", "started_at": "2026-01-02T03:04:05.678Z",
        "by": {"name": "trajectory-harness", "version": "0.1.0"}, "source": "scripted", "tags": [],
        "redaction": {"rules": ["key"]}, "normalizers": [], **fields,
    }  # fmt: skip


def turn(number: int = 0) -> dict[str, Any]:
    return {
        "kind": "turn", "turn": number, "input": "hi", "history": [], "mode": "PLAN", "provider": "openai",
        "model": "m", "system": None, "tools": [], "params": {}, "limits": {},
    }  # fmt: skip


def request(call: int, log: BodyLog, body: bytes, **fields: Any) -> dict[str, Any]:
    return {
        "kind": "request", "call": call, "turn": 0, "wire": "openai-chat", "decode": {}, "method": "POST",
        "url": "http://h/v1/chat/completions", "headers": [["content-type", "application/json"]],
        **log.fields(call, body), **fields,
    }  # fmt: skip


def response(call: int, status: int, content_type: str) -> dict[str, Any]:
    return {"kind": "response", "call": call, "status": status, "headers": [["Content-Type", content_type]]}


def usage_event(complete: bool = True) -> dict[str, Any]:
    return {
        "type": "usage", "usage": USAGE, "model": "m", "stop_reason": "stop", "stop_reason_raw": "stop",
        "complete": complete,
    }  # fmt: skip


def records() -> list[dict[str, Any]]:
    log = BodyLog()
    cuts = cuts_for([len(chunk) for chunk in CHUNKS], [len(frame) for frame in FRAMES])
    frames = [frame_record(0, i, raw, cuts[i], None, i == len(FRAMES) - 1) for i, raw in enumerate(FRAMES)]
    frames[0]["cut_t"] = [0.25, 0.375]
    return [
        header(),
        turn(),
        request(0, log, BODIES[0]),
        response(0, 200, "text/event-stream"),
        *frames,
        event_record(0, 0, {"type": "text", "text": "a"}),
        event_record(0, None, usage_event()),
        call_end_record(0, "eof", 60, malformed=1, unknown={"x": 2}),
        {
            "kind": "tool_result", "turn": 0, "call": 0, "position": 0, "id": "c", "name": "list", "ok": True,
            "output": "o", "duration": 0.5,
        },
        request(1, log, BODIES[1], retry_of=0),
        response(1, 400, "application/json"),
        body_record(1, 0, b'{"err'),
        body_record(1, 1, b'or":"\xe6'),
        body_record(1, 2, b'\xbc\xa2"}'),
        event_record(1, None, {"type": "error", "message": "no", "kind": "invalid_request", "retryable": False}),
        call_end_record(1, "error", 12, error=("ReadError", "reset")),
        {"kind": "loop", "turn": 0, "event": "finish", "data": {}},
        {"kind": "loop", "turn": 0, "event": "done", "data": {}},
        {"kind": "end", "status": "ok", "calls": 2, "turns": 1, "usage": {}, "tool_calls": {}, "errors": 1},
        {"kind": "resume", "started_at": "2026-01-02T04:00:00Z"},
        {"kind": "end", "status": "ok", "calls": 2, "turns": 1, "usage": {"m": USAGE}, "tool_calls": {"list": 1},
         "errors": 1},
    ]  # fmt: skip


def numbered() -> list[dict[str, Any]]:
    """The same as they are read: with `seq` and `t`."""
    return [{"kind": None, "seq": seq, "t": seq / 2, **record} for seq, record in enumerate(records())]
