"""OpenAI-compatible chat completions: neutral messages and tools to a request.

Source: OpenAI API reference, "Create chat completion". Reasoning goes back where providers ask for it:
`reasoning_details` as they came (OpenRouter, "Preserving reasoning blocks"), and `reasoning_content` on messages with
tool calls (DeepSeek, "Thinking mode", and Moonshot answer 400 where it is missing). Mistral answers 400 to a user
message right after tool results, and to an assistant message with neither text nor calls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agent.events import Reasoning, Text, ToolCall
from agent.jsonio import dumps
from agent.messages import Message, ToolSpec
from agent.providers.base import Target, WireRequest
from agent.providers.base_url import endpoint
from agent.providers.call_ids import MISTRAL, accepted_id, is_mistral

WIRE = "openai-chat"

NO_REASONING = frozenset({"openai", "groq", "mistral", "perplexity", "copilot", "openrouter"})
"""Providers that refuse or ignore `reasoning_content` on a message, or have another field for it."""

NO_STREAM_OPTIONS = MISTRAL
"""Mistral answers 422 to `stream_options` ("Extra inputs are not permitted") and reports usage without being asked."""

UNANSWERED: dict[str, Any] = {"role": "assistant", "content": "(No answer: the turn ended here.)"}
"""What Mistral is given between the tool results of a turn that ended with them and the next question."""

Json = dict[str, Any]


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
    """The request. `params` go to the top level of the body; `params["tools"]` (tools of the provider) join the tools.

    `stream_options` may be given, and null there leaves it out, for servers that refuse it.
    """
    body: Json = {"model": model, "messages": wire_messages(target, messages, system)}
    own = params.get("tools")
    offered = [tool_schema(tool) for tool in tools] + (list(own) if isinstance(own, list | tuple) else [])
    if offered:
        body["tools"] = offered
    body["stream"] = stream
    if stream and not target.base_url.startswith(NO_STREAM_OPTIONS):
        body["stream_options"] = {"include_usage": True}
    for name, value in params.items():
        if name == "max_tokens":
            name = target.max_tokens_param
        if name in ("model", "messages", "tools", "stream"):
            continue
        if value is None:
            body.pop(name, None)
        else:
            body[name] = value
    return WireRequest("POST", endpoint(target.base_url, "/chat/completions"), headers(target), body)


def headers(target: Target) -> tuple[tuple[str, str], ...]:
    """The format's headers, then those of the provider's row."""
    auth = () if target.key is None else (("authorization", f"Bearer {target.key}"),)
    return (("content-type", "application/json"), *auth, *target.headers)


def tool_schema(tool: ToolSpec) -> Json:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    return {"type": "function", "function": function}


def wire_messages(target: Target, messages: Sequence[Message], system: str | None) -> list[Json]:
    """The messages in their order, after one system message: the explicit text, else all system messages joined."""
    prompt = system
    if prompt is None:
        prompt = "\n\n".join(message.text for message in messages if message.role == "system" and message.text)
    shaped: list[Json] = [{"role": "system", "content": prompt}] if prompt else []
    thinking = target.provider not in NO_REASONING and any(
        isinstance(part, Reasoning) and part.text for message in messages for part in _own_parts(message)
    )
    for message in messages:
        if message.role == "user":
            shaped.append({"role": "user", "content": message.text})
        elif message.role == "assistant":
            shaped.append(_assistant(message, target, thinking=thinking))
        elif message.role == "tool":
            id = accepted_id(message.id, target)
            shaped.append({"role": "tool", "tool_call_id": id, "content": message.text})
    return _in_mistrals_order(shaped) if is_mistral(target) else shaped


def _in_mistrals_order(shaped: Sequence[Json]) -> list[Json]:
    """Without empty answers, and with an answer between tool results and a question."""
    ordered: list[Json] = []
    for message in shaped:
        if message["role"] == "assistant" and not message["content"] and "tool_calls" not in message:
            continue
        if message["role"] == "user" and ordered and ordered[-1]["role"] == "tool":
            ordered.append(UNANSWERED)
        ordered.append(message)
    return ordered


def _own_parts(message: Message) -> Sequence[Any]:
    """The parts whose opaque data and reasoning this format may read."""
    return message.parts if message.wire == WIRE else ()


def _assistant(message: Message, target: Target, *, thinking: bool) -> Json:
    """One assistant message. `thinking`: the conversation holds reasoning that goes back as text."""
    own = _own_parts(message)
    shaped: Json = {"role": "assistant", "content": _content(message, own)}
    details = reasoning_details(own)
    if details:
        shaped["reasoning_details"] = details
    calls = message.tool_calls
    if calls:
        if thinking and message.wire == WIRE and not details:
            shaped["reasoning_content"] = "".join(part.text for part in own if isinstance(part, Reasoning))
        shaped["tool_calls"] = [_tool_call(call, target, own=bool(own)) for call in calls]
    return shaped


def _content(message: Message, own: Sequence[Any]) -> Any:
    """The text; or, where parts came that only the provider reads (images), the list of parts in their order."""
    content: list[Json] = []
    others = False
    for part in message.parts:
        if isinstance(part, Text) and part.text:
            content.append({"type": "text", "text": part.text})
        elif own and isinstance(part, Reasoning) and isinstance(part.opaque, dict) and not _is_entry(part.opaque):
            content.append(part.opaque)
            others = True
    return content if others else "".join(part["text"] for part in content)


def _tool_call(call: ToolCall, target: Target, *, own: bool) -> Json:
    """Arguments go out as JSON text, also those that did not parse; a signature stays on its call."""
    function = {"name": call.name, "arguments": dumps(call.input).decode()}
    shaped: Json = {"id": accepted_id(call.id, target), "type": "function", "function": function}
    if own and isinstance(call.opaque, dict):
        shaped |= call.opaque
    return shaped


def _is_entry(opaque: Json) -> bool:
    """Whether opaque data is an entry of `reasoning_details`, and no part of the content."""
    return str(opaque.get("type")).startswith("reasoning.")


def reasoning_details(parts: Sequence[Any]) -> list[Json]:
    """The entries of `reasoning_details` put together again, in their order.

    Opaque data of a new type or index opens an entry, other reasoning text continues it. Empty where none came.
    """
    entries: list[tuple[Json, list[str]]] = []
    for part in parts:
        if not isinstance(part, Reasoning):
            continue
        if isinstance(part.opaque, dict) and _is_entry(part.opaque):
            if entries and _continues(entries[-1][0], part):
                entries[-1][0].update(part.opaque)
            else:
                entries.append((dict(part.opaque), []))
        elif part.opaque is not None:
            continue
        if entries and part.text:
            entries[-1][1].append(part.text)
    for entry, texts in entries:
        if texts:
            entry["summary" if entry["type"] == "reasoning.summary" else "text"] = "".join(texts)
    return [entry for entry, _ in entries]


def _continues(entry: Json, part: Reasoning) -> bool:
    """Whether opaque data belongs to the open entry: the signature that closes it."""
    opaque = part.opaque
    if opaque["type"] not in ("reasoning.text", "reasoning.summary") or opaque["type"] != entry["type"]:
        return False
    return bool(opaque.get("index") == entry.get("index") and (opaque.get("index") is not None or not part.text))
