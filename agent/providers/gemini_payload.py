"""The words and shapes of a Gemini GenerateContentResponse: tables, and readers that take anything.

Enum numbers are those of `google.ai.generativelanguage.v1beta` (Candidate.FinishReason, PromptFeedback.BlockReason).
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NoReturn

from agent.events import ErrorKind, Reasoning, StopReason, Text, Usage
from agent.jsonio import NotJSON, loads_exact

STOPS: Mapping[str, StopReason] = {
    "STOP": "stop",
    "MAX_TOKENS": "length",
    "SAFETY": "content_filter",
    "RECITATION": "content_filter",
    "LANGUAGE": "content_filter",
    "BLOCKLIST": "content_filter",
    "PROHIBITED_CONTENT": "content_filter",
    "SPII": "content_filter",
    "IMAGE_SAFETY": "content_filter",
    "IMAGE_PROHIBITED_CONTENT": "content_filter",
    "IMAGE_RECITATION": "content_filter",
    "IMAGE_OTHER": "content_filter",
    "MALFORMED_FUNCTION_CALL": "error",
    "UNEXPECTED_TOOL_CALL": "error",
    "OTHER": "error",
    "NO_IMAGE": "error",
}
"""`finishReason`; a word that is not here is `content_filter`."""

FAILURES: Mapping[str, tuple[ErrorKind, str]] = {
    "MALFORMED_FUNCTION_CALL": ("malformed_tool_call", "The model made a function call that is not valid"),
    "UNEXPECTED_TOOL_CALL": ("malformed_tool_call", "The model called a tool that it was not given"),
    "OTHER": ("provider_error", "The provider stopped for a reason that it does not name"),
    "NO_IMAGE": ("provider_error", "The model made no image"),
}
"""The error event of a `finishReason` that is a failure: kind, and message where `finishMessage` is absent."""

FINISH_NUMBERS = {
    1: "STOP", 2: "MAX_TOKENS", 3: "SAFETY", 4: "RECITATION", 5: "OTHER", 6: "LANGUAGE", 7: "BLOCKLIST",
    8: "PROHIBITED_CONTENT", 9: "SPII", 10: "MALFORMED_FUNCTION_CALL", 11: "IMAGE_SAFETY", 12: "UNEXPECTED_TOOL_CALL",
    13: "TOO_MANY_TOOL_CALLS", 14: "IMAGE_PROHIBITED_CONTENT", 15: "IMAGE_OTHER", 16: "NO_IMAGE",
    17: "IMAGE_RECITATION",
}  # fmt: skip
BLOCK_NUMBERS = {1: "SAFETY", 2: "OTHER", 3: "BLOCKLIST", 4: "PROHIBITED_CONTENT", 5: "IMAGE_SAFETY"}

COUNTS = (
    "promptTokenCount", "toolUsePromptTokenCount", "candidatesTokenCount", "thoughtsTokenCount",
    "cachedContentTokenCount", "totalTokenCount",
)  # fmt: skip
_BETWEEN = re.compile(r"[\s,]*")


def piece_of(payload: Any, model: str | None) -> Text | Reasoning | None:
    """The one text or thought of a payload that says nothing else but counts; None for any other payload."""
    try:
        (candidate,) = payload["candidates"]
        (part,) = candidate["content"]["parts"]
        text = part["text"]
        if (
            not text
            or type(text) is not str
            or candidate.get("index")
            or candidate.get("finishReason") is not None
            or payload.get("modelVersion") != model
            or "groundingMetadata" in candidate
            or "promptFeedback" in payload
            or "error" in payload
        ):
            return None
        if len(part) == 1:
            return Text(text)
        return Reasoning(text) if len(part) == 2 and part.get("thought") is True else None
    except (LookupError, TypeError, ValueError, AttributeError):
        return None


def first_candidate(payload: dict[str, Any]) -> dict[str, Any] | None:
    """Candidate 0: the one with index 0, or without index (protobuf leaves zeros out) in the first place."""
    candidates = payload.get("candidates")
    if type(candidates) is list:
        for place, candidate in enumerate(candidates):
            if type(candidate) is dict:
                index = candidate.get("index")
                if (place if type(index) is not int else index) == 0:
                    return candidate
    return None


def parts_of(candidate: dict[str, Any]) -> list[Any]:
    content = candidate.get("content")
    parts = content.get("parts") if type(content) is dict else None
    return parts if type(parts) is list else []


def exact_parts(raw: bytes | None, parts: list[Any]) -> list[Any]:
    """The same parts with every integer exact."""
    if raw is None:
        return parts
    try:
        payload = loads_exact(raw)
    except NotJSON:
        return parts
    return parts_of(first_candidate(payload) or {}) or parts


def word_of(reason: Any, numbers: Mapping[int, str]) -> str | None:
    """An enum value as its word; None where it is absent or unspecified (protobuf's zero: not set)."""
    if type(reason) is int:
        reason = numbers.get(reason, str(reason)) if reason else None
    if type(reason) is not str or not reason or reason.upper().endswith("REASON_UNSPECIFIED"):
        return None
    return reason


def usage_of(counts: Mapping[str, int]) -> Usage | None:
    """Inclusive totals. The tool-use prompt and the thoughts are added, unless the total shows them inside already."""
    if not counts:
        return None
    prompt, tools, candidates, thoughts, cached, total = (counts.get(name) for name in COUNTS)
    received = (prompt or 0) + (tools or 0) if prompt is not None or tools is not None else None
    sent = (candidates or 0) + (thoughts or 0) if candidates is not None or thoughts is not None else None
    if total is not None and received is not None and sent is not None:
        inside_sent = (thoughts or 0) if (thoughts or 0) <= (candidates or 0) else 0
        inside_received = (tools or 0) if (tools or 0) <= (prompt or 0) else 0
        for less_received, less_sent in (
            (0, 0),
            (0, inside_sent),
            (inside_received, 0),
            (inside_received, inside_sent),
        ):
            if received - less_received + sent - less_sent == total:
                received, sent = received - less_received, sent - less_sent
                break
    return Usage(received, sent, cache_read_tokens=cached, reasoning_tokens=thoughts)


def queries_of(candidate: dict[str, Any]) -> list[str]:
    """The searches that the answer rests on. They are billed apart; empty ones are not, and none twice (Gemini API,
    "Grounding with Google Search": pricing; models before Gemini 3 are billed by the prompt)."""
    grounding = candidate.get("groundingMetadata")
    queries = grounding.get("webSearchQueries") if type(grounding) is dict else None
    return [query for query in queries if type(query) is str and query] if type(queries) is list else []


def whole_elements(text: str) -> list[Any]:
    """The elements of a JSON array before the place where it is cut or broken, in linear time."""
    decoder = json.JSONDecoder(parse_constant=_refuse)
    elements: list[Any] = []
    at = text.index("[") + 1
    while True:
        at = _BETWEEN.match(text, at).end()  # type: ignore[union-attr]
        try:
            element, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            return elements
        elements.append(element)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
