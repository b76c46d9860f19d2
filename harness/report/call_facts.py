"""One call as plain facts: its figures, and what its events add up to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from harness.recording.contents import Call
from harness.recording.records import Record
from harness.report.endings import call_ending
from harness.report.figures import Usage, usage_of
from harness.report.values import any_text, count, difference, items, mapping, number, text


@dataclass(slots=True)
class CallFacts:
    """Times in seconds: `started` since the recording began, `first_chunk` and `duration` since the request.

    `content`: the events put together, `{type: text|reasoning, text}`,
    `{type: tool_call, id, name, input, unparsed}`, `{type: opaque, what}`.
    `tool_results`: `{position, id, name, ok, output, duration, ended}`, `ended` since the recording began. `errors`:
    `error` events. `frames` and `body_chunks`
    are None where they were not counted.
    """

    call: int
    turn: int | None
    retry_of: int | None
    wire: str | None
    provider: str | None
    model: str | None
    method: str
    url: str
    request_bytes: int | None
    status: int | None
    content_type: str | None
    started: float | None
    first_chunk: float | None
    duration: float | None
    frames: int | None
    body_chunks: int | None
    bytes: int | None
    end: str | None
    ending: str
    ending_detail: str | None
    complete: bool
    answered_by: str | None
    stop_reason: str | None
    stop_reason_raw: str | None
    usage: Usage | None
    iterations: list[Any] | None
    provider_tools: dict[str, int]
    content: list[dict[str, Any]]
    tool_results: list[dict[str, Any]]
    errors: list[dict[str, Any]]
    malformed: int
    unknown: dict[str, int]


def call_facts(call: Call, results: list[Record]) -> CallFacts:
    """`results`: the `tool_result` records of this call."""
    request, end = call.request.record, call.end_record or {}
    parts = [*call.frames, *call.bodies]
    first = (parts[0].cut_t or (parts[0].t,))[0] if parts else None
    started = number(call.started)
    ending, detail = call_ending(call)
    closing: Record = next((event for event in reversed(call.events) if event.get("type") == "usage"), {})
    size = count(end.get("bytes"))
    return CallFacts(
        call=call.number,
        turn=count(call.turn),
        retry_of=count(call.retry_of),
        wire=text(call.wire),
        provider=text(request.get("provider")),
        model=text(request.get("model")) or text(mapping(call.request.body).get("model")),
        method=any_text(call.method),
        url=any_text(call.url),
        request_bytes=count(request.get("size")),
        status=None if call.response is None else count(call.response.status),
        content_type=None if call.response is None else text(call.response.content_type),
        started=started,
        first_chunk=difference(number(first), started),
        duration=difference(number(end.get("t")), started),
        frames=len(call.frames),
        body_chunks=len(call.bodies),
        bytes=sum(len(part.raw) for part in parts) if size is None else size,
        end=None if call.end_record is None else text(call.end.kind),
        ending=ending,
        ending_detail=detail,
        complete=call.complete,
        answered_by=text(closing.get("model")),
        stop_reason=text(closing.get("stop_reason")),
        stop_reason_raw=text(closing.get("stop_reason_raw")),
        usage=usage_of(closing.get("usage")),
        iterations=items(mapping(closing.get("usage")).get("iterations")) or None,
        provider_tools=_counts(mapping(closing.get("usage")).get("provider_tools")),
        content=content(call.events),
        tool_results=[_result(record) for record in results],
        errors=[event for event in call.events if event.get("type") == "error"],
        malformed=count(end.get("malformed")) or 0,
        unknown=_counts(end.get("unknown")),
    )


def _counts(value: Any) -> dict[str, int]:
    return {name: count(number) or 0 for name, number in mapping(value).items()}


def models_of(calls: Iterable[CallFacts]) -> tuple[str, ...]:
    """`provider/model` as providers answered, each once: a model that was only asked has done nothing of this."""
    named = ((call.provider, call.answered_by) for call in calls if call.answered_by)
    return tuple(dict.fromkeys("/".join(filter(None, pair)) for pair in named))


def content(events: list[Record]) -> list[dict[str, Any]]:
    """What the events add up to: pieces of text and of reasoning joined, tool calls, opaque blocks."""
    found: list[dict[str, Any]] = []
    pieces: list[str] = []
    for event in events:
        kind, piece = event.get("type"), any_text(event.get("text"))
        if kind in ("text", "reasoning") and piece:
            if not found or found[-1]["type"] != kind:
                _join(found, pieces)
                found.append({"type": kind, "text": ""})
            pieces.append(piece)
        elif kind == "reasoning" and event.get("opaque") is not None:
            _join(found, pieces)
            found.append({"type": "opaque", "what": _what(event["opaque"])})
        elif kind == "tool_call":
            _join(found, pieces)
            found.append(
                {
                    "type": "tool_call",
                    "id": any_text(event.get("id")),
                    "name": any_text(event.get("name")),
                    "input": event.get("input"),
                    "unparsed": event.get("unparsed") is True,
                }
            )
    _join(found, pieces)
    return found


def answer(facts: CallFacts) -> Iterator[tuple[dict[str, Any] | None, list[dict[str, Any]]]]:
    """The parts of a call's content in order, each tool call with its results; last None, with results of no call."""
    left = list(facts.tool_results)
    position = 0
    for part in facts.content:
        found: list[dict[str, Any]] = []
        if part["type"] == "tool_call":
            found = [result for result in left if result["position"] == position]
            left = [result for result in left if result["position"] != position]
            position += 1
        yield part, found
    if left:
        yield None, left


def _join(found: list[dict[str, Any]], pieces: list[str]) -> None:
    if pieces:
        found[-1]["text"] = "".join(pieces)
        pieces.clear()


def _what(opaque: Any) -> str:
    """A name for a block that only the provider can read: its type, else its first key."""
    block = mapping(opaque)
    return text(block.get("type")) or next(iter(block), type(opaque).__name__)


def _result(record: Record) -> dict[str, Any]:
    return {
        "position": count(record.get("position")),
        "id": any_text(record.get("id")),
        "name": any_text(record.get("name")),
        "ok": record.get("ok") is True,
        "output": any_text(record.get("output")),
        "duration": number(record.get("duration")),
        "ended": number(record.get("t")),
    }
