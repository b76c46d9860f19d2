"""Runs response bodies through a decoder in many cuts, and states what came out in the forms that answers are given in.

`run` decodes one body once, `run_all_ways` whole, in 1, 2, 3 and 7 bytes and at random cuts (and asserts that all
agree). `case_form`, `corpus_form` and `fixture_form` assemble the events of one call for comparison with the handed
cases, the corpus and the project's own fixtures.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from agent.events import EOF, DecodeOptions, End, Error, Event, Reasoning, Text, ToolCall, UsageEvent, to_dict
from agent.providers import adapter
from agent.sse import SSEDecoder

SSE = "text/event-stream"


def chunks(body: bytes, sizes: int | Iterable[int] | None = None) -> Iterator[bytes]:
    """`body` whole (None), in chunks of one size, or in chunks of the given sizes with the rest as the last chunk."""
    if sizes is None:
        yield body
        return
    at = 0
    for size in [sizes] * (len(body) // sizes + 1) if isinstance(sizes, int) else sizes:
        if at < len(body):
            yield body[at : at + size]
        at += size
    if at < len(body):
        yield body[at:]


def random_sizes(body: bytes, seed: int, longest: int = 60) -> list[int]:
    """Chunk sizes that cover `body`, the same for the same seed."""
    source = random.Random(seed)
    sizes: list[int] = []
    total = 0
    while total < len(body):
        sizes.append(source.randint(1, longest))
        total += sizes[-1]
    return sizes


def is_stream(body: bytes, content_type: str | None) -> bool:
    """Whether a body is an event stream: the content type decides, or failing that the first byte."""
    if content_type is not None:
        return content_type.partition(";")[0].strip().lower() == SSE
    return body.lstrip()[:1] not in (b"{", b"[", b"<")


def run(
    wire: str,
    body: bytes,
    sizes: int | Iterable[int] | None = None,
    *,
    status: int = 200,
    content_type: str | None = SSE,
    headers: Sequence[tuple[str, str]] = (),
    options: DecodeOptions = DecodeOptions(),
    end: End = EOF,
    call: int = 0,
) -> list[Event]:
    """All events of one response. An error status is read from the body, as the client reads it."""
    if not 200 <= status < 300:
        from agent.failures import http_error

        return [http_error(status, headers, body), UsageEvent(None, None, "error", None, False)]
    decoder = adapter(wire).decoder(call=call, options=options)
    events: list[Event] = []
    if is_stream(body, content_type):
        frames = SSEDecoder()
        for chunk in chunks(body, sizes):
            for frame in frames.feed(chunk):
                events += decoder.feed(frame)
        for frame in frames.flush():
            events += decoder.feed(frame)
    else:
        events += decoder.parse_body(b"".join(chunks(body, sizes)))
    events += decoder.finish(end)
    return events


def run_all_ways(wire: str, body: bytes, *, every: Sequence[int] = (1, 2, 3, 7), seeds: int = 3, **kind: Any) -> Any:
    """The events of `run`, after asserting that every chunking gives the same ones and that the laws of a call hold."""
    events = run(wire, body, **kind)
    assert_closed(events)
    for sizes in [*every, *(random_sizes(body, seed) for seed in range(seeds))]:
        assert run(wire, body, sizes, **kind) == events, f"other events for chunk sizes {sizes}"
    return events


def assert_closed(events: Sequence[Event]) -> None:
    """Exactly one `usage` closes a call, everything can be written, and made-up ids are unique."""
    assert [type(event) for event in events].count(UsageEvent) == 1
    assert isinstance(events[-1], UsageEvent)
    json.dumps(fixture_form(events), ensure_ascii=False).encode()
    ids = [event.id for event in events if isinstance(event, ToolCall) and event.synthetic_id]
    assert len(set(ids)) == len(ids)


def joined(events: Iterable[Event], kind: type[Text] | type[Reasoning]) -> str:
    """The text of all events of one kind."""
    return "".join(event.text for event in events if isinstance(event, kind))


def tool_calls(events: Iterable[Event]) -> list[ToolCall]:
    return [event for event in events if isinstance(event, ToolCall)]


def error_of(events: Iterable[Event]) -> Error | None:
    """The one error event of a call, if there is one."""
    errors = [event for event in events if isinstance(event, Error)]
    assert len(errors) <= 1, errors
    return errors[0] if errors else None


def closing(events: Sequence[Event]) -> UsageEvent:
    last = events[-1]
    assert isinstance(last, UsageEvent)
    return last


def case_form(events: Sequence[Event]) -> dict[str, Any]:
    """The normal form of the handed cases, without `error` (see `assert_error`)."""
    end = closing(events)
    usage = end.usage
    calls: list[dict[str, Any]] = []
    for call in tool_calls(events):
        shown: dict[str, Any] = {"id": "<synth>" if call.synthetic_id else call.id, "name": call.name}
        shown |= {"_raw": call.input["_raw"]} if call.unparsed else {"input": call.input}
        calls.append(shown)
    return {
        "text": joined(events, Text),
        "reasoning": joined(events, Reasoning),
        "tool_calls": calls,
        "usage": None
        if usage is None
        else {
            "input": usage.input_tokens,
            "cache_read": usage.cache_read_tokens,
            "cache_write": usage.cache_write_tokens,
            "output": usage.output_tokens,
            "reasoning": usage.reasoning_tokens,
        },
        "finish": end.stop_reason if end.complete or end.stop_reason not in ("truncated", "error") else None,
        "finish_raw": end.stop_reason_raw,
        "complete": end.complete,
    }


def assert_error(found: Error | None, expected: dict[str, Any] | None) -> None:
    """Hold an error event against the `error` of a handed case (`message` may stand inside a longer one)."""
    if expected is None or found is None:
        assert found is None
        assert expected is None
        return
    assert (found.kind, found.retryable, found.status) == (
        expected["kind"], expected["retryable"], expected["http_status"],
    )  # fmt: skip
    if expected.get("message"):
        assert expected["message"] in found.message


def corpus_form(events: Sequence[Event]) -> dict[str, Any]:
    """The form of the corpus' `normalized.jsonl`; ids that the provider did not send are null there."""
    end = closing(events)
    usage, error = end.usage, error_of(events)
    names = ("input_tokens", "output_tokens", "cache_read_tokens", "cache_write_tokens", "reasoning_tokens")
    return {
        "text": joined(events, Text),
        "reasoning": joined(events, Reasoning),
        "tool_calls": [
            {"id": None if call.synthetic_id else call.id, "name": call.name, "input": call.input}
            for call in tool_calls(events)
        ],
        "usage": None if usage is None else {name: getattr(usage, name) for name in names},
        "stop_reason": end.stop_reason,
        "complete": end.complete,
        "error_kind": None if error is None else error.kind,
    }


def fixture_form(events: Iterable[Event]) -> list[dict[str, Any]]:
    """The exact events, as the `.expect.json` of a fixture lists them."""
    return [to_dict(event) for event in events]
