"""What is said of recordings, turns and calls in words, the same on a terminal and on a page."""

from __future__ import annotations

from typing import Any

from agent.front_ends.human import STOPS
from agent.jsonio import dumps
from agent.notices import describe
from harness.report.call_facts import CallFacts
from harness.report.endings import CALL_ENDINGS, NOT_CLOSED
from harness.report.facts import RecordingFacts, Totals, TurnFacts
from harness.report.figures import plural, seconds
from harness.report.values import any_text, count, text

GOOD_ENDINGS = ("complete", "ended")
"""The endings of a call (`CallFacts.ending`) that are no fault."""


def recorded(facts: RecordingFacts) -> str:
    """When it was recorded, and by what."""
    when = (facts.started_at or "at an unknown time").replace("T", " ").replace("Z", " UTC")
    return f"{when} by {facts.by or 'an unknown program'}"


def model_of(turn: TurnFacts) -> str:
    """The model that a turn asked, and where."""
    return f"{turn.provider}/{turn.model}" + (f" at {turn.base_url}" if turn.base_url else "")


def notice(data: dict[str, Any]) -> str:
    """The data of a `notice` loop event."""
    try:
        return describe(data)
    except (KeyError, TypeError, ValueError):
        return dumps(data).decode()


def error_line(error: dict[str, Any]) -> str:
    """The message of an `error` event, and its kind; its hint stands apart."""
    return f"{any_text(error.get('message'))} [{text(error.get('kind')) or '?'}]"


def finish(turn: TurnFacts) -> str:
    """Why a turn stopped, and after how many iterations."""
    reason = turn.stop_reason or "?"
    meaning = f" ({STOPS[reason]})" if reason in STOPS else ""
    return f"{reason}{meaning} after {plural(turn.iterations, 'iteration')}"


def cancelled(data: dict[str, Any]) -> str:
    """The data of a `cancelled` loop event."""
    return f"the reader left after {plural(count(data.get('events')), 'loop event')}"


def ending(facts: RecordingFacts) -> str:
    """How a recording ended."""
    if facts.ending == NOT_CLOSED:
        return f"{facts.ending} (its process died, or is writing still)"
    if facts.status == "ok" and facts.ending != "ok":
        return f"ok (stop reason: {facts.ending})"
    return facts.ending


def work(totals: Totals) -> str:
    """Calls, turns, tool calls and errors of a recording."""
    parts = [
        plural(totals.calls, "call") + (f" ({plural(totals.retries, 'retry', 'retries')})" if totals.retries else "")
    ]
    parts.append(f"in {plural(totals.turns, 'turn')}")
    tools = sum(totals.tool_calls.values())
    failed = f" ({totals.failed_tools:,} failed)" if totals.failed_tools else ""
    return f"{' '.join(parts)}, {plural(tools, 'tool call')}{failed}, {plural(totals.errors, 'error')}"


def tools_used(totals: Totals) -> str:
    """The tools that were called, each with how often."""
    return ", ".join(f"{name} {times:,}" for name, times in totals.tool_calls.items())


def response(facts: CallFacts) -> list[str]:
    """How the response of a call went: status, ending, times, size."""
    detail = f" ({facts.ending_detail})" if facts.ending_detail else ""
    parts = [] if facts.status is None else [str(facts.status)]
    parts.append(CALL_ENDINGS[facts.ending] + detail)
    if facts.first_chunk is not None:
        parts.append(f"first chunk after {seconds(facts.first_chunk)}")
    if facts.duration is not None:
        parts.append(f"{seconds(facts.duration)} in all")
    if facts.status is not None:
        held = [plural(facts.frames, "frame")] if facts.frames else []
        held += [plural(facts.body_chunks, "chunk")] if facts.body_chunks else []
        parts.append(f"{' and '.join(held) or 'no body'}, {plural(facts.bytes, 'byte')}" if held else "no body")
    return parts


def stopped(facts: CallFacts) -> str:
    """Why a call stopped, with the provider's own word where that is another."""
    raw = facts.stop_reason_raw
    return (facts.stop_reason or "?") + (f" ({raw})" if raw not in (None, facts.stop_reason) else "")


def skipped(facts: CallFacts) -> str:
    """Payloads of a call that gave no event; empty where there were none."""
    parts = [f"{times:,} of the unknown type {name}" for name, times in facts.unknown.items()]
    if facts.malformed:
        parts.append(plural(facts.malformed, "payload that is no JSON object", "payloads that are no JSON objects"))
    return ", ".join(parts)


def opaque(part: dict[str, Any]) -> str:
    """A block of an answer that only the provider can read."""
    return f"{part['what']}: kept for the provider, not readable"


def result(found: dict[str, Any]) -> str:
    """How a tool went, without its output."""
    return f"{found['name']} {'ok' if found['ok'] else 'failed'} in {seconds(found['duration'])}"


NO_OUTPUT = "no output"
BROKEN_ARGUMENTS = "[its arguments are no JSON object]"
UNKNOWN_FORMAT = "unknown, so there are no events"
