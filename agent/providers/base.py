"""What every wire format shares: the adapter's contract, and the decoder's opening and closing rules.

An adapter has two halves. `request` shapes neutral messages for the wire; `decoder` makes one state machine for one
response: `feed(frame)` or `parse_body(body)`, then `finish(end)` once. Neither does I/O. Formats fill in `_payload`
(one JSON object off the wire) and `_close` (what is still open at the end); everything about end marks, errors,
truncation, held-back events and lone surrogates is here, once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import orjson

from agent.events import (
    EOF,
    DecodeOptions,
    End,
    Error,
    Event,
    Reasoning,
    StopReason,
    Text,
    ToolCall,
    Usage,
    UsageEvent,
)
from agent.failures import html_error, truncated_error
from agent.jsonio import NotJSON, dumps, loads, loads_exact, scrub, scrub_deep
from agent.messages import Message, ToolSpec
from agent.sse import DONE, Frame
from agent.think_tags import ThinkSplitter


@dataclass(slots=True, frozen=True)
class Target:
    """Where calls go: one row of the provider table, with base URL and key filled in."""

    provider: str
    wire: str
    base_url: str
    key: str | None = field(default=None, repr=False)
    key_variable: str | None = None
    headers: tuple[tuple[str, str], ...] = ()
    max_tokens_param: str = "max_tokens"


@dataclass(slots=True, frozen=True)
class WireRequest:
    """A request ready to send. `body` is the JSON object; keys stand in `headers`, never in `url`."""

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    body: dict[str, Any]


class ShapeRequest(Protocol):
    """The request half of a wire format: `agent.providers.<format>_request`."""

    def __call__(
        self,
        target: Target,
        *,
        model: str,
        messages: Sequence[Message],
        system: str | None,
        tools: Sequence[ToolSpec],
        params: Mapping[str, Any],
        stream: bool,
    ) -> WireRequest: ...


class MakeDecoder(Protocol):
    """The other half: a new decoder for one response."""

    def __call__(self, *, call: int = 0, options: DecodeOptions = DecodeOptions()) -> Decoder: ...


@dataclass(slots=True, frozen=True)
class Adapter:
    """One wire format: its name and its two halves."""

    wire: str
    shape: ShapeRequest
    decoder: MakeDecoder

    def request(
        self,
        target: Target,
        *,
        model: str,
        messages: Sequence[Message],
        system: str | None = None,
        tools: Sequence[ToolSpec] = (),
        params: Mapping[str, Any] | None = None,
        stream: bool = True,
    ) -> WireRequest:
        """The request for one call. An explicit `system` wins over system messages; notes never go out."""
        return self.shape(
            target, model=model, messages=messages, system=system, tools=tools, params=params or {}, stream=stream
        )


class Decoder:
    """The state machine of one response with a success status (for other statuses see `agent.failures.http_error`).

    A subclass implements `_payload` and may override `_done` and `_close`. It reports through `_text`, `_reasoning`,
    `_tool_call`, `_fail`, `_end` and `_count`, and sets `model` and `usage`. `_ended` (the end mark was seen) and
    `_failed` (an in-stream error was seen) tell it what may still be read: after the end mark only usage, tool
    fragments and errors, after an error only usage.

    While `plain` is set, data that `piece` reads is that event and nothing else, and reading it changes nothing.
    """

    __slots__ = (
        "_call",
        "_dirty",
        "_ended",
        "_failed",
        "_half",
        "_held",
        "_out",
        "_position",
        "_stop",
        "_stop_raw",
        "_think",
        "malformed",
        "model",
        "plain",
        "unknown",
        "usage",
    )

    def __init__(self, *, call: int = 0, options: DecodeOptions = DecodeOptions()) -> None:
        self.malformed = 0
        self.unknown: dict[str, int] = {}
        self.model: str | None = None
        self.usage: Usage | None = None
        self.plain = False
        self._call = call
        self._think = ThinkSplitter() if options.think_tags else None
        self._out: list[Event] = []
        self._held: list[Event] | None = None
        self._half: Text | Reasoning | None = None
        self._dirty = False
        self._ended = False
        self._failed = False
        self._stop: StopReason | None = None
        self._stop_raw: str | None = None
        self._position = 0

    @property
    def untouched(self) -> bool:
        """Whether nothing of the response could be read: no model, usage, tool call, end mark or error came."""
        known = self.model is not None or self.usage is not None
        return not (known or self._position or self._ended or self._failed)

    @staticmethod
    def piece(data: bytes) -> Text | Reasoning | None:
        """The piece of text that data is; None where it may say more. It depends on nothing but the data."""
        return None

    def feed(self, frame: Frame) -> list[Event]:
        """The events of one frame. Never raises for what a provider sent."""
        data = frame.data
        if data is None:
            return []
        try:
            payload = orjson.loads(data)
        except orjson.JSONDecodeError:
            return self._feed_odd(data)
        return self._feed_payload(payload, data)

    def _feed_payload(self, payload: Any, data: bytes) -> list[Event]:
        """The events of data that `orjson` has parsed."""
        if type(payload) is dict:
            self._payload(payload, data)
        else:
            self.malformed += 1
        out = self._out
        if not out:
            return []
        self._out = []
        return out

    def _feed_odd(self, data: bytes) -> list[Event]:
        """The events of data that `orjson` refuses."""
        if data.strip() == DONE:
            self._done()
            return self._take()
        try:
            payload = loads(data)
        except NotJSON:
            self.malformed += 1
            return []
        self._dirty = True
        out = self._feed_payload(payload, data)
        self._dirty = False
        return out

    def parse_body(self, body: bytes) -> list[Event]:
        """The events of a non-streamed answer of the same API. `finish` follows."""
        body = body.removeprefix(b"\xef\xbb\xbf")
        try:
            payload = loads_exact(body)
        except NotJSON:
            if body.strip() and body.lstrip()[:1] not in (b"{", b"["):
                self._fail(html_error(body))
            return self._take()
        self._dirty = True
        if type(payload) is dict:
            self._payload(payload, body)
        else:
            self.malformed += 1
        self._dirty = False
        return self._take()

    def abort(self, error: Error) -> list[Event]:
        """Give up on the stream: open calls and `error`. `finish` follows."""
        self._fail(error)
        return self._take()

    def finish(self, end: End = EOF) -> list[Event]:
        """What is still open, an error where the end mark is missing, and the one closing `usage`."""
        self._close()
        self._settle()
        self._release(normal=self._ended and not self._failed and self._stop not in ("length", "error"))
        stop = self._stop or "stop"
        if self._failed:
            stop = "error"
        elif not self._ended:
            stop = "cancelled" if end.kind == "closed" else "truncated"
            if stop == "truncated":
                self._out.append(truncated_error(end))
        elif stop == "stop" and self._position:
            stop = "tool_calls"
        complete = self._ended and not self._failed
        self._out.append(UsageEvent(self.usage, self.model, stop, self._stop_raw, complete))
        return self._take()

    def _is_plain(self) -> bool:
        """Whether a piece of text is an event at once: nothing is held back, and nothing is over."""
        return not (self._ended or self._failed or self._think or self._half is not None or self._held is not None)

    # What a format implements

    def _payload(self, payload: dict[str, Any], raw: bytes) -> None:
        """Read one JSON object off the wire. `raw` are its bytes (for `loads_exact` where integers matter)."""
        raise NotImplementedError

    def _done(self) -> None:
        """Read `[DONE]`. It ends a chat stream; elsewhere it says nothing."""

    def _close(self) -> None:
        """Hand over what is still open, because nothing more can come for it. May be called twice."""

    # What a format reports with

    def _text(self, text: str, opaque: Any = None) -> None:
        """Emit a piece of the answer; `text` is not empty, or `opaque` is given."""
        if self._think is not None and opaque is None:
            self._pieces(self._think.feed(text))
        elif self._dirty or self._half is not None or self._held is not None or opaque is not None:
            self._piece(Text(text, opaque))
        else:
            self._out.append(Text(text))

    def _reasoning(self, text: str, opaque: Any = None) -> None:
        """Emit a piece of reasoning, or (empty text and `opaque`) a block that only the provider can read."""
        if self._dirty or self._half is not None or self._held is not None or opaque is not None:
            self._piece(Reasoning(text, opaque))
        else:
            self._out.append(Reasoning(text))

    def _tool_call(self, id: str | None, name: str, arguments: Any, opaque: Any = None) -> None:
        """Emit a tool call for which nothing more can come.

        `arguments` is the text as sent, or a parsed object. Blank arguments mean `{}` only when the stream ends
        normally, so such a call, and all that follows it, is held back until the end is known.
        """
        synthetic = not id
        call = ToolCall(scrub(id or f"call_{self._call}_{self._position}"), scrub(name), {}, False, synthetic, opaque)
        self._position += 1
        self._settle()
        if arguments is None or (isinstance(arguments, str) and not arguments.strip()):
            call.unparsed = True
            call.input = {"_raw": arguments or ""}
            if self._held is None:
                self._held = []
        elif isinstance(arguments, dict):
            call.input = scrub_deep(arguments) if self._dirty else arguments
        else:
            text = scrub(arguments) if isinstance(arguments, str) else dumps(arguments).decode()
            call.input, call.unparsed = parse_arguments(text)
        self._emit(call)

    def _fail(self, error: Error) -> None:
        """An in-stream error: the first one is emitted, and the response is not complete."""
        if not self._failed:
            self._failed = True
            self._close()
            self._settle()
            self._release(normal=False)
            self._out.append(error)

    def _end(self, stop: StopReason, raw: str | None, error: Error | None = None) -> None:
        """The provider's own end mark. `error` is a failure that the provider itself ends the response with."""
        self._ended = True
        self._stop, self._stop_raw = stop, raw
        if error is not None:
            self._settle()
            self._emit(error)

    def _count(self, kind: object) -> None:
        """Count an event type or part kind that no rule knows."""
        name = type(kind).__name__ if isinstance(kind, dict | list) else scrub(str(kind))[:80]
        self.unknown[name] = self.unknown.get(name, 0) + 1

    # Order and surrogate halves

    def _emit(self, event: Event) -> None:
        (self._out if self._held is None else self._held).append(event)

    def _piece(self, event: Text | Reasoning) -> None:
        """Emit text after joining surrogate halves: a high half at the end waits for its low half in the next piece."""
        half, self._half = self._half, None
        if half is not None:
            if type(half) is type(event) and event.opaque is None:
                event.text = half.text + event.text
            else:
                self._emit(type(half)("\ufffd"))
        text = event.text
        if text and "\ud800" <= text[-1] <= "\udbff" and event.opaque is None:
            self._half = type(event)(text[-1])
            event.text = text[:-1]
        event.text = scrub(event.text)
        if event.text or event.opaque is not None:
            self._emit(event)

    def _pieces(self, pieces: list[tuple[bool, str]]) -> None:
        for is_reasoning, text in pieces:
            self._piece(Reasoning(text) if is_reasoning else Text(text))

    def _settle(self) -> None:
        """Emit what was held back of a piece of text whose rest cannot come any more."""
        if self._think is not None:
            self._pieces(self._think.flush())
        if self._half is not None:
            half, self._half = self._half, None
            self._emit(type(half)("\ufffd"))

    def _release(self, *, normal: bool) -> None:
        if self._held is None:
            return
        for event in self._held:
            if normal and isinstance(event, ToolCall) and event.unparsed and not event.input["_raw"].strip():
                event.unparsed, event.input = False, {}
            self._out.append(event)
        self._held = None

    def _take(self) -> list[Event]:
        out, self._out = self._out, []
        return out


def parse_arguments(text: str) -> tuple[dict[str, Any], bool]:
    """Tool-call arguments as an object, and whether they could not be parsed (then the object is `{"_raw": text}`)."""
    try:
        value = loads_exact(text.encode())
    except NotJSON:
        value = None
    if isinstance(value, dict):
        return (value if "\\u" not in text else scrub_deep(value)), False
    return {"_raw": text}, True
