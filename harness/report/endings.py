"""How calls and recordings ended, in one word for programs and in words for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from harness.recording.contents import Call
from harness.report.values import text

CALL_ENDINGS: Mapping[str, str] = {
    "complete": "complete",
    "ended": "ended; of this format nothing tells whether it is whole",
    "http_error": "an HTTP error instead of an answer",
    "stream_error": "an error instead of the rest",
    "truncated": "truncated: it ended without its end mark",
    "reset": "connection lost",
    "timeout": "timed out",
    "cancelled": "cancelled: the client closed it",
    "no_response": "no response",
    "not_closed": "the recording stops inside this call",
}
"""Every word that `call_ending` gives, with what it means."""


def call_ending(call: Call) -> tuple[str, str | None]:
    """The word for a call's ending, and the exception behind it or what came after the end mark."""
    if call.end_record is None:
        return "not_closed", None
    kind = call.end.kind
    exception = _exception(call) if kind == "error" else None
    if call.complete:
        later = "closed by the client" if kind == "closed" else exception
        return "complete", None if later is None else f"then {later}"
    if kind == "closed":
        return "cancelled", None
    if call.response is None:
        return "no_response", exception
    if kind == "error":
        return "timeout" if "timeout" in str(call.end.error_class).lower() else "reset", exception
    errors = [event for event in call.events if event.get("type") == "error"]
    if any(event.get("kind") == "truncated_stream" for event in errors):
        return "truncated", None
    if errors:
        status = call.response.status
        return "http_error" if isinstance(status, int) and status >= 400 else "stream_error", None
    if call.wire is None or not any(event.get("type") == "usage" for event in call.events):
        return "ended", None
    return "truncated", None


def _exception(call: Call) -> str:
    parts = (text(call.end.error_class), text(call.end.message))
    return ": ".join(part for part in parts if part) or "an error without a name"


NOT_CLOSED = "not closed"
"""The ending of a recording whose last record is no `end`: its process died, or is writing still."""


def recording_ending(end: Mapping[str, Any] | None, stop_reason: str | None) -> str:
    """One word: the status of the `end` record, or, where that is ok, why the last turn stopped."""
    if end is None:
        return NOT_CLOSED
    status = text(end.get("status")) or "?"
    return stop_reason if status == "ok" and stop_reason else status
