"""The laws of a cut stream, for every fixture and every corpus stream of the four formats.

A stream is cut at each frame border and at a sample of bytes, and ends there as a clean end, a broken connection or a
close by the client. Then: nothing raises; exactly one `usage` closes the call; the events of `feed` are a prefix of
those of the full run; `finish` adds only held-back text, open calls (unparsed, or as they are in the full run), one
error and one usage; a cut run is complete only where the end mark stood before the cut.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from agent.events import EOF, DecodeOptions, End, Error, Event, Reasoning, Text, ToolCall, UsageEvent
from agent.jsonio import NotJSON, loads
from agent.providers import WIRES, adapter
from agent.sse import Frame, SSEDecoder
from tests.agent.providers.streams import assert_closed, is_stream, joined, tool_calls
from tests.agent.providers.test_corpus import ANSWERS, CORPUS, INDEX
from tests.agent.providers.test_fixtures import STREAMS, expectation
from tests.shared import needs_shared

ENDINGS = (EOF, End("error", "ReadError", "connection reset"), End("closed"))
BYTE_CUTS = 24


@dataclass
class Run:
    """What one run gave: the events of `feed`, those of `finish`, and whether its frames held the end mark."""

    fed: list[Event]
    finished: list[Event]
    marked: bool

    @property
    def events(self) -> list[Event]:
        return self.fed + self.finished


def choice_ended(payload: dict[str, Any]) -> bool:
    choices = payload.get("choices")
    return isinstance(choices, list) and any(isinstance(c, dict) and c.get("finish_reason") for c in choices)


def candidate_ended(payload: dict[str, Any]) -> bool:
    feedback, candidates = payload.get("promptFeedback"), payload.get("candidates")
    if isinstance(feedback, dict) and feedback.get("blockReason"):
        return True
    return isinstance(candidates, list) and any(isinstance(c, dict) and "finishReason" in c for c in candidates)


END_MARKS: dict[str, Callable[[dict[str, Any]], bool]] = {
    "openai-chat": choice_ended,
    "openai-responses": lambda payload: (
        payload.get("type") in ("response.completed", "response.incomplete", "response.failed")
        or payload.get("object") == "response"
    ),
    "anthropic": lambda payload: payload.get("type") in ("message_stop", "message"),
    "gemini": candidate_ended,
}


def is_end_mark(wire: str, frame: Frame) -> bool:
    """Whether a frame holds the provider's own end mark, told without the decoder."""
    if frame.data is None:
        return False
    if frame.data.strip() == b"[DONE]":
        return wire == "openai-chat"
    try:
        payload = loads(frame.data)
    except NotJSON:
        return False
    return isinstance(payload, dict) and END_MARKS[wire](payload)


def run_frames(wire: str, body: bytes, end: End, options: DecodeOptions) -> Run:
    frames = SSEDecoder()
    decoder = adapter(wire).decoder(options=options)
    fed: list[Event] = []
    marked = False
    for frame in [*frames.feed(body), *frames.flush()]:
        marked = marked or is_end_mark(wire, frame)
        fed += decoder.feed(frame)
    return Run(fed, decoder.finish(end), marked)


def check_call(call: ToolCall, full: Run) -> None:
    """A call that `finish` handed over: unparsed (it was still open), or as a call of the full run."""
    if call.unparsed:
        assert set(call.input) == {"_raw"}
        return
    assert any(
        (other.name, other.input) == (call.name, call.input) and (call.synthetic_id or other.id == call.id)
        for other in tool_calls(full.events)
    ), f"{call} is not in the full run"


def check_cut(cut: Run, full: Run, end: End, options: DecodeOptions) -> None:
    assert_closed(cut.events)
    assert cut.fed == full.fed[: len(cut.fed)]
    *rest, closing = cut.finished
    assert isinstance(closing, UsageEvent)
    errors = [event for event in cut.events if isinstance(event, Error)]
    assert len(errors) <= 1
    for event in rest:
        assert isinstance(event, Text | Reasoning | ToolCall | Error)
        if isinstance(event, ToolCall):
            check_call(event, full)
        elif isinstance(event, Text | Reasoning) and event.opaque is not None:
            assert event in full.events
    if not options.think_tags:  # with the option, half a tag is text where the stream is cut inside it
        for kind in (Text, Reasoning):
            assert joined(full.events, kind).startswith(joined(cut.events, kind).rstrip("\ufffd"))
    if closing.complete:
        assert cut.marked
        assert closing.stop_reason not in ("truncated", "cancelled")
    elif not any(isinstance(event, Error) for event in cut.fed):
        assert closing.stop_reason == ("cancelled" if end.kind == "closed" else "truncated")
        assert [error.kind for error in errors] == ([] if end.kind == "closed" else ["truncated_stream"])


def check_borders(wire: str, body: bytes, full: Run, options: DecodeOptions) -> None:
    """Cut at every frame border, in turn with each ending where there are many: a copy of the decoder is finished."""
    frames = SSEDecoder()
    decoder = adapter(wire).decoder(options=options)
    fed: list[Event] = []
    marked = False
    borders = [None, *frames.feed(body)]
    for number, frame in enumerate(borders):
        if frame is not None:
            marked = marked or is_end_mark(wire, frame)
            fed += decoder.feed(frame)
        for end in ENDINGS if len(borders) < 100 else [ENDINGS[number % 3]]:
            check_cut(Run(fed, copy.deepcopy(decoder).finish(end), marked), full, end, options)


def check_stream(wire: str, body: bytes, options: DecodeOptions = DecodeOptions()) -> None:
    full = run_frames(wire, body, EOF, options)
    check_borders(wire, body, full, options)
    source = random.Random(len(body))
    for number in range(BYTE_CUTS):
        end = ENDINGS[number % len(ENDINGS)]
        cut = run_frames(wire, body[: source.randrange(len(body) + 1)], end, options)
        check_cut(cut, full, end, options)


def check_body(wire: str, body: bytes) -> None:
    """A plain body that is cut is no JSON any more: nothing comes of it, or of its first whole part."""
    source = random.Random(len(body))
    for number in range(BYTE_CUTS):
        end = ENDINGS[number % len(ENDINGS)]
        part = body[: source.randrange(len(body))]
        decoder = adapter(wire).decoder()
        events = decoder.parse_body(part)
        finished = decoder.finish(end)
        assert_closed(events + finished)
        closing = finished[-1]
        assert isinstance(closing, UsageEvent)
        if part.rstrip() != body.rstrip():
            assert not closing.complete


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_fixture(path: Path) -> None:
    expect = expectation(path)
    if expect["status"] != 200:
        pytest.skip("an HTTP error is read whole")
    if is_stream(path.read_bytes(), expect["content_type"]):
        check_stream(expect["wire"], path.read_bytes(), DecodeOptions.from_dict(expect.get("options", {})))
    else:
        check_body(expect["wire"], path.read_bytes())


@needs_shared
@pytest.mark.parametrize(
    "answer",
    [answer for answer in ANSWERS if INDEX[answer["id"]]["http_status"] == 200],
    ids=lambda answer: answer["id"],
)
def test_corpus(answer: dict[str, Any]) -> None:
    row = INDEX[answer["id"]]
    body = (CORPUS / "cases" / row["body_file"]).read_bytes()
    if is_stream(body, row["content_type"]):
        check_stream(row["wire_format"], body)
    else:
        check_body(row["wire_format"], body)


def test_every_wire_has_an_end_mark() -> None:
    assert set(END_MARKS) == set(WIRES)
