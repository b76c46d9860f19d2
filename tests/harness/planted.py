"""Secrets of many kinds, put together at run time, and streams that carry them in pieces."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import count, pairwise
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx

import harness
from agent.sse import SSEDecoder
from harness.recorder.recorder import Recorder
from harness.recording.contents import Call
from harness.redaction.redactor import Redactor, Rule
from harness.replaying.derive import first_difference
from tests.harness.redaction.test_redactor import KEYS, PEM, VALUE
from tests.harness.transports import Reply, Scripted

WIRES = ("openai-chat", "openai-responses", "anthropic", "gemini")
KINDS = ("text", "reasoning", "arguments")
TOKEN = "eyJhb.GciOi-" + "J9_xyz~4567+/=="

SECRETS = {
    "key": VALUE,
    "learned": "n" + "otASHAPE0123456789",
    "cookie": "c00kie" + "-value-0123456789",
    "badge": "B-" + "123456",
    "bearer": TOKEN,
    "private_key": PEM,
    **{name: KEYS[name] for name in ("openai", "anthropic", "google", "github", "aws", "slack")},
}
"""Twelve, by kind. Where the kind is no rule's name, the rule is `key`."""

LEADS = {"bearer": "Bearer "}
"""What must stand before a secret for it to be one."""


def rule_of(name: str) -> str:
    return "key" if name in ("learned", "cookie") else name


def redactor(*, user_rules: bool = True) -> Redactor:
    """Knows what no shape tells: one value from a variable, two that requests carried, and a user's rule."""
    found = Redactor({"MY_KEY": VALUE}, [Rule("badge", r"\bB-\d{6}\b")] if user_rules else [])
    found.learn(SECRETS["learned"])
    found.learn(SECRETS["cookie"])
    return found


@cache
def forms(secret: str) -> set[bytes]:
    """Ways in which it could stand in a file: as it is, in JSON, in JSON in JSON, escaped, percent, base64."""
    raw = secret.encode()
    ascii_json = json.dumps(secret)[1:-1]
    plain_json = json.dumps(secret, ensure_ascii=False)[1:-1]
    found = {
        secret, ascii_json, plain_json, json.dumps(ascii_json)[1:-1], json.dumps(plain_json, ensure_ascii=False)[1:-1],
        "".join(f"\\u{ord(char):04x}" for char in secret), quote(secret, safe=""), quote(secret),
        "".join(f"%{byte:02x}" for byte in raw), "".join(f"%{byte:02X}" for byte in raw),
    }  # fmt: skip
    shifted = [base64.b64encode(bytes(before) + raw) for before in range(3)]
    inner = {shifted[0][:-4], shifted[1][4:-4], shifted[2][4:-4]}
    return {form.encode() for form in found} | inner


def held_in(data: bytes, secrets: Iterable[str] = SECRETS.values()) -> list[bytes]:
    """The forms of secrets that stand in `data`."""
    return [form for secret in secrets for form in forms(secret) if form in data]


def pieces(text: str, cuts: Iterable[int]) -> list[str]:
    borders = [0, *cuts, len(text)]
    return [text[start:end] for start, end in pairwise(borders)]


def sse(payload: Any) -> bytes:
    name = f"event: {payload['type']}\n" if "type" in payload else ""
    return f"{name}data: {json.dumps(payload, ensure_ascii=False)}\n\n".encode("utf-8", "surrogatepass")


def _chat(kind: str, parts: Sequence[str], index: int) -> list[Any]:
    if kind == "arguments":
        call = {"index": index, "id": f"call_{index}", "type": "function", "function": {"name": "f", "arguments": ""}}
        deltas: list[Any] = [{"tool_calls": [call]}]
        deltas += [{"tool_calls": [{"index": index, "function": {"arguments": part}}]} for part in parts]
    else:
        name = {"text": "content", "reasoning": "reasoning_content"}[kind]
        deltas = [{name: part} for part in parts]
    return [{"id": "chatcmpl-1", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]


def _responses(kind: str, parts: Sequence[str], index: int) -> list[Any]:
    item = {"type": "function_call", "id": f"fc_{index}", "call_id": f"call_{index}", "name": "f", "arguments": ""}
    name, more = {
        "text": ("output_text", {"content_index": 0}),
        "reasoning": ("reasoning_summary_text", {"summary_index": 0}),
        "arguments": ("function_call_arguments", {}),
    }[kind]
    start = [{"type": "response.output_item.added", "output_index": index, "item": item}] if kind == "arguments" else []
    kind_of = {"type": f"response.{name}.delta", "item_id": f"item_{index}", "output_index": index, **more}
    return [*start, *({**kind_of, "delta": part, "sequence_number": n} for n, part in enumerate(parts))]


def _anthropic(kind: str, parts: Sequence[str], index: int) -> list[Any]:
    block, delta, name = {
        "text": ({"type": "text", "text": ""}, "text_delta", "text"),
        "reasoning": ({"type": "thinking", "thinking": "", "signature": ""}, "thinking_delta", "thinking"),
        "arguments": ({"type": "tool_use", "id": f"t{index}", "name": "f", "input": {}}, "input_json_delta", "json"),
    }[kind]
    name = {"json": "partial_json"}.get(name, name)
    deltas = [{"type": "content_block_delta", "index": index, "delta": {"type": delta, name: part}} for part in parts]
    return [{"type": "content_block_start", "index": index, "content_block": block}, *deltas]


def _gemini(kind: str, parts: Sequence[str], index: int) -> list[Any]:
    if kind == "arguments":
        call = {"name": f"f{index}", "willContinue": True}
        values = [
            {"partialArgs": [{"jsonPath": f"$.a{index}", "stringValue": part, "willContinue": True}]} for part in parts
        ]
        done = {"partialArgs": [{"jsonPath": f"$.a{index}", "stringValue": ""}]}
        of_parts = [{"functionCall": {**value, "willContinue": True}} for value in values]
        found = [{"functionCall": call}, *of_parts, {"functionCall": done}]
    else:
        found = [{"text": part, **({"thought": True} if kind == "reasoning" else {})} for part in parts]
    return [
        {"candidates": [{"content": {"role": "model", "parts": [part]}}], "modelVersion": "gemini-1"} for part in found
    ]


_BUILDERS = {"openai-chat": _chat, "openai-responses": _responses, "anthropic": _anthropic, "gemini": _gemini}
_ENDS: dict[str, list[Any]] = {
    "openai-chat": [{"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}],
    "openai-responses": [{"type": "response.completed", "response": {"status": "completed", "output": []}}],
    "anthropic": [
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 2}},
        {"type": "message_stop"},
    ],
    "gemini": [{"candidates": [{"content": {"parts": [{"text": ""}]}, "finishReason": "STOP"}]}],
}


def payloads(wire: str, kind: str, parts: Sequence[str], index: int = 0) -> list[Any]:
    """What a provider sends for a text, for reasoning or for a tool call's arguments that come in pieces."""
    return _BUILDERS[wire](kind, parts, index)


def stream(wire: str, kind: str, parts: Sequence[str]) -> list[bytes]:
    """The frames of a whole answer."""
    return [sse(payload) for payload in [*payloads(wire, kind, parts), *_ENDS[wire]]]


_numbers = count()


@dataclass
class Recorded:
    """A recording of one call. `data` is the file; `before` what stood in it before the call's end."""

    path: Path
    call: Call
    data: bytes
    before: bytes

    def text(self, kind: str) -> str:
        """What the events say: all text or reasoning."""
        return "".join(event["text"] for event in self.call.events if event["type"] == kind)

    def arguments(self) -> list[Any]:
        return [event["input"] for event in self.call.events if event["type"] == "tool_call"]


def record(path: Path, wire: str | None, reply: Reply, redactor: Redactor, request: Any = None) -> Recorded:
    """One call through a recorder, read strictly; what holds of every recording is checked.

    The file is another one every time, with a number behind its name.
    """
    before = b""
    path = path.with_stem(f"{path.stem}-{next(_numbers)}")
    with Recorder(path, redactor=redactor) as recorder:
        if request is None:
            request = httpx.Request("POST", "https://api.test/v1/x", json={"model": "m"})
        request.extensions["trajectory"] = {"wire": wire}
        seen = []
        try:
            response = recorder.transport(Scripted([reply])).handle_request(request)
            for chunk in response.stream:
                seen.append(chunk)
                if len(seen) == len(reply.chunks):
                    before = path.read_bytes()
            response.close()
        except httpx.HTTPError:
            pass
    assert recorder.errors == []
    assert seen == [*reply.chunks]
    data = path.read_bytes()
    assert all(type(json.loads(line)) is dict for line in data.splitlines())
    (call,) = harness.open(path, strict=True).calls
    assert first_difference(call) is None
    for part in call.frames:
        if not part.unterminated and part.raw.strip():
            assert len(SSEDecoder().feed(part.raw)) == 1, part.raw
    assert [part.i for part in call.frames] == [*range(len(call.frames))]
    return Recorded(path, call, data, before)
