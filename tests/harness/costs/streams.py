"""Answers in the shapes of providers, with the usage that a test gives, recorded by the real loop, client, recorder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from tests.harness.sessions import Turn, frames, record
from tests.harness.transports import Reply


def chat(model: str, usage: dict[str, Any], text: str = "Hi") -> Reply:
    """Chat completions of OpenAI, DeepSeek and others."""
    first = {"model": model, "choices": [{"index": 0, "delta": {"role": "assistant", "content": text}}]}
    last = {"model": model, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    return Reply(frames(first, last, {"model": model, "choices": [], "usage": usage}, b"[DONE]"))


def anthropic(model: str, usage: dict[str, Any], **last: Any) -> Reply:
    """Anthropic Messages: the input counts in `message_start`, the final counts in `message_delta`."""
    message = {"id": "msg", "type": "message", "role": "assistant", "model": model, "content": []}
    return Reply(
        frames(
            {"type": "message_start", "message": message | {"usage": usage | {"output_tokens": 1}}},
            {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi"}},
            {"type": "content_block_stop", "index": 0},
            {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {**last}},
            {"type": "message_stop"},
        )
    )


def gemini(model: str, usage: dict[str, Any]) -> Reply:
    """Gemini `streamGenerateContent`."""
    content = {"role": "model", "parts": [{"text": "Hi"}]}
    answer = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "modelVersion": model}
    return Reply(frames(answer | {"usageMetadata": usage}))


def recorded(path: Path, provider: str, *replies: Reply, at: str = "2026-01-01T12:00:00.000Z", **options: Any) -> Path:
    """A recording of one turn for each reply, dated `at`."""
    record(path, *(Turn([reply], provider=provider) for reply in replies), **options)
    return dated(path, at)


def dated(path: Path, at: str) -> Path:
    """The recording, begun `at` another time."""
    data = path.read_bytes()
    path.write_bytes(re.sub(rb'"started_at":"[^"]*"', b'"started_at":"%s"' % at.encode(), data, count=1))
    return path
