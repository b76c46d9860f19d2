"""Neutral messages and tools as a Gemini request: `:streamGenerateContent?alt=sse`, or `:generateContent`.

Source: Gemini API reference, "Generating content", "Function calling" and "Thought signatures", whose FAQ names what
stands for the signature of a call that another model made. Tool parameters go out as `parametersJsonSchema`, which
takes JSON Schema as it is; the older `parameters` refuses `$ref`, `const` and `additionalProperties`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from agent.events import Part, Reasoning, Text, ToolCall
from agent.messages import Message, ToolSpec
from agent.providers.base import Target, WireRequest
from agent.providers.base_url import endpoint

TOP_LEVEL = frozenset({"toolConfig", "safetySettings", "cachedContent", "labels", "serviceTier", "store"})
"""Parameters that are fields of the request; the others are fields of its `generationConfig`."""

UNSIGNED = "skip_thought_signature_validator"
"""The signature of a call that has none. Gemini 3 answers 400 where the first call of a step of the turn that goes on
lacks one; calls of earlier turns, and calls beside the first, need none."""

_CHECKS_NOTHING = re.compile(r"gemini-[12](\.|-|$)|(?!.*gemini)")
"""Models that check no signatures; an alias such as `gemini-flash-latest` is one that does."""

RENAMED = {"max_tokens": "maxOutputTokens", "stop": "stopSequences", "n": "candidateCount"}


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
    """The request. `params` may use neutral names (`max_tokens`, `top_p`, `stop`), or Gemini's own in either case."""
    if system is None:
        system = "\n\n".join(message.text for message in messages if message.role == "system" and message.text)
    checked = not _CHECKS_NOTHING.match(model.rpartition("/")[2])
    body: dict[str, Any] = {"contents": contents(messages, signed=checked)}
    if system:
        body["systemInstruction"] = {"parts": [{"text": system}]}
    if tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in tools]}]
    _add_params(body, params)
    path = model if "/" in model else f"models/{model}"
    method = "streamGenerateContent?alt=sse" if stream else "generateContent"
    url = endpoint(target.base_url, f"/{quote(path, safe='/@')}:{method}")
    return WireRequest("POST", url, _headers(target), body)


def contents(messages: Sequence[Message], *, signed: bool = False) -> list[dict[str, Any]]:
    """The conversation. Consecutive tool results share one content; a message with nothing to send gives none.

    `signed`: the model insists on a signature at the first call of each step of the turn that goes on.
    """
    out: list[dict[str, Any]] = []
    results: list[dict[str, Any]] | None = None
    turn = 0
    for message in messages:
        if message.role in ("system", "note"):
            continue
        if message.role == "tool":
            if results is None:
                results = []
                out.append({"role": "user", "parts": results})
            results.append(_result(message))
            continue
        results = None
        if message.role == "user":
            out.append({"role": "user", "parts": [{"text": message.text}]})
            turn = len(out)
        else:
            own = message.wire == "gemini"
            parts = [shaped for part in message.parts if (shaped := _part(part, own)) is not None]
            if parts:
                out.append({"role": "model", "parts": parts})
    for content in out[turn:] if signed else ():
        first = next((part for part in content["parts"] if "functionCall" in part), None)
        if first is not None:
            first.setdefault("thoughtSignature", UNSIGNED)
    return out


def _part(part: Part, own: bool) -> dict[str, Any] | None:
    """A part of the model's turn; None where nothing goes back. `own`: its opaque data came from this format."""
    opaque = part.opaque if own and isinstance(part.opaque, dict) else {}
    if isinstance(part, ToolCall):
        call: dict[str, Any] = {"name": part.name, "args": part.input}
        if part.id and not part.synthetic_id:
            call = {"id": part.id, **call}
        return {"functionCall": call, **opaque}
    if isinstance(part, Text):
        return {"text": part.text, **opaque} if part.text or opaque else None
    if not opaque:
        return None
    if isinstance(part, Reasoning) and opaque.keys() == {"thoughtSignature"}:
        return {"text": part.text, "thought": True, **opaque}
    return dict(opaque)


def _result(message: Message) -> dict[str, Any]:
    """A `functionResponse`; the API names `output` and `error` as the keys of its free-form response."""
    response: dict[str, Any] = {"name": message.name, "response": {"output" if message.ok else "error": message.text}}
    if message.id and not message.synthetic_id:
        response = {"id": message.id, **response}
    return {"functionResponse": response}


def _declaration(tool: ToolSpec) -> dict[str, Any]:
    schema = {"type": "object", **tool.parameters}
    return {"name": tool.name, "description": tool.description, "parametersJsonSchema": schema}


def _headers(target: Target) -> tuple[tuple[str, str], ...]:
    """The format's headers; those of the provider's row win."""
    own = {name.lower() for name, _ in target.headers}
    fixed = [("content-type", "application/json")]
    if target.key is not None:
        fixed.append(("x-goog-api-key", target.key))
    return (*(pair for pair in fixed if pair[0] not in own), *target.headers)


def _add_params(body: dict[str, Any], params: Mapping[str, Any]) -> None:
    config: dict[str, Any] = {}
    for name, value in params.items():
        if value is None:
            continue
        field = RENAMED.get(name) or re.sub(r"_([a-z0-9])", lambda found: found[1].upper(), name)
        if field == "generationConfig" and isinstance(value, Mapping):
            config |= value
        elif field == "tools" and isinstance(value, Sequence):
            body["tools"] = [*body.get("tools", ()), *value]
        elif field in TOP_LEVEL:
            body[field] = value
        else:
            config[field] = [value] if field == "stopSequences" and isinstance(value, str) else value
    if config:
        body["generationConfig"] = config
