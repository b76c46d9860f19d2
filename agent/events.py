"""The five normalized events of the provider layer, and how a response ended.

Events are slotted dataclasses, treated as immutable once made (freezing them costs more than making them).
`to_dict` gives the JSON form that recordings and `harness decode` show; `from_dict` is its inverse.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

StopReason: TypeAlias = Literal[
    "stop", "tool_calls", "length", "content_filter", "refusal", "pause", "error", "truncated", "cancelled",
    "max_iterations", "repeated_call", "context_overflow",
]  # fmt: skip

ErrorKind: TypeAlias = Literal[
    "auth", "billing", "not_found", "timeout", "context_overflow", "rate_limit", "invalid_request", "bad_gateway",
    "overloaded", "provider_error", "network", "truncated_stream", "content_blocked", "malformed_tool_call",
    "frame_too_large",
]  # fmt: skip


@dataclass(slots=True)
class Text:
    """A piece of the answer. `opaque` is provider data that must go back with it (a Gemini thought signature)."""

    text: str
    opaque: Any = None


@dataclass(slots=True)
class Reasoning:
    """A piece of reasoning; with empty text and `opaque`, a block that only the provider can read."""

    text: str
    opaque: Any = None


@dataclass(slots=True)
class ToolCall:
    """A whole tool call. Where the arguments were no JSON object, `unparsed` is set, `input` is `{"_raw": "..."}`."""

    id: str
    name: str
    input: dict[str, Any]
    unparsed: bool = False
    synthetic_id: bool = False
    opaque: Any = None


@dataclass(slots=True)
class Usage:
    """Token counts of one call. Input and output are inclusive totals, the rest are parts of them; None is unknown."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    cache_write_1h_tokens: int | None = None
    reasoning_tokens: int | None = None
    iterations: list[Any] | None = None
    """Anthropic's `usage.iterations` as sent, for pricing; absent elsewhere."""
    provider_tools: dict[str, int] | None = None
    """Uses of the provider's own tools that it bills beside the tokens, by tool (`web_search`); absent without any."""


@dataclass(slots=True)
class UsageEvent:
    """Closes every call, exactly once. `complete`: the provider's own end mark was seen."""

    usage: Usage | None
    model: str | None
    stop_reason: StopReason
    stop_reason_raw: str | None
    complete: bool


@dataclass(slots=True)
class Error:
    """A provider failure. `status`: of HTTP (200 in a stream, None before a response); `retry_after`: seconds."""

    message: str
    kind: ErrorKind
    retryable: bool
    hint: str | None = None
    status: int | None = None
    retry_after: float | None = None


Event: TypeAlias = Text | Reasoning | ToolCall | UsageEvent | Error
Part: TypeAlias = Text | Reasoning | ToolCall
"""What an assistant message is made of."""


@dataclass(slots=True, frozen=True)
class End:
    """How the bytes of a response ended: `eof`, `closed` (by the client) or `error` with the exception's class name."""

    kind: Literal["eof", "closed", "error"] = "eof"
    error_class: str | None = None
    message: str = ""


EOF = End()


@dataclass(slots=True, frozen=True)
class DecodeOptions:
    """Options of a response's decoder; they stand in the `request` record so that a replay decodes the same way.

    `think_tags`: split a leading `<think>...</think>` off the text as reasoning.
    `key_variable`: the environment variable that the hint of an `auth` error names.
    """

    think_tags: bool = False
    key_variable: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """The options that are not at their default."""
        data: dict[str, Any] = {"think_tags": True} if self.think_tags else {}
        if self.key_variable is not None:
            data["key_variable"] = self.key_variable
        return data

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> DecodeOptions:
        return cls(bool(data.get("think_tags", False)), data.get("key_variable"))


USAGE_COUNTS = (
    "input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "cache_write_1h_tokens",
    "reasoning_tokens",
)  # fmt: skip


def usage_to_dict(usage: Usage) -> dict[str, Any]:
    """All counts, null where unknown; `iterations` and `provider_tools` only where there are some."""
    data: dict[str, Any] = {name: getattr(usage, name) for name in USAGE_COUNTS}
    if usage.iterations is not None:
        data["iterations"] = usage.iterations
    if usage.provider_tools:
        data["provider_tools"] = usage.provider_tools
    return data


def usage_from_dict(data: dict[str, Any]) -> Usage:
    return Usage(**{name: data.get(name) for name in (*USAGE_COUNTS, "iterations", "provider_tools")})


def to_dict(event: Event) -> dict[str, Any]:
    """The JSON form of an event; optional fields stand only where they say something."""
    if type(event) is Text:
        if event.opaque is None:
            return {"type": "text", "text": event.text}
        return {"type": "text", "text": event.text, "opaque": event.opaque}
    if type(event) is Reasoning:
        if event.opaque is None:
            return {"type": "reasoning", "text": event.text}
        return {"type": "reasoning", "text": event.text, "opaque": event.opaque}
    data: dict[str, Any]
    if isinstance(event, ToolCall):
        data = {"type": "tool_call", "id": event.id, "name": event.name, "input": event.input}
        if event.unparsed:
            data["unparsed"] = True
        if event.synthetic_id:
            data["synthetic_id"] = True
        if event.opaque is not None:
            data["opaque"] = event.opaque
        return data
    if isinstance(event, UsageEvent):
        return {
            "type": "usage",
            "usage": None if event.usage is None else usage_to_dict(event.usage),
            "model": event.model,
            "stop_reason": event.stop_reason,
            "stop_reason_raw": event.stop_reason_raw,
            "complete": event.complete,
        }
    assert isinstance(event, Error)
    data = {"type": "error", "message": event.message, "kind": event.kind, "retryable": event.retryable}
    for name in ("hint", "status", "retry_after"):
        value = getattr(event, name)
        if value is not None:
            data[name] = value
    return data


def from_dict(data: dict[str, Any]) -> Event:
    """The event a JSON form stands for. Raises `KeyError` for a missing field, `ValueError` for an unknown type."""
    kind = data.get("type")
    if kind == "text":
        return Text(data["text"], data.get("opaque"))
    if kind == "reasoning":
        return Reasoning(data["text"], data.get("opaque"))
    if kind == "tool_call":
        return ToolCall(
            data["id"], data["name"], data["input"],
            bool(data.get("unparsed")), bool(data.get("synthetic_id")), data.get("opaque"),
        )  # fmt: skip
    if kind == "usage":
        usage = data["usage"]
        return UsageEvent(
            None if usage is None else usage_from_dict(usage),
            data["model"], data["stop_reason"], data["stop_reason_raw"], data["complete"],
        )  # fmt: skip
    if kind == "error":
        return Error(
            data["message"], data["kind"], data["retryable"],
            data.get("hint"), data.get("status"), data.get("retry_after"),
        )  # fmt: skip
    raise ValueError(f"unknown event type {kind!r}")
