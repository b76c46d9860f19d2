"""Answers that need no recorded call: lists of models, and token counts. Pure.

Clients ask for both beside the calls that matter, and not in every run: a recording that lacks them is no reason to
fail. Shapes as in the providers' API references (OpenAI, Anthropic, Gemini, Ollama).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from agent.jsonio import NotJSON, dumps, loads_exact
from harness.recording.contents import Call
from harness.replaying.error_bodies import shape_of

_MODELS = re.compile(r"/(?:models|api/tags)/*$")
_MODEL = re.compile(r"/models/([^/:]+)/*$")
_COUNT = re.compile(r"/messages/count_tokens$|:countTokens$|/responses/input_tokens$")
_GEMINI_MODEL = re.compile(r"/models/([^/:]+):")
_PROMPT = ("messages", "contents", "input")
_BYTES_A_TOKEN = 4


def stand_in(calls: Sequence[Call], method: str, path: str, headers: Sequence[tuple[str, str]], body: bytes) -> Any:
    """The JSON value that answers a request for models or a token count; None for any other request."""
    shape = shape_of(path, headers)
    if method == "GET" and _MODELS.search(path):
        return _list(shape, _models(calls))
    if method == "GET" and (found := _MODEL.search(path)):
        return _model(shape, found[1]) if found[1] in _models(calls) else None
    if method == "POST" and _COUNT.search(path):
        tokens = _count(calls, body)
        if shape == "gemini":
            return {"totalTokens": tokens}
        return {"input_tokens": tokens} | ({} if shape == "anthropic" else {"object": "response.input_tokens"})
    return None


def _models(calls: Sequence[Call]) -> list[str]:
    """The models that were asked, each once."""
    found: dict[str, None] = {}
    for call in calls:
        body = call.request.body
        name = body.get("model") if isinstance(body, dict) else None
        if not isinstance(name, str):
            match = _GEMINI_MODEL.search(call.url)
            name = match[1] if match else None
        if name:
            found[name] = None
    return list(found)


def _list(shape: str, names: list[str]) -> dict[str, Any]:
    models = [_model(shape, name) for name in names]
    if shape in ("gemini", "ollama"):
        return {"models": models}
    if shape == "anthropic":
        ends = {"first_id": names[0] if names else None, "last_id": names[-1] if names else None}
        return {"data": models, "has_more": False, **ends}
    return {"object": "list", "data": models}


def _model(shape: str, name: str) -> dict[str, Any]:
    if shape == "gemini":
        methods = ["generateContent", "streamGenerateContent", "countTokens"]
        return {"name": f"models/{name}", "displayName": name, "supportedGenerationMethods": methods}
    if shape == "anthropic":
        return {"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z"}
    if shape == "ollama":
        return {"name": name, "model": name}
    return {"id": name, "object": "model", "created": 0, "owned_by": "recording"}


def _count(calls: Sequence[Call], body: bytes) -> int:
    """The input tokens that the provider counted for the same prompt, else an estimate from the size."""
    try:
        asked = loads_exact(body)
    except NotJSON:
        asked = None
    prompt = _prompt(asked)
    if prompt is not None:
        for call in calls:
            if _prompt(call.request.body) == prompt:
                counted = [event["usage"] for event in call.events if event.get("type") == "usage" and event["usage"]]
                tokens = counted[-1].get("input_tokens") if counted else None
                if isinstance(tokens, int):
                    return tokens
    return max(1, len(body if prompt is None else dumps(prompt[1])) // _BYTES_A_TOKEN)


def _prompt(body: Any) -> tuple[str, Any] | None:
    """The field of a request that holds the prompt, and its value."""
    if not isinstance(body, dict):
        return None
    inner = body.get("generateContentRequest")  # Gemini's count takes a whole request as well
    body = inner if isinstance(inner, dict) else body
    return next(((name, body[name]) for name in _PROMPT if body.get(name)), None)
