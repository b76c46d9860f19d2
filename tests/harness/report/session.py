"""A session as records: a turn with a retry, two parallel tool calls and an answer; then a call outside of any turn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from harness.recording.bodies import BodyLog
from harness.recording.records import body_record, call_end_record, event_record, frame_record
from tests.harness.sample import header

ESCAPE = "\x1b[31mred"


def usage(
    counts: tuple[int | None, ...] | None = (10, 5, 4, None, None, 2), stop: str = "stop", complete: bool = True
) -> dict[str, Any]:
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens")
    values = None if counts is None else dict(zip((*names, "reasoning_tokens"), counts, strict=True))
    return {
        "type": "usage", "usage": values, "model": "m-1", "stop_reason": stop, "stop_reason_raw": stop,
        "complete": complete,
    }  # fmt: skip


def error(kind: str = "rate_limit", message: str = "slow down", **more: Any) -> dict[str, Any]:
    return {"type": "error", "message": message, "kind": kind, "retryable": True, **more}


def tool_call(number: int, **given: Any) -> dict[str, Any]:
    return {"type": "tool_call", "id": f"c{number}", "name": "read", "input": given}


def call(
    log: BodyLog,
    number: int,
    events: list[Any],
    *,
    status: int | None = 200,
    frames: tuple[bytes, ...] = (b"data: 1\n\n", b"data: 2\n\n"),
    bodies: tuple[bytes, ...] = (),
    end: dict[str, Any] | None = None,
    body: Any = None,
    **request: Any,
) -> list[dict[str, Any]]:
    """The records of one call. `end`: the `call_end` record; `{}` for none."""
    content = json.dumps(body or {"model": "m", "messages": [{"role": "user", "content": "question"}]}).encode()
    found: list[dict[str, Any]] = [
        {
            "kind": "request", "call": number, "wire": "openai-chat", "decode": {}, "method": "POST",
            "url": "http://h/v1/chat/completions", "headers": [], **log.fields(number, content), **request,
        }
    ]  # fmt: skip
    if status is not None:
        found.append({"kind": "response", "call": number, "status": status, "headers": [["content-type", "a/b"]]})
        found += [frame_record(number, i, raw, [3] if i else None) for i, raw in enumerate(frames)]
        found += [body_record(number, i, raw) for i, raw in enumerate(bodies)]
    found += [event_record(number, 1, event) for event in events[:-1]]
    found += [event_record(number, None, event) for event in events[-1:]]
    found += [call_end_record(number, "eof", 18)] if end is None else [end] if end else []
    return found


def tool_result(position: int, ok: bool = True, output: str = "out") -> dict[str, Any]:
    return {
        "kind": "tool_result", "turn": 0, "call": 1, "position": position, "id": f"c{position}", "name": "read",
        "ok": ok, "output": output, "duration": 0.25,
    }  # fmt: skip


def loop(event: str, **data: Any) -> dict[str, Any]:
    return {"kind": "loop", "turn": 0, "event": event, "data": data}


def turn(**fields: Any) -> dict[str, Any]:
    return {
        "kind": "turn", "turn": 0, "input": "what is it?", "history": [{}], "mode": "PLAN", "provider": "openai",
        "model": "m", "base_url": "http://h/v1", "system": "be brief", "tools": [{"name": "read"}],
        "params": {"temperature": 0}, "limits": {}, **fields,
    }  # fmt: skip


def session(cost: str | None = "0.000123") -> list[dict[str, Any]]:
    log = BodyLog()
    failed = usage(None, "error", False)
    counts = {"input_tokens": 20, "output_tokens": 10, "cache_read_tokens": 8, "reasoning_tokens": 4}
    finish = {"usage": counts, "cost_usd": cost, "model": "m-1", "stop_reason": "stop", "iterations": 2}
    told = {"what": "retry", "call": 0, "attempt": 1, "delay": 2.5, "error": error()}
    asked = {"contents": [{"parts": [{"text": "alone?"}]}], "tools": [{"functionDeclarations": [{}, {}]}]}
    records = [
        header(tags=["a", "b"], task="t-1"),
        turn(),
        *call(log, 0, [error(hint="wait"), failed], status=429, frames=(), bodies=(b"{}",), turn=0, provider="openai"),
        loop("notice", **told),
        *call(
            log,
            1,
            [
                {"type": "reasoning", "text": "let me "}, {"type": "reasoning", "text": "think"},
                {"type": "text", "text": f"one {ESCAPE}"}, {"type": "text", "text": " two"},
                tool_call(0, path="a"), tool_call(1, path="b"), usage(stop="tool_calls"),
            ],
            turn=0, retry_of=0, provider="openai", model="m",
        ),
        tool_result(0),
        tool_result(1, False, "no such file"),
        *call(log, 2, [{"type": "text", "text": "the answer"}, usage()], turn=0, provider="openai", model="m"),
        loop("finish", **finish),
        loop("done"),
        *call(log, 3, [], wire=None, body=asked),
        {
            "kind": "end", "status": "ok", "calls": 4, "turns": 1, "tool_calls": {"read": 2}, "errors": 1,
            "usage": {"m-1": counts | {"cache_write_tokens": None, "cache_write_1h_tokens": None}},
        },
    ]  # fmt: skip
    return [{"kind": None, "seq": seq, "t": seq / 4, **record} for seq, record in enumerate(records)]


def write(path: Path, records: list[dict[str, Any]]) -> Path:
    lines = [json.dumps(record, separators=(",", ":"), ensure_ascii=False) for record in records]
    path.write_text("".join(f"{line}\n" for line in lines), "utf-8")
    return path
