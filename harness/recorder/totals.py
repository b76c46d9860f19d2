"""What the `end` record sums up, so that reports need not read the rest."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock
from typing import Any

from agent.events import USAGE_COUNTS, Error, Event, Reasoning, Text, ToolCall, UsageEvent, from_dict
from harness.recording.records import Record


class Totals:
    """Sums over the calls of one recording. `calls` is counted by its owner."""

    def __init__(self) -> None:
        self.calls = 0
        self._usage: dict[str, dict[str, int | None]] = {}
        self._tool_calls: dict[str, int] = {}
        self._errors = 0
        self._lock = Lock()

    def count(self, event: Event) -> None:
        """Add one event of any call."""
        if isinstance(event, Text | Reasoning):
            return
        with self._lock:
            self._count(event)

    def add_recorded(self, records: Iterable[tuple[int, Record]]) -> None:
        """Add the records of a recording that is gone on with; what does not have the form of an event is passed by."""
        for _, record in records:
            if record.get("kind") == "request":
                self.calls += 1
            elif record.get("kind") == "event":
                try:
                    self.count(from_dict(record["event"]))
                except (AttributeError, KeyError, TypeError, ValueError):
                    continue

    def _count(self, event: Event) -> None:
        if isinstance(event, ToolCall):
            self._tool_calls[event.name] = self._tool_calls.get(event.name, 0) + 1
        elif isinstance(event, Error):
            self._errors += 1
        elif isinstance(event, UsageEvent) and event.usage is not None:
            total = self._usage.setdefault(event.model or "", {})
            for name in USAGE_COUNTS:
                value, known = getattr(event.usage, name), total.get(name)
                total[name] = known if value is None else value + (known or 0)

    def to_dict(self) -> dict[str, Any]:
        """`usage` by model (null where no call reported a count), `tool_calls` by name, and the number of errors."""
        return {"usage": self._usage, "tool_calls": self._tool_calls, "errors": self._errors}
