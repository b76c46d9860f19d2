"""Whether a call that brought no output and reports no usage can have cost anything. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent.failures import NEVER_CONNECTED, NO_CONNECTION

_AFTER_WORK = frozenset({"truncated_stream", "frame_too_large", "content_blocked", "malformed_tool_call"})
"""Kinds of errors in a response that do not say that the model did nothing."""


def is_refusal(error: Mapping[str, Any], *, complete: bool, stop_reason_raw: str | None) -> bool:
    """Whether a call whose first event was `error` (its JSON form) was refused, or never got through: then nothing is
    billed. `complete` and `stop_reason_raw`: of its closing `usage`.

    A connection that was lost, or waited on in vain, had taken the request. A stop of the provider's own that counts as
    an error (Gemini's, an end mark that says so) is an answer; `response.failed` of Responses is none.
    """
    status = error.get("status")
    if not isinstance(status, int):
        return error.get("hint") in NEVER_CONNECTED or str(error.get("message")).startswith(NO_CONNECTION)
    if status >= 300:
        return True
    return error.get("kind") not in _AFTER_WORK and (not complete or stop_reason_raw == "failed")
