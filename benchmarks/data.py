"""Seeded streams in the shapes that providers send, and the ways a network cuts them."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from orjson import dumps

SEED = 20250824
_SIZES = (100, 600, 1400, 2800, 5000)
_WORDS = (
    " the", " a", " model", " reads", " every", " frame", " of", " this", " answer", ",", " and", " gives", " it",
    " back", " as", " one", " event", ".", "\n\n", " \u2014", " caf\u00e9", " \"quoted\"", " tokens", " later",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Stream:
    """One response: `frames` joined are its body; `payloads` are their JSON data, already split."""

    wire: str
    frames: list[bytes]
    payloads: list[bytes]

    @property
    def body(self) -> bytes:
        return b"".join(self.frames)

    def network_chunks(self) -> list[bytes]:
        """Chunks as a network might deliver them: of few and of many frames, cut anywhere."""
        rng = random.Random(SEED)
        body = self.body
        chunks = []
        at = 0
        while at < len(body):
            size = rng.choice(_SIZES)
            chunks.append(body[at : at + size])
            at += size
        return chunks


def pieces(body: bytes, size: int) -> list[bytes]:
    """Chunks of one size."""
    return [body[at : at + size] for at in range(0, len(body), size)]


def big_event(size: int, *, line: int | None = None) -> bytes:
    """One event of about `size` data bytes: in one data line, or in data lines of `line` bytes."""
    if line is None:
        return b'data: {"text":"' + b"x" * size + b'"}\n\n'
    return b"".join(b"data: " + b"x" * (line - 7) + b"\n" for _ in range(size // line)) + b"\n"


def crlf(stream: Stream) -> Stream:
    """The same stream with CRLF line ends."""
    return Stream(stream.wire, [frame.replace(b"\n", b"\r\n") for frame in stream.frames], stream.payloads)


def chat(frames: int, seed: int = SEED) -> Stream:
    """An OpenAI chat stream: about 330 bytes a frame, as `gpt-4.1` sends with usage asked for."""
    rng = random.Random(seed)
    head = {
        "id": "chatcmpl-" + _letters(rng, 29),
        "object": "chat.completion.chunk",
        "created": 1764015085,
        "model": "gpt-4.1-mini-2025-04-14",
        "service_tier": "default",
        "system_fingerprint": "fp_9766e549b2",
    }

    def payload(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        value = {**head, "choices": [choice], "usage": None, "obfuscation": ""}
        value["obfuscation"] = _letters(rng, max(1, 322 - len(dumps(value))))
        return dumps(value)

    payloads = [payload({"role": "assistant", "content": "", "refusal": None})]
    payloads += [payload({"content": rng.choice(_WORDS)}) for _ in range(frames - 3)]
    payloads.append(payload({}, "stop"))
    usage = {"prompt_tokens": 57, "completion_tokens": frames, "total_tokens": frames + 57}
    payloads.append(dumps({**head, "choices": [], "usage": usage, "obfuscation": ""}))
    lines = [b"data: " + data + b"\n\n" for data in (*payloads, b"[DONE]")]
    return Stream("openai-chat", lines, payloads)


def anthropic(frames: int, seed: int = SEED) -> Stream:
    """An Anthropic stream: about 120 bytes a frame, padded with blanks as its server does."""
    rng = random.Random(seed)
    usage = {"input_tokens": 57, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 1}
    message: dict[str, Any] = {
        "id": "msg_" + _letters(rng, 24), "type": "message", "role": "assistant", "model": "claude-sonnet-4-5-20250929",
        "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage,
    }  # fmt: skip
    values: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
    ]
    for _ in range(frames - 6):
        delta = {"type": "text_delta", "text": rng.choice(_WORDS)}
        values.append({"type": "content_block_delta", "index": 0, "delta": delta})
    values += [
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "end_turn", "stop_sequence": None},
            "usage": {"output_tokens": frames},
        },
        {"type": "message_stop"},
    ]
    payloads = [dumps(value)[:-1] + b" " * rng.randrange(12) + b"}" for value in values]
    return _named("anthropic", values, payloads)


def responses(frames: int, seed: int = SEED) -> Stream:
    """An OpenAI Responses stream: about 290 bytes a frame with its event line."""
    rng = random.Random(seed)
    item_id = "msg_" + _letters(rng, 50)
    answer: dict[str, Any] = {
        "id": "resp_" + _letters(rng, 50), "object": "response", "created_at": 1771352836, "status": "in_progress",
        "error": None, "incomplete_details": None, "instructions": None, "max_output_tokens": None,
        "model": "gpt-5.2-2025-12-11", "output": [], "parallel_tool_calls": True, "temperature": 1.0, "tools": [],
        "tool_choice": "auto", "top_p": 1.0, "usage": None, "metadata": {},
    }  # fmt: skip
    words = [rng.choice(_WORDS) for _ in range(frames - 6)]
    text = "".join(words)
    part = {"type": "output_text", "annotations": [], "logprobs": [], "text": ""}
    item = {"id": item_id, "type": "message", "status": "in_progress", "content": [], "role": "assistant"}
    where = {"item_id": item_id, "output_index": 0}
    values: list[dict[str, Any]] = [
        {"type": "response.created", "response": answer},
        {"type": "response.output_item.added", "item": item, "output_index": 0},
        {"type": "response.content_part.added", "content_index": 0, **where, "part": part},
    ]
    for word in words:
        obfuscation = _letters(rng, 16 - min(15, len(word)))
        values.append({
            "type": "response.output_text.delta", "content_index": 0, "delta": word, **where, "logprobs": [],
            "obfuscation": obfuscation,
        })  # fmt: skip
    done = {**item, "status": "completed", "content": [{**part, "text": text}]}
    usage = {
        "input_tokens": 57, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": frames,
        "output_tokens_details": {"reasoning_tokens": 0}, "total_tokens": frames + 57,
    }  # fmt: skip
    values += [
        {"type": "response.output_text.done", "content_index": 0, **where, "logprobs": [], "text": text},
        {"type": "response.output_item.done", "item": done, "output_index": 0},
        {"type": "response.completed", "response": {**answer, "status": "completed", "output": [done], "usage": usage}},
    ]
    payloads = [dumps({**value, "sequence_number": number}) for number, value in enumerate(values)]
    return _named("openai-responses", values, payloads)


def gemini(frames: int, seed: int = SEED) -> Stream:
    """A Gemini stream: about 350 bytes a frame, each with its own counts."""
    rng = random.Random(seed)
    response_id = _letters(rng, 22)
    payloads = []
    for number in range(frames):
        candidate: dict[str, Any] = {
            "content": {"parts": [{"text": rng.choice(_WORDS)}], "role": "model"},
            "index": 0,
        }
        if number == frames - 1:
            candidate["finishReason"] = "STOP"
        counts = {
            "promptTokenCount": 57, "candidatesTokenCount": number, "totalTokenCount": number + 57,
            "promptTokensDetails": [{"modality": "TEXT", "tokenCount": 57}], "serviceTier": "standard",
        }  # fmt: skip
        value = {"candidates": [candidate], "usageMetadata": counts, "modelVersion": "gemini-2.5-flash"}
        payloads.append(dumps({**value, "responseId": response_id}))
    return Stream("gemini", [b"data: " + data + b"\r\n\r\n" for data in payloads], payloads)


STREAMS: dict[str, Callable[[int], Stream]] = {
    "openai-chat": chat,
    "anthropic": anthropic,
    "openai-responses": responses,
    "gemini": gemini,
}
"""A stream of each wire format, given its number of frames."""


def _named(wire: str, values: list[dict[str, Any]], payloads: list[bytes]) -> Stream:
    frames = [
        b"event: " + value["type"].encode() + b"\ndata: " + data + b"\n\n"
        for value, data in zip(values, payloads, strict=True)
    ]
    return Stream(wire, frames, payloads)


def _letters(rng: random.Random, count: int) -> str:
    return "".join(rng.choices(string.ascii_letters + string.digits, k=count))
