"""What goes into the loop and what comes out of it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import datetime
from decimal import Decimal
from typing import Any, Literal, Protocol, TypeAlias

from agent.events import Event, ToolCall, Usage
from agent.messages import Message, ToolSpec

LoopEventName: TypeAlias = Literal[
    "text", "reasoning", "tool_call", "tool_result", "notice", "finish", "error", "done"
]  # fmt: skip


@dataclass(slots=True)
class LoopEvent:
    """One loop event. `data` by `event`:

    text, reasoning: `{delta}`. tool_call: `{id, name, input}`. tool_result: `{id, name, ok, output}`.
    error: the provider's error event. done: `{}`.
    finish: `{usage, cost_usd, model, stop_reason, iterations}`, once, right before done.
    notice: `{what, ...}`:
        retry `{call, attempt, delay, error}`: call number, number of the coming try (from 1), seconds.
        resume `{iteration}`: a paused answer is sent back to go on.
        trim `{of: "request", results, inputs, units, before, after, fits}` or
        `{of: "result", id, name, before, after}`: sizes in characters.
    """

    event: LoopEventName
    data: dict[str, Any]


@dataclass(slots=True, frozen=True)
class ToolResult:
    """What a tool gave: `ok` is False for an error that the model should read."""

    ok: bool
    output: str


@dataclass(slots=True, frozen=True)
class Limits:
    """The bounds of a turn. `max_repeats`: identical rounds in a row that stop it, 0 = off. Sizes in characters."""

    max_iterations: int = 25
    max_repeats: int = 3
    max_result_chars: int = 20_000
    max_request_chars: int = 200_000
    keep_tail: int = 6
    max_retries: int = 3

    @classmethod
    def for_mode(cls, mode: str) -> Limits:
        return cls(max_iterations=60) if mode == "SWE" else cls()

    def to_dict(self) -> dict[str, int]:
        return asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Limits:
        """The inverse of `to_dict`; unknown keys are left out, missing ones get their default."""
        names = {field.name for field in fields(cls)}
        return cls(**{name: value for name, value in data.items() if name in names})


class CreateStream(Protocol):
    """Starts one call with a provider. Nothing is sent before the first pull, and closing the iterator ends it."""

    def __call__(
        self,
        messages: Sequence[Message],
        tools: Sequence[ToolSpec],
        *,
        model: str,
        system: str | None,
        params: Mapping[str, Any],
        call: int,
        retry_of: int | None,
    ) -> AsyncIterator[Event]: ...


class ExecuteTool(Protocol):
    """Runs the call at `position` of response `call`. Cancelling it must end all that it started."""

    def __call__(self, tool_call: ToolCall, *, call: int, position: int) -> Awaitable[ToolResult]: ...


class Price(Protocol):
    """Dollars of one call, or None where the price is not known. `agent.pricing.price` is one."""

    def __call__(self, usage: Usage, provider: str, model: str, at: datetime | None) -> Decimal | None: ...


@dataclass(slots=True, frozen=True)
class Setup:
    """All that a turn is given, except its history."""

    model: str
    mode: str
    provider: str
    wire: str | None
    create_stream: CreateStream
    execute_tool: ExecuteTool
    system: str | None
    tools: tuple[ToolSpec, ...]
    tool_modes: Mapping[str, Sequence[str]]
    params: Mapping[str, Any]
    limits: Limits
    price: Price | None
    clock: Callable[[], datetime]
    sleep: Callable[[float], Awaitable[None]]
    ids: Callable[[], int]
