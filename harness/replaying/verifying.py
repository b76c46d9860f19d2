"""Compares a live answer with a recorded one, frame by frame. Pure.

Left out is what a provider changes from run to run: ids, times, fingerprints, signatures, padding, keep-alives, and
where the network or the provider cut the text into pieces.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from agent.jsonio import NotJSON, canonical, loads_exact
from agent.sse import SSEDecoder
from harness.differences import shorten, value_differences
from harness.recording.contents import Call
from harness.redaction.placeholders import unnumbered

VOLATILE = frozenset({
    # ids
    "call_id", "generation_id", "id", "item_id", "request_id", "requestId", "responseId", "response_id",
    "tool_call_id", "tool_use_id", "x_request_id",
    # times
    "completed_at", "created", "created_at", "createTime", "updated_at", "completion_time", "prompt_time",
    "queue_time", "timings", "total_time", "total_duration", "load_duration", "eval_duration", "prompt_eval_duration",
    # what only the provider can make or read, and what says nothing
    "encrypted_content", "obfuscation", "sequence_number", "signature", "system_fingerprint", "thoughtSignature",
    "thought_signature",
})  # fmt: skip
"""Fields that are left out at any depth, except inside the arguments of a tool call."""

_ARGUMENTS = frozenset({"args", "arguments", "input"})
_PIECES = frozenset({
    "arguments", "content", "delta", "partial_json", "reasoning", "reasoning_content", "refusal", "text", "thinking",
})  # fmt: skip
"""Fields whose strings are pieces of one text, when frames that are otherwise equal follow one another."""
_CUMULATIVE = frozenset({"usage", "usageMetadata"})
"""Fields of which the last one counts."""


@dataclass(slots=True)
class _Payload:
    """What one frame says, or several that only continue a text; `frame` is the index of the first."""

    frame: int
    value: Any


def difference(recorded: Call, live: Call) -> str | None:
    """The first difference, in one line; None where there is none."""
    if recorded.response is None or live.response is None:
        return _unless(_head(recorded) == _head(live), "the answer", _head(recorded), _head(live))
    if recorded.response.status != live.response.status:
        return _said("status", recorded.response.status, live.response.status)
    types = [_media_type(call) for call in (recorded, live)]
    if types[0] != types[1]:
        return _said("content type", *types)
    found = _frames(_payloads(recorded), _payloads(live))
    if found is None and (recorded.bodies or live.bodies):
        found = _bodies(recorded, live)
    if found is None and recorded.end_record is not None and _whole(recorded) != _whole(live):
        found = _said("the end", _ending(recorded), _ending(live))
    return found


def _head(call: Call) -> str:
    return _ending(call) if call.response is None else f"status {call.response.status}"


def _ending(call: Call) -> str:
    return f"{call.end.error_class}: {call.end.message}" if call.end.kind == "error" else call.end.kind


def _whole(call: Call) -> bool:
    """Whether the answer came to its end. A client may leave after the end mark, or read on."""
    return call.end.kind == "eof" or (call.end.kind == "closed" and call.complete)


def _media_type(call: Call) -> str | None:
    assert call.response is not None
    value = call.response.content_type
    return None if value is None else value.partition(";")[0].strip().lower()


def _bodies(recorded: Call, live: Call) -> str | None:
    one, other = (_parsed(b"".join(part.raw for part in call.bodies)) for call in (recorded, live))
    return _values("body", one, other)


def _frames(recorded: list[_Payload], live: list[_Payload]) -> str | None:
    for index in range(max(len(recorded), len(live))):
        one = recorded[index] if index < len(recorded) else None
        other = live[index] if index < len(live) else None
        if one is None or other is None:
            value = (one or other).value  # type: ignore[union-attr]
            shown = shorten(value, 160)
            return f"the end of the stream: {'recorded' if other is None else 'live'} goes on with {shown}"
        found = _values(f"frame {one.frame}", one.value, other.value)
        if found is not None:
            return found
    return None


def _values(where: str, one: Any, other: Any) -> str | None:
    if isinstance(one, bytes) or isinstance(other, bytes):
        return _unless(one == other, where, one, other)
    found = value_differences(one, other)
    return f"{where}: {found[0].say('live')}" if found else None


def _unless(equal: bool, where: str, one: Any, other: Any) -> str | None:
    return None if equal else _said(where, one, other)


def _said(where: str, one: Any, other: Any) -> str:
    return f"{where}: recorded {shorten(one)}, live {shorten(other)}"


def _payloads(call: Call) -> list[_Payload]:
    """What the frames say, without what is volatile; pieces of a text joined."""
    decoder = SSEDecoder()
    frames = [*decoder.feed(b"".join(part.raw for part in call.frames)), *decoder.flush()]
    found: list[_Payload] = []
    for index, frame in enumerate(frames):
        if frame.data is None:
            continue
        value = _parsed(frame.data)
        if isinstance(value, dict) and value.get("type") == "ping":
            continue
        if found:
            joined = _joined(found[-1].value, value)
            if joined is not None:
                found[-1].value = joined
                continue
        found.append(_Payload(index, value))
    return found


def _parsed(data: bytes) -> Any:
    try:
        return _stable(loads_exact(unnumbered(data)))
    except NotJSON:
        pass
    try:
        return data.strip().decode()
    except UnicodeDecodeError:
        return data


def _stable(value: Any, depth: int = 100) -> Any:
    """The value without its volatile fields."""
    if depth and isinstance(value, dict):
        return {
            name: item if name in _ARGUMENTS and not isinstance(item, list) else _stable(item, depth - 1)
            for name, item in value.items()
            if name not in VOLATILE
        }
    if depth and isinstance(value, list):
        return [_stable(item, depth - 1) for item in value]
    return value


def _joined(one: Any, other: Any) -> Any:
    """Two payloads as one, where the second only continues a text of the first; else None."""
    first: list[str] = []
    second: list[str] = []
    frame = _emptied(one, first)
    if frame is None or not isinstance(other, dict) or canonical(frame) != canonical(_emptied(other, second)):
        return None
    texts = [a + b for a, b in zip(first, second, strict=True)]
    return _filled(other, iter(texts)) if any(second) else None


def _emptied(value: Any, texts: list[str], depth: int = 100, piece: bool = False) -> Any:
    """A payload with its pieces of text taken out, which are appended to `texts`; None for what is no object."""
    if piece and isinstance(value, str):
        texts.append(value)
        return ""
    if depth and isinstance(value, dict):
        return {
            name: _emptied(item, texts, depth - 1, name in _PIECES)
            for name, item in value.items()
            if name not in _CUMULATIVE
        }
    if depth and isinstance(value, list):
        return [_emptied(item, texts, depth - 1) for item in value]
    return value


def _filled(value: Any, texts: Iterable[str], depth: int = 100, piece: bool = False) -> Any:
    """The inverse of `_emptied`: a payload with other pieces of text."""
    if piece and isinstance(value, str):
        return next(iter(texts))
    if depth and isinstance(value, dict):
        return {
            name: item if name in _CUMULATIVE else _filled(item, texts, depth - 1, name in _PIECES)
            for name, item in value.items()
        }
    if depth and isinstance(value, list):
        return [_filled(item, texts, depth - 1) for item in value]
    return value
