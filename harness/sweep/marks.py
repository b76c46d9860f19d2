"""What each wire format says of itself, told without its adapter: the laws must not ask the code that they judge. Pure.

Sources: the streaming references of the four APIs, as in docs/providers.md.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from agent.events import ErrorKind, ToolCall
from agent.jsonio import NotJSON, loads
from agent.sse import DONE, Frame

Payload = dict[str, Any]


@dataclass(frozen=True)
class Marks:
    """`ends`: a payload holds the provider's own end mark. `done`: so does `[DONE]`.

    `begins`: the calls that a payload begins, by id, or by name where the format knows no ids. `restarts`: it begins
    the answer anew, and what was open is dropped.
    `hands_over`: nothing more can come for a call when this payload has come, be it whole or broken off.
    `failure`: an error in the stream, as this provider frames it.
    """

    ends: Callable[[Payload], bool]
    begins: Callable[[Payload], list[str]]
    hands_over: Callable[[Payload, ToolCall], bool]
    failure: bytes
    done: bool = False
    restarts: Callable[[Payload], bool] = lambda payload: False


STATUSES: dict[int, ErrorKind] = {429: "rate_limit", 500: "provider_error", 529: "overloaded"}
"""The HTTP errors that are put in the place of a call, and what kind of error each is."""


def _objects(value: Any) -> Iterator[Payload]:
    for item in value if isinstance(value, list) else ():
        if isinstance(item, dict):
            yield item


def _chat_ends(payload: Payload) -> bool:
    return any(choice.get("finish_reason") for choice in _objects(payload.get("choices")))


def _responses_ends(payload: Payload) -> bool:
    terminal = ("response.completed", "response.incomplete", "response.failed")
    return payload.get("type") in terminal or payload.get("object") == "response"


def _anthropic_ends(payload: Payload) -> bool:
    return payload.get("type") in ("message_stop", "message")


def _gemini_ends(payload: Payload) -> bool:
    feedback = payload.get("promptFeedback")
    if isinstance(feedback, dict) and feedback.get("blockReason"):
        return True
    return any("finishReason" in candidate for candidate in _objects(payload.get("candidates")))


def _chat_begins(payload: Payload) -> list[str]:
    """An id opens a call, or repeats one. Only choice 0 is read."""
    found: list[str] = []
    for choice in _objects(payload.get("choices")):
        delta = choice.get("delta")
        if not choice.get("index") and isinstance(delta, dict):
            found += [_word(call.get("id")) for call in _objects(delta.get("tool_calls"))]
    return found


def _responses_begins(payload: Payload) -> list[str]:
    item = payload.get("item")
    if payload.get("type") != "response.output_item.added" or not isinstance(item, dict):
        return []
    return [_word(item.get("call_id"))] if item.get("type") in ("function_call", "custom_tool_call") else []


def _anthropic_begins(payload: Payload) -> list[str]:
    block = payload.get("content_block")
    if payload.get("type") != "content_block_start" or not isinstance(block, dict):
        return []
    return [_word(block.get("id"))] if block.get("type") == "tool_use" else []


def _gemini_begins(payload: Payload) -> list[str]:
    return [_word(call.get("id")) or _word(call.get("name")) for call in _gemini_calls(payload)]


def _gemini_calls(payload: Payload) -> list[Payload]:
    """The function calls of candidate 0."""
    return [
        part["functionCall"]
        for candidate in _objects(payload.get("candidates"))
        if not candidate.get("index") and isinstance(candidate.get("content"), dict)
        for part in _objects(candidate["content"].get("parts"))
        if isinstance(part.get("functionCall"), dict)
    ]


def _word(value: Any) -> str:
    return value if isinstance(value, str) and value != "null" else ""


def _responses_hands_over(payload: Payload, call: ToolCall) -> bool:
    kind = payload.get("type")
    return _responses_ends(payload) or (isinstance(kind, str) and kind.endswith(".done"))


def _anthropic_hands_over(payload: Payload, call: ToolCall) -> bool:
    """At the block's stop; a message that begins whole holds its blocks, and a block may be pushed out by the next."""
    kinds = ("content_block_stop", "message_stop", "message", "message_start", "content_block_start")
    return payload.get("type") in kinds


def _gemini_hands_over(payload: Payload, call: ToolCall) -> bool:
    """With its part, but for one that says that it goes on; that one is over when another call begins."""
    return _gemini_ends(payload) or any(
        part.get("willContinue") is not True
        or (part.get("name") or call.name, part.get("id") or call.id) != (call.name, call.id)
        for part in _gemini_calls(payload)
    )


def _data(payload: Payload, event: str = "") -> bytes:
    return (f"event: {event}\n" if event else "").encode() + b"data: " + json.dumps(payload).encode() + b"\n\n"


_TEXT = "The server had an error while processing the request"

MARKS: dict[str, Marks] = {
    "openai-chat": Marks(
        _chat_ends,
        _chat_begins,
        lambda payload, call: False,  # only at [DONE]: fragments follow `finish_reason`
        _data({"error": {"message": _TEXT, "type": "server_error", "code": None, "param": None}}),
        done=True,
    ),
    "openai-responses": Marks(
        _responses_ends,
        _responses_begins,
        _responses_hands_over,
        _data({"type": "error", "code": "server_error", "message": _TEXT, "param": None}, "error"),
    ),
    "anthropic": Marks(
        _anthropic_ends,
        _anthropic_begins,
        _anthropic_hands_over,
        _data({"type": "error", "error": {"type": "api_error", "message": _TEXT}}, "error"),
        restarts=lambda payload: payload.get("type") == "message_start",
    ),
    "gemini": Marks(
        _gemini_ends,
        _gemini_begins,
        _gemini_hands_over,
        _data({"error": {"code": 500, "message": _TEXT, "status": "INTERNAL"}}),
    ),
}


def is_end_mark(wire: str, frame: Frame) -> bool:
    """Whether a frame holds the provider's own end mark."""
    return (_is_done(frame) and MARKS[wire].done) or _any(frame.data, MARKS[wire].ends)


def begun(wire: str, frames: Iterable[Frame]) -> Iterator[tuple[str, int, int]]:
    """Each call that has begun: its id, or else its name; the frame it began in; how many frames do not drop it again.

    Whatever comes after `[DONE]` where that is an end mark is not read.
    """
    open_since: list[tuple[str, int]] = []
    for number, frame in enumerate(frames):
        if _is_done(frame) and MARKS[wire].done:
            break
        payload = _payload(frame.data)
        if payload is None:
            continue
        if MARKS[wire].restarts(payload):
            yield from ((name, first, number) for name, first in open_since)
            open_since = []
        open_since += [(name, number) for name in MARKS[wire].begins(payload) if name]
    yield from ((name, first, sys.maxsize) for name, first in open_since)


def hands_over(wire: str, frame: Frame, call: ToolCall) -> bool:
    """Whether a call may be handed over at a frame."""
    if _is_done(frame):
        return MARKS[wire].done
    return _any(frame.data, lambda payload: MARKS[wire].hands_over(payload, call))


def body_ends(wire: str, body: bytes) -> bool:
    """Whether a body that may have been cut holds the end mark in what is whole of it."""
    text = body.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    if not text.startswith("["):
        return _any(text.encode(), MARKS[wire].ends)
    decoder, at = json.JSONDecoder(), 1
    try:
        while at < len(text):
            rest = text[at:].lstrip(" \t\r\n,")
            value, size = decoder.raw_decode(rest)
            at = len(text) - len(rest) + size
            if isinstance(value, dict) and MARKS[wire].ends(value):
                return True
    except (ValueError, RecursionError):
        pass
    return False


def _is_done(frame: Frame) -> bool:
    return frame.data is not None and frame.data.strip() == DONE


def _any(data: bytes | None, holds: Callable[[Payload], bool]) -> bool:
    payload = _payload(data)
    return payload is not None and holds(payload)


def _payload(data: bytes | None) -> Payload | None:
    if data is None:
        return None
    try:
        payload = loads(data)
    except NotJSON:
        return None
    return payload if isinstance(payload, dict) else None
