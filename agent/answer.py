"""One call's answer while it streams in: which loop events it gives, whether it is retried, what message it leaves."""

from __future__ import annotations

from agent.events import EOF, Error, Event, Reasoning, StopReason, Text, ToolCall, UsageEvent, to_dict
from agent.failures import truncated_error
from agent.loop_types import LoopEvent
from agent.messages import Message, assistant
from agent.retry import RetryLimits, should_retry

CUT: frozenset[StopReason] = frozenset({"length", "truncated", "error", "cancelled"})
"""Endings after which the answer is not whole: its last reasoning has nothing that follows it."""

RUNS_CALLS: frozenset[StopReason] = frozenset({"stop", "tool_calls", "pause"})


class Answer:
    """Provider events in, loop events out. `attempt` counts the tries of one request from 0."""

    __slots__ = ("_events", "attempt", "call", "closing", "error", "retry", "seen")

    def __init__(self, call: int, attempt: int) -> None:
        self.call = call
        self.attempt = attempt
        self.error: Error | None = None
        self.closing: UsageEvent | None = None
        self.retry = False
        self.seen = False
        self._events: list[Event] = []

    @property
    def any(self) -> bool:
        """Whether the provider sent a piece of an answer, be it one that gives no loop event."""
        return bool(self._events)

    def feed(self, event: Event, max_retries: int) -> LoopEvent | None:
        """Take one event. An error that will be retried gives none; so does opaque data without text."""
        if isinstance(event, (Text, Reasoning)):
            self._events.append(event)
            if not event.text:
                return None
            self.seen = True
            return LoopEvent("text" if isinstance(event, Text) else "reasoning", {"delta": event.text})
        if isinstance(event, ToolCall):
            self._events.append(event)
            self.seen = True
            return LoopEvent("tool_call", {"id": event.id, "name": event.name, "input": event.input})
        if isinstance(event, UsageEvent):
            self.closing = event
            return None
        if self.error is None:
            self.error = event
            self.retry = should_retry(event, self.attempt, self.seen, RetryLimits(retries=max_retries))
        return None if self.retry else LoopEvent("error", to_dict(event))

    def close(self, max_retries: int) -> LoopEvent | None:
        """The stream has ended. Without its closing usage it counts as truncated."""
        if self.closing is not None:
            return None
        self.closing = UsageEvent(None, None, "error" if self.error else "truncated", None, False)
        return None if self.error else self.feed(truncated_error(EOF), max_retries)

    @property
    def stop_reason(self) -> StopReason:
        """How the answer ended; an error never counts as a normal end."""
        if self.error is not None and self.error.kind == "context_overflow":
            return "context_overflow"
        if self.closing is None:
            return "cancelled"
        stop = self.closing.stop_reason
        return "error" if self.error is not None and stop in RUNS_CALLS else stop

    def message(self, wire: str | None) -> Message:
        """The assistant message. The last reasoning of a cut answer is left out.

        Nothing follows it, and providers refuse to take such reasoning back (OpenAI: a reasoning item without the
        item it belongs to; Anthropic: a thinking block at the end of a message).
        """
        message = assistant(self._events, wire)
        parts = message.parts
        if self.stop_reason in CUT or self.error is not None:
            while parts and isinstance(parts[-1], Reasoning):
                parts = parts[:-1]
        return Message("assistant", parts=parts, wire=wire)
