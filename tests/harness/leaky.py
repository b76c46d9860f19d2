"""Recordings into which secrets slipped: sessions in the four wire formats, recorded without redaction."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

from agent.messages import user
from agent.providers.base import Target
from harness.recorder.recorder import Recorder
from harness.recorder.session import Agent, open_turn
from harness.redaction.redactor import Redactor
from tests.harness.transports import Reply, Scripted

WIRES = ("openai-chat", "openai-responses", "anthropic", "gemini")


class Blind(Redactor):
    """Replaces nothing."""

    def bytes(self, data):
        return data

    def text(self, text):
        return text

    def json(self, value):
        return value

    def find(self, data, **options):
        return []


def frame(payload: Any) -> bytes:
    kind = f"event: {payload['type']}\n" if isinstance(payload, dict) and "type" in payload else ""
    return f"{kind}data: {json.dumps(payload)}\n\n".encode()


def _chat(text: Sequence[str], tool: tuple[str, Sequence[str]] | None) -> Iterator[Any]:
    for part in text:
        yield {"choices": [{"index": 0, "delta": {"content": part}}]}
    if tool is not None:
        name, arguments = tool
        call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": name, "arguments": ""}}
        yield {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}
        for part in arguments:
            piece = {"index": 0, "function": {"arguments": part}}
            yield {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}}]}
    yield {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls" if tool else "stop"}]}


def _responses(text: Sequence[str], tool: tuple[str, Sequence[str]] | None) -> Iterator[Any]:
    index = 0
    if text:
        for part in text:
            yield {
                "type": "response.output_text.delta", "item_id": "m", "output_index": 0, "content_index": 0,
                "delta": part,
            }  # fmt: skip
        index = 1
    if tool is not None:
        name, arguments = tool
        item = {"type": "function_call", "id": "fc", "call_id": "call_1", "name": name}
        yield {"type": "response.output_item.added", "output_index": index, "item": {**item, "arguments": ""}}
        for part in arguments:
            yield {
                "type": "response.function_call_arguments.delta", "item_id": "fc", "output_index": index, "delta": part,
            }  # fmt: skip
        whole = "".join(arguments)
        yield {
            "type": "response.function_call_arguments.done", "item_id": "fc", "output_index": index, "arguments": whole,
        }  # fmt: skip
        yield {"type": "response.output_item.done", "output_index": index, "item": {**item, "arguments": whole}}
    yield {"type": "response.completed", "response": {"status": "completed", "output": []}}


def _anthropic(text: Sequence[str], tool: tuple[str, Sequence[str]] | None) -> Iterator[Any]:
    yield {"type": "message_start", "message": {"role": "assistant", "content": [], "usage": {"input_tokens": 1}}}
    index = 0
    if text:
        yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
        for part in text:
            yield {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": part}}
        yield {"type": "content_block_stop", "index": 0}
        index = 1
    if tool is not None:
        block = {"type": "tool_use", "id": "toolu_1", "name": tool[0], "input": {}}
        yield {"type": "content_block_start", "index": index, "content_block": block}
        for part in tool[1]:
            delta = {"type": "input_json_delta", "partial_json": part}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    reason = "tool_use" if tool else "end_turn"
    yield {"type": "message_delta", "delta": {"stop_reason": reason}, "usage": {"output_tokens": 2}}
    yield {"type": "message_stop"}


def _gemini(text: Sequence[str], tool: tuple[str, Sequence[str]] | None) -> Iterator[Any]:
    for part in text:
        yield {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": part}]}}]}
    parts = [{"functionCall": {"name": tool[0], "args": json.loads("".join(tool[1]))}}] if tool else [{"text": ""}]
    yield {"candidates": [{"index": 0, "content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}


_BUILDERS = {"openai-chat": _chat, "openai-responses": _responses, "anthropic": _anthropic, "gemini": _gemini}


def answer(wire: str, text: Sequence[str] = (), tool: tuple[str, Sequence[str]] | None = None) -> Reply:
    """A response that streams `text` piece by piece, then calls a tool whose arguments come in pieces."""
    frames = [frame(payload) for payload in _BUILDERS[wire](text, tool)]
    if wire == "openai-chat":
        frames.append(b"data: [DONE]\n\n")
    return Reply(frames)


def record(path: Path, wire: str, prompt: str, replies: Sequence[Reply], workspace: Path, redactor: Any = None) -> Path:
    """One turn of the agent over scripted replies, with nothing redacted (or by `redactor`)."""
    provider = {"openai-chat": "openai"}.get(wire, wire)
    target = Target(provider, wire, "http://127.0.0.1:9/v1", "not-a-key", "X_KEY")
    agent = Agent(target, "m", "PLAN", workspace, "You help.", {})

    async def run() -> None:
        with Recorder(path, redactor=redactor or Blind()) as recorder:
            transport = Scripted(list(replies))
            async with open_turn([user(prompt)], agent, transport, recorder, lambda *a: None) as events:
                async for _ in events:
                    pass
        assert recorder.errors == []

    asyncio.run(run())
    return path


def pieces(text: str, cuts: Sequence[int]) -> list[str]:
    """`text` cut at the given places."""
    borders = [0, *cuts, len(text)]
    return [text[start:end] for start, end in pairwise(borders)]


def leaky_session(folder: Path, wire: str, secret: str, cut: int, redactor: Any = None) -> Path:
    """A session with the secret in the prompt, split in a tool call, in the tool's output, and split in the text."""
    workspace = folder / "ws"
    workspace.mkdir(exist_ok=True)
    (workspace / "env.txt").write_text(f"first\nTOKEN={secret}\nlast\n", "utf-8")
    arguments = json.dumps({"path": "env.txt", "limit": 5, "offset": 1})
    searched = json.dumps({"pattern": f"x {secret} y"})
    at = searched.index(json.dumps(secret)[1:-1])
    said = f"The token is {secret}, as the file says."
    place = said.index(secret)
    replies = [
        answer(wire, ["Let me ", "look."], ("read_file", pieces(arguments, [4, 9]))),
        answer(wire, [], ("search", pieces(searched, [at + cut]))),
        answer(wire, pieces(said, [3, place + cut, place + cut + 1])),
    ]
    return record(folder / f"{wire}.jsonl", wire, f"My token is {secret}. Find it.", replies, workspace, redactor)
