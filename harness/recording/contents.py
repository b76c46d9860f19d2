"""What a recording holds, put together from its records: turns, calls, and a call's bytes as they came."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, field
from typing import Any

from agent.events import End, Event, Text, from_dict
from agent.jsonio import dumps
from harness.recording.cuts import timed_chunks
from harness.recording.headers import header_value
from harness.recording.records import Record

Headers = list[tuple[str, str]]

STOPPED = End("error", "ReadError", "the recording stops here: its process died")
"""The end of a call whose `call_end` is missing."""


@dataclass(slots=True)
class Request:
    """A request as it was recorded; `record` has the rest of its fields.

    `body`: the JSON value, with what is taken from earlier calls; bytes where it is kept as such; None where it could
    not be put together (the recording's warnings say why). Values are shared between calls: do not change them.
    """

    method: str
    url: str
    headers: Headers
    body: Any
    record: Record = field(repr=False)

    def content(self) -> bytes:
        """The body as bytes: JSON where it was JSON, written compactly."""
        return self.body if isinstance(self.body, bytes) else dumps(self.body)


@dataclass(slots=True)
class Response:
    """Status and kept headers of an answer. `encoding`: the content coding that was undone before recording."""

    status: int
    headers: Headers
    encoding: str | None = None

    @property
    def content_type(self) -> str | None:
        return header_value(self.headers, "content-type")


@dataclass(slots=True)
class Part:
    """The bytes of a `frame` or `body` record; `t` in seconds since the recording began, `cuts` as in the format."""

    raw: bytes
    i: int
    t: float
    cuts: list[int] | None = None
    cut_t: tuple[float, ...] = ()
    unterminated: bool = False


@dataclass(slots=True)
class Call:
    """One HTTP try. `response` is None where none came."""

    number: int
    request: Request
    started: float
    """When the request was sent, in seconds since the recording began."""
    response: Response | None = None
    responded: float | None = None
    """When the head of the response came."""
    frames: list[Part] = field(default_factory=list, repr=False)
    bodies: list[Part] = field(default_factory=list, repr=False)
    """Chunks of a response that is no event stream, or of its rest after a frame that was too large."""
    event_records: list[Record] = field(default_factory=list, repr=False)
    end: End = STOPPED
    end_record: Record | None = field(default=None, repr=False)
    """None where the process died before the call ended."""

    @property
    def method(self) -> str:
        return self.request.method

    @property
    def url(self) -> str:
        return self.request.url

    @property
    def turn(self) -> int | None:
        return self.request.record.get("turn")

    @property
    def retry_of(self) -> int | None:
        return self.request.record.get("retry_of")

    @property
    def wire(self) -> str | None:
        return self.request.record.get("wire")

    @property
    def decode(self) -> dict[str, Any]:
        """Options of the decoder."""
        return self.request.record.get("decode") or {}

    @property
    def events(self) -> list[dict[str, Any]]:
        """The normalized events, in order."""
        return [record["event"] for record in self.event_records]

    @property
    def typed_events(self) -> list[Event]:
        """The same as objects of `agent.events`; what does not have the form of an event is left out."""
        found = []
        for event in self.events:
            with contextlib.suppress(AttributeError, KeyError, TypeError, ValueError):
                found.append(from_dict(event))
        return found

    @property
    def text(self) -> str:
        """The answer's text, whole."""
        return "".join(str(event.text) for event in self.typed_events if isinstance(event, Text))

    @property
    def complete(self) -> bool:
        """The provider's own end mark was seen."""
        return any(event.get("complete") is True for event in self.events if event.get("type") == "usage")

    def content(self) -> bytes:
        """The request body as bytes."""
        return self.request.content()

    def body(self) -> bytes:
        """The response body: exactly the bytes that came, where nothing was redacted."""
        return b"".join(part.raw for part in (*self.frames, *self.bodies))

    def chunks(self) -> list[bytes]:
        """The response body as network reads gave it."""
        return [chunk for _, chunk in self.timed_chunks()]

    def timed_chunks(self) -> list[tuple[float, bytes]]:
        """The chunks, each with the time it came in seconds since the recording began."""
        return timed_chunks((part.raw, part.cuts, part.cut_t, part.t) for part in (*self.frames, *self.bodies))


@dataclass(slots=True)
class Turn:
    """One turn of the agent loop: what it was given (the fields of its record), and what came of it."""

    number: int
    record: Record = field(repr=False)
    input: str
    history: list[dict[str, Any]]
    mode: str
    provider: str
    model: str
    base_url: str | None
    system: str | None
    tools: list[dict[str, Any]]
    params: dict[str, Any]
    limits: dict[str, Any]
    calls: list[Call] = field(default_factory=list, repr=False)
    tool_results: list[Record] = field(default_factory=list, repr=False)
    loop: list[Record] = field(default_factory=list, repr=False)
    course: list[Record] = field(default_factory=list, repr=False)
    """Recorded loop events in order, `{"event": ..., "data": ...}`: tool results, finish, error, notice, done."""
