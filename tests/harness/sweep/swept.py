"""Streams for tests of the sweep: fixtures by name, and streams written out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from harness.sweep.streams import Stream, make_stream, read_fixture

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "fixtures"
SSE = [("content-type", "text/event-stream")]


def fixtures(wire: str) -> list[Path]:
    return sorted(path for path in (FIXTURES / wire).iterdir() if path.suffix in (".sse", ".body"))


def fixture(name: str) -> Stream:
    """The stream of `wire/name.sse`."""
    return read_fixture(FIXTURES / name)


def unknown(stream: Stream) -> Stream:
    """The stream without the events that are known of it: only the other laws can tell."""
    return replace(stream, expected=None)


def frame(payload: dict | str) -> bytes:
    return b"data: %b\n\n" % (payload if isinstance(payload, str) else json.dumps(payload, ensure_ascii=False)).encode()


def chat(*deltas: dict, stop: str | None = "stop", done: bool = True, usage: dict | None = None) -> Stream:
    """A stream of the chat format, a frame a delta."""
    frames = [frame({"model": "m", "choices": [{"index": 0, "delta": delta}]}) for delta in deltas]
    if stop is not None:
        frames.append(frame({"model": "m", "choices": [{"index": 0, "delta": {}, "finish_reason": stop}]}))
    if usage is not None:
        frames.append(frame({"model": "m", "choices": [], "usage": usage}))
    return make_stream("openai-chat", b"".join([*frames, *([frame("[DONE]")] if done else [])]), SSE)


def called(arguments: str, *, id: str = "call_a", name: str = "look", index: int = 0) -> dict:
    """A delta with a whole tool call."""
    return {"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]}
