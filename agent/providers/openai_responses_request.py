"""Neutral messages and tools as a Responses request.

Source: OpenAI API reference, "Create a model response", and the reasoning guide. The request is stateless: nothing is
stored with the provider (`store: false`), so everything goes back as whole items, and reasoning in encrypted form.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from agent.events import Part, Reasoning, Text, ToolCall
from agent.jsonio import dumps
from agent.messages import Message, ToolSpec
from agent.providers.base import Target, WireRequest
from agent.providers.base_url import endpoint
from agent.providers.call_ids import accepted_id

WIRE = "openai-responses"
ENCRYPTED = "reasoning.encrypted_content"

_REASONS = re.compile(r"(o\d|gpt-([5-9]|\d\d)|codex|grok-([4-9]|\d\d))(?!.*(-chat|non-reasoning))", re.I)
"""Model ids that reason. Other models answer 400 when asked for encrypted reasoning."""

_LIMITS = ("max_tokens", "max_completion_tokens")


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
    """One `POST /responses`. `params` are fields of the body and win over what is set here; output limits of the chat
    format are renamed to `max_output_tokens`."""
    given = {("max_output_tokens" if name in _LIMITS else name): value for name, value in params.items()}
    stored = bool(given.get("store"))
    items = [_accepted(item, target) for item in _input(messages, system, stored=stored)]
    body: dict[str, Any] = {"model": model, "input": items}
    if tools:
        body["tools"] = [_tool(tool) for tool in tools]
    body |= {"stream": stream, "store": False}
    if _may_encrypt(model, given, items):
        body["include"] = [ENCRYPTED]
    headers = [("content-type", "application/json")]
    if target.key is not None:
        headers.append(("authorization", f"Bearer {target.key}"))
    return WireRequest("POST", endpoint(target.base_url, "/responses"), (*headers, *target.headers), body | given)


def _may_encrypt(model: str, params: Mapping[str, Any], items: list[dict[str, Any]]) -> bool:
    """Whether encrypted reasoning can be asked for: model id, parameters or history say that the model reasons."""
    if _REASONS.match(model.rpartition("/")[2]) or params.get("reasoning"):
        return True
    return any(item.get("type") == "reasoning" and item.get("encrypted_content") for item in items)


def _tool(tool: ToolSpec) -> dict[str, Any]:
    """The flat form. `strict` is true where it is absent, which would make every optional parameter required."""
    return {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
        "strict": False,
    }


def _accepted(item: dict[str, Any], target: Target) -> dict[str, Any]:
    """An item whose id of a call the server takes."""
    id = item.get("call_id")
    return {**item, "call_id": accepted_id(id, target)} if isinstance(id, str) else item


def _input(messages: Sequence[Message], system: str | None, *, stored: bool) -> list[dict[str, Any]]:
    """Input items. The system text is one, first: not every server of this format takes `instructions`."""
    if system is None:
        system = "\n\n".join(message.text for message in messages if message.role == "system" and message.text)
    items: list[dict[str, Any]] = [{"role": "system", "content": system}] if system else []
    custom: set[str] = set()
    for message in messages:
        if message.role == "user":
            items.append({"role": "user", "content": message.text})
        elif message.role == "assistant":
            parts = _assistant(message, stored=stored)
            custom |= {item["call_id"] for item in parts if item.get("type") == "custom_tool_call"}
            items += parts
        elif message.role == "tool":
            kind = "custom_tool_call_output" if message.id in custom else "function_call_output"
            items.append({"type": kind, "call_id": message.id, "output": message.text})
    return items


def _assistant(message: Message, *, stored: bool) -> list[dict[str, Any]]:
    """The items of one answer in their order; opaque data goes only to the format that it came from."""
    own = message.wire == WIRE
    items: list[dict[str, Any]] = []
    texts: list[str] = []

    def close(phase: Any = None) -> None:
        text = "".join(texts)
        texts.clear()
        if text:
            item = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
            items.append(item | ({"phase": phase} if phase else {}))

    for part in message.parts:
        if isinstance(part, Text):
            texts.append(part.text)
            if own and isinstance(part.opaque, dict):
                close(part.opaque.get("phase"))
            continue
        item = _item(part, own=own, stored=stored)
        if item is not None:
            close()
            items.append(item)
    close()
    # A reasoning item must be followed by the item that it led to; an answer that broke off has none (HTTP 400).
    while items and items[-1].get("type") == "reasoning":
        items.pop()
    return items


def _item(part: Part, *, own: bool, stored: bool) -> dict[str, Any] | None:
    if isinstance(part, ToolCall):
        return _call(part, part.opaque if own and isinstance(part.opaque, dict) else {})
    if not isinstance(part, Reasoning) or not own or not isinstance(part.opaque, dict):
        return None
    if part.opaque.get("type") == "reasoning" and part.opaque.get("encrypted_content") and not stored:
        # The encrypted form stands for itself; an id would be looked up, and nothing is stored (HTTP 404).
        return {key: value for key, value in part.opaque.items() if key not in ("id", "status")}
    return part.opaque


def _call(call: ToolCall, opaque: dict[str, Any]) -> dict[str, Any]:
    if opaque.get("type") == "custom_tool_call":
        text = call.input.get("_raw", "") if call.unparsed else dumps(call.input).decode()
        return {"type": "custom_tool_call", "call_id": call.id, "name": call.name, "input": text}
    extras = {key: value for key, value in opaque.items() if key != "type"}
    return {
        "type": "function_call",
        "call_id": call.id,
        "name": call.name,
        "arguments": dumps(call.input).decode(),
        **extras,
    }
