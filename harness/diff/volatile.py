"""What differs from run to run and never counts: shown on request, to see that nothing else is behind a difference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from os import PathLike
from typing import Any

from agent.jsonio import NotJSON, loads
from agent.sse import SSEDecoder
from harness.diff.compare import Change
from harness.differences import MISSING, Difference
from harness.recording.contents import Call
from harness.recording.opening import open as open_recording
from harness.report.values import difference, mapping, number

NAMES = {
    "id": "id", "responseId": "id", "created": "created", "created_at": "created", "createTime": "created",
    "system_fingerprint": "system_fingerprint", "service_tier": "service_tier",
}  # fmt: skip
"""Fields of payloads, at their top or in `response` or `message`, and what they are called here."""


def volatile_differences(
    one: str | PathLike[str], other: str | PathLike[str], changes: Sequence[Change]
) -> list[Difference]:
    """Of the two recordings, and of each two calls that have a pair of steps in common. Raises `RecordingError`.

    Paths are `header.id`, `header.started_at`, and `call[0].NAME` by the number in the first recording.
    """
    left, right = open_recording(one), open_recording(other)
    found = [
        Difference(f"header.{name}", *pair)
        for name in ("id", "started_at")
        if (pair := tuple(mapping(item.header).get(name, MISSING) for item in (left, right)))[0] != pair[1]
    ]
    calls = {call.number: call for call in left.calls}, {call.number: call for call in right.calls}
    for i, j in _pairs(changes):
        if i in calls[0] and j in calls[1]:
            found += call_differences(calls[0][i], calls[1][j])
    return found


def _pairs(changes: Sequence[Change]) -> dict[tuple[int, int], None]:
    """The calls that belong together, each in one pair, in order."""
    found: dict[tuple[int, int], None] = {}
    seen: tuple[set[int], set[int]] = (set(), set())
    for change in changes:
        i = None if change.one is None else change.one.call
        j = None if change.other is None else change.other.call
        if i is not None and j is not None and i not in seen[0] and j not in seen[1]:
            found[i, j] = None
            seen[0].add(i)
            seen[1].add(j)
    return found


def call_differences(one: Call, other: Call) -> list[Difference]:
    """What of two calls differs, by name, in a fixed order."""
    left, right = _fields(one), _fields(other)
    return [
        Difference(f"call[{one.number}].{name}", left.get(name, MISSING), right.get(name, MISSING))
        for name in dict.fromkeys([*left, *right])
        if left.get(name, MISSING) != right.get(name, MISSING)
    ]


def _fields(call: Call) -> dict[str, Any]:
    found: dict[str, Any] = {}
    ids = [event.get("id") for event in call.events if event.get("type") == "tool_call"]
    if ids:
        found["tool_id"] = ids
    for payload in _payloads(call):
        for holder in (payload, mapping(payload.get("response")), mapping(payload.get("message"))):
            for name, value in holder.items():
                if name in NAMES and isinstance(value, str | int | float):
                    found.setdefault(NAMES[name], value)
    for name, value in call.response.headers if call.response is not None else ():
        if name.lower().endswith("request-id"):
            found["request_id"] = value
    ended = None if call.end_record is None else number(call.end_record.get("t"))
    seconds = difference(ended, number(call.started))
    if seconds is not None:
        found["latency_ms"] = round(seconds * 1000, 3)
    found["chunking"] = [len(chunk) for chunk in call.chunks()]
    return found


def _payloads(call: Call) -> Iterator[dict[str, Any]]:
    """The JSON objects of a response: of its events, or its body."""
    decoder = SSEDecoder()
    frames = [*(frame for part in call.frames for frame in decoder.feed(part.raw)), *decoder.flush()]
    for data in (*(frame.data for frame in frames), b"".join(part.raw for part in call.bodies)):
        try:
            yield mapping(loads(data or b""))
        except NotJSON:
            continue
