"""What the parts of a Responses answer mean: event and item types as data, and readers that take any JSON value.

Source: OpenAI API reference, "The Response object" and "Streaming events" of the Responses API. Servers that follow
it differ in details; every reader here gives nothing, rather than raising, where a value has the wrong type.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agent.events import StopReason, Usage
from agent.jsonio import NotJSON, loads_exact

CALLS = ("function_call", "custom_tool_call")
"""Items that the client must answer; a custom call's `input` is read as arguments."""

OPAQUE_ITEMS = frozenset(
    {
        "apply_patch_call", "apply_patch_call_output", "code_interpreter_call", "compaction", "computer_call",
        "computer_call_output", "file_search_call", "image_generation_call", "local_shell_call",
        "local_shell_call_output", "mcp_approval_request", "mcp_approval_response", "mcp_call", "mcp_list_tools",
        "program", "program_output", "shell_call", "shell_call_output", "tool_search_call", "tool_search_output",
        "web_search_call",
    }
)  # fmt: skip
"""Items that only the provider reads: they are carried whole and go back in their place."""

BILLED_ITEMS = {
    "code_interpreter_call": "code_interpreter",
    "file_search_call": "file_search",
    "image_generation_call": "image_generation",
    "web_search_call": "web_search",
}
"""Uses of OpenAI's own tools that it bills beside the tokens of the response (OpenAI, "Pricing": built-in tools)."""

SILENT_EVENTS = frozenset(
    {
        "keepalive", "response.created", "response.in_progress", "response.queued", "response.content_part.added",
        "response.reasoning_part.added", "response.reasoning_summary_part.added",
        "response.output_text.annotation.added",
    }
)  # fmt: skip
"""Event types that give no event: progress, citations, and announcements whose content follows."""

SILENT_PREFIXES = tuple(f"response.{name}" for name in sorted(OPAQUE_ITEMS))
"""Progress of the provider's own tools (`response.web_search_call.searching`, `response.mcp_call_arguments.delta`)."""

END_WORDS: dict[str, str] = {
    "response.completed": "completed",
    "response.incomplete": "incomplete",
    "response.failed": "failed",
    "response.cancelled": "cancelled",
}
"""The end marks, and the status each one stands for. A cancelled response (background mode) is a failure."""

PENDING = ("queued", "in_progress")
"""Statuses of a response object that is no answer yet."""

INCOMPLETE: dict[str, StopReason] = {"content_filter": "content_filter"}
"""`incomplete_details.reason`; any other reason means that the answer was cut short: `length`."""

CALL_EXTRAS = ("namespace", "caller")
"""Fields of a `function_call` that have to go back with it, beside name, arguments and call id."""


def count(value: Any) -> int | None:
    """A token count, or None for what is none."""
    if type(value) is int:
        return value if value >= 0 else None
    return int(value) if type(value) is float and value.is_integer() and value >= 0 else None


def read_usage(value: Any, known: Usage | None) -> Usage | None:
    """The `usage` object, over what was known before. The wire's totals are inclusive already.

    Where `total_tokens` shows that reasoning was counted outside the output, it is added.
    """
    if not isinstance(value, dict):
        return known
    details_in, details_out = value.get("input_tokens_details"), value.get("output_tokens_details")
    details_in = details_in if isinstance(details_in, dict) else {}
    details_out = details_out if isinstance(details_out, dict) else {}
    tokens_in, tokens_out = count(value.get("input_tokens")), count(value.get("output_tokens"))
    reasoning, total = count(details_out.get("reasoning_tokens")), count(value.get("total_tokens"))
    if reasoning and tokens_in is not None and tokens_out is not None and total == tokens_in + tokens_out + reasoning:
        tokens_out += reasoning
    found = {
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "cache_read_tokens": count(details_in.get("cached_tokens")),
        "cache_write_tokens": count(details_in.get("cache_write_tokens")),
        "reasoning_tokens": reasoning,
    }
    for name, number in found.items():
        if number is not None:
            known = known or Usage()
            setattr(known, name, number)
    return known


def read_end(kind: Any, response: dict[str, Any]) -> tuple[StopReason, str | None]:
    """The stop reason and the provider's own word for an end mark.

    vLLM ends a response that was cut short with `response.completed` too, so the status inside counts there.
    """
    word = END_WORDS.get(kind)
    status = response.get("status")
    if word is None:
        word = status if isinstance(status, str) and status else None
    elif word == "completed" and status in ("incomplete", "failed", "cancelled"):
        word = status
    if word == "incomplete":
        details = response.get("incomplete_details")
        reason = details.get("reason") if isinstance(details, dict) else None
        if isinstance(reason, str) and reason:
            return INCOMPLETE.get(reason, "length"), f"incomplete:{reason}"
        return "length", word
    if word == "failed":
        return "error", word
    return ("cancelled" if word == "cancelled" else "stop"), word


def part_text(part: Any) -> tuple[str, bool]:
    """The text of a content part, and whether it is a refusal."""
    if isinstance(part, dict):
        refusal = part.get("type") == "refusal"
        text = part.get("refusal" if refusal else "text")
        if isinstance(text, str):
            return text, refusal
    return "", False


def content(item: dict[str, Any], field: str = "content") -> list[Any]:
    """The parts of an item; text in place of the list is one part."""
    value = item.get(field)
    if isinstance(value, str):
        return [{"type": "output_text", "text": value}]
    return value if isinstance(value, list) else []


def reasoning_texts(item: dict[str, Any]) -> Iterator[tuple[str, int, str]]:
    """The parts of a reasoning item: `summary` or `content`, the index there, and the text."""
    for field in ("summary", "content"):
        for index, part in enumerate(content(item, field)):
            text, _ = part_text(part)
            if text:
                yield field, index, text


def goes_back(item: dict[str, Any]) -> bool:
    """Whether a reasoning item holds what a later request must send back: its encrypted form, or its full text.

    A summary alone is not read by the models, and an id alone names nothing, as responses are not stored.
    """
    return bool(item.get("encrypted_content")) or any(part_text(part)[0] for part in content(item))


def billed_tool(item: dict[str, Any]) -> str | None:
    """The tool that an item is a billed use of. Of a web search only `search` is: to open a page, or to look for
    something in it, costs nothing but tokens (OpenAI, "Web search": output and citations)."""
    action = item.get("action")
    if isinstance(action, dict) and action.get("type") not in (None, "search"):
        return None
    return BILLED_ITEMS.get(item["type"])


def call_extras(item: dict[str, Any]) -> dict[str, Any] | None:
    """What makes a call go back in its own form: its type where it is no plain function call, and extra fields."""
    extras = {name: item[name] for name in CALL_EXTRAS if item.get(name) is not None}
    if item.get("type") != "function_call":
        extras = {"type": item.get("type"), **extras}
    return extras or None


def item_arguments(item: dict[str, Any]) -> Any:
    """The arguments that a call item holds, as sent; None for other items."""
    kind = item.get("type")
    return item.get("arguments") if kind == "function_call" else item.get("input") if kind in CALLS else None


def blank(arguments: Any) -> bool:
    """Whether there are no arguments yet. `{}` are arguments."""
    return arguments is None or (isinstance(arguments, str) and not arguments.strip())


def exact(payload: dict[str, Any], raw: bytes) -> dict[str, Any]:
    """`payload` once more, with integers over 64 bits kept exact: for values that are carried as they are."""
    try:
        again = loads_exact(raw)
    except NotJSON:
        return payload
    return again if isinstance(again, dict) else payload
