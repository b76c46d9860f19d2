"""Anthropic Messages: neutral messages and tools to a request.

Source: https://docs.anthropic.com/en/api/messages, and the refusals (HTTP 400) of that API: tool results stand first
in the user turn right after their calls; ids match `^[a-zA-Z0-9_-]+$`, have at most 64 characters and are unique; text
blocks are not blank; an assistant turn does not end in thinking, nor, at the end of the conversation, in white space;
an error result is not empty; thinking goes back unchanged, with its signature.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from agent.events import Reasoning, Text, ToolCall
from agent.messages import Message, ToolSpec
from agent.providers.base import Target, WireRequest
from agent.providers.base_url import endpoint

WIRE = "anthropic"
VERSION = "2023-06-01"
DEFAULT_MAX_TOKENS = 8192
_NOT_ALLOWED = re.compile(r"[^a-zA-Z0-9_-]")
_ID_LENGTH = 64
_NAME_LENGTH = 128

Block = dict[str, Any]


def request(
    target: Target,
    *,
    model: str,
    messages: Sequence[Message],
    system: str | None,
    tools: Sequence[ToolSpec],
    params: Mapping[str, Any],
    stream: bool,
) -> WireRequest:
    """The request. `params` go to the top level of the body; `params["tools"]` (server tools) join the tools."""
    body: dict[str, Any] = {"model": model, "max_tokens": DEFAULT_MAX_TOKENS}
    body |= {name: value for name, value in params.items() if value is not None and name != "tools"}
    prompt = system_text(messages, system)
    if prompt.strip():
        body["system"] = prompt
    body["messages"] = turns(messages)
    own = params.get("tools")
    offered = [tool_schema(tool) for tool in tools] + (list(own) if isinstance(own, list | tuple) else [])
    if offered:
        body["tools"] = offered
    container = last_container(messages)
    if container is not None:
        body.setdefault("container", container)
    if stream:
        body["stream"] = True
    return WireRequest("POST", endpoint(target.base_url, "/messages"), headers(target), body)


def headers(target: Target) -> tuple[tuple[str, str], ...]:
    """The format's headers; those of the provider's row win."""
    own = {name.lower() for name, _ in target.headers}
    fixed = [("content-type", "application/json"), ("anthropic-version", VERSION)]
    if target.key is not None:
        fixed.append(("x-api-key", target.key))
    return (*(pair for pair in fixed if pair[0] not in own), *target.headers)


def system_text(messages: Sequence[Message], system: str | None) -> str:
    """The explicit system prompt, or all system messages joined in order."""
    if system is not None:
        return system
    return "\n\n".join(message.text for message in messages if message.role == "system" and message.text.strip())


def tool_schema(tool: ToolSpec) -> dict[str, Any]:
    schema: dict[str, Any] = {"name": tool.name}
    if tool.description:
        schema["description"] = tool.description
    schema["input_schema"] = {"type": "object", **tool.parameters}
    return schema


def turns(messages: Sequence[Message]) -> list[dict[str, Any]]:
    """User and assistant turns in alternation: neighbours of one role join, tool results come first in theirs."""
    ids = _Ids()
    joined: list[tuple[str, list[Block]]] = []
    for message in messages:
        if message.role in ("system", "note"):
            continue
        if message.role == "assistant":
            role, blocks = "assistant", assistant_blocks(message, ids)
        else:
            role, blocks = "user", [_result(message, ids)] if message.role == "tool" else _texts(message.text)
        if not blocks:
            continue
        if joined and joined[-1][0] == role:
            joined[-1][1].extend(blocks)
        else:
            joined.append((role, blocks))
    for role, blocks in joined:
        if role == "user":
            blocks.sort(key=lambda block: block["type"] != "tool_result")
    if joined and joined[-1][0] == "assistant" and joined[-1][1][-1]["type"] == "text":
        last = joined[-1][1][-1]
        last["text"] = last["text"].rstrip()
    return [{"role": role, "content": _content(blocks)} for role, blocks in joined]


def assistant_blocks(message: Message, ids: _Ids) -> list[Block]:
    """The blocks of an assistant message: thinking only with its signature, opaque data only to its own format."""
    blocks: list[Block] = []
    thinking: list[str] = []
    own = message.wire == WIRE
    ids.next_message()
    for part in message.parts:
        if isinstance(part, Reasoning):
            thinking.append(part.text)
            block = _opaque_block(part.opaque, "".join(thinking)) if own and part.opaque is not None else None
            if block is None:
                continue
            blocks.append(block)
        elif isinstance(part, Text):
            blocks += _texts(part.text)
        else:
            blocks.append(_call(part, ids, own))
        thinking.clear()
    while blocks and blocks[-1]["type"] in ("thinking", "redacted_thinking"):
        blocks.pop()
    return blocks


def _opaque_block(opaque: Any, thinking: str) -> Block | None:
    """The block that opaque data stands for; `thinking` is the text that a signature signs. None: nothing to send."""
    kind = opaque.get("type") if isinstance(opaque, dict) else None
    if not isinstance(kind, str) or kind == "container":
        return None
    if kind == "thinking":
        signature = opaque.get("signature")
        return {"type": kind, "thinking": thinking, "signature": signature} if signature else None
    block: Block = opaque
    return block


def last_container(messages: Sequence[Message]) -> str | None:
    """The container of this turn's last call that had one; it expires, so a later turn does not name it."""
    for message in reversed(messages):
        if message.role == "user":
            return None
        if message.role != "assistant" or message.wire != WIRE:
            continue
        for part in reversed(message.parts):
            opaque = part.opaque if isinstance(part, Reasoning) else None
            if isinstance(opaque, dict) and opaque.get("type") == "container" and isinstance(opaque.get("id"), str):
                return str(opaque["id"])
    return None


class _Ids:
    """Ids as the API wants them. A result takes the id that its call in the message before was given."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._waiting: dict[str, list[str]] = {}

    def next_message(self) -> None:
        self._waiting = {}

    def of_call(self, id: str) -> str:
        allowed = found = _allowed(id, _ID_LENGTH, "call")
        count = 1
        while found in self._used:
            count += 1
            found = f"{allowed[: _ID_LENGTH - 8]}_{count}"
        self._used.add(found)
        self._waiting.setdefault(id, []).append(found)
        return found

    def of_result(self, id: str) -> str:
        waiting = self._waiting.get(id)
        return waiting.pop(0) if waiting else _allowed(id, _ID_LENGTH, "call")


def _allowed(name: str, length: int, blank: str) -> str:
    """`name` where the API takes it, else a name made from it: the same for the same, another for another."""
    if name and len(name) <= length and not _NOT_ALLOWED.search(name):
        return name
    mark = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{_NOT_ALLOWED.sub('_', name)[: length - 9] or blank}_{mark}"


def _call(call: ToolCall, ids: _Ids, own: bool) -> Block:
    name = _allowed(call.name, _NAME_LENGTH, "unknown")
    block: Block = {"type": "tool_use", "id": ids.of_call(call.id), "name": name, "input": call.input}
    if own and isinstance(call.opaque, dict) and "caller" in call.opaque:
        block["caller"] = call.opaque["caller"]
    return block


def _result(message: Message, ids: _Ids) -> Block:
    block: Block = {"type": "tool_result", "tool_use_id": ids.of_result(message.id), "content": message.text}
    if not message.ok:
        block["is_error"] = True
        block["content"] = message.text if message.text.strip() else "error"
    return block


def _texts(text: str) -> list[Block]:
    return [{"type": "text", "text": text}] if text.strip() else []


def _content(blocks: list[Block]) -> str | list[Block]:
    return blocks[0]["text"] if len(blocks) == 1 and blocks[0]["type"] == "text" else blocks
