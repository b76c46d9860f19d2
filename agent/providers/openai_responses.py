"""OpenAI Responses (`POST /responses`), streamed or not: decoder and adapter.

Source: OpenAI API reference, "Responses" and "Streaming events". `type` inside the data decides, `event:` lines are
not needed. Text and reasoning come from deltas; `.done` events, finished items and the terminal `output` count only
where their item gave no delta. A call goes out at its `.done`, whose arguments replace the deltas.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from orjson import loads

from agent.events import DecodeOptions, Error, Event, Text, ToolCall
from agent.failures import in_stream_error
from agent.jsonio import dumps, scrub, scrub_deep
from agent.providers import openai_responses_items as items
from agent.providers.base import Adapter, Decoder, parse_arguments
from agent.providers.openai_responses_request import request
from agent.providers.openai_responses_slots import Slot, Slots
from agent.sse import Frame

_TEXT_DELTA = "response.output_text.delta"


class ResponsesDecoder(Decoder):
    """The state machine of one Responses answer; see `Decoder`."""

    __slots__ = ("_hot", "_refused", "_slots", "_thought", "_tools")

    def __init__(self, *, call: int = 0, options: DecodeOptions = DecodeOptions()) -> None:
        super().__init__(call=call, options=options)
        self._slots = Slots()
        self._hot: Any = None  # the item that gave the last delta of text
        self._refused = False
        self._thought: tuple[Slot, str, Any] | None = None
        self._tools: dict[str, int] = {}

    def feed(self, frame: Frame) -> list[Event]:
        """The events of one frame; one more delta of the item that gave the last one takes the short way."""
        data = frame.data
        if data is None:
            return []
        try:
            payload = loads(data)
        except ValueError:
            out = self._feed_odd(data)
        else:
            if self.plain:
                try:
                    if payload["type"] == _TEXT_DELTA:
                        key = payload.get("output_index")
                        delta = payload["delta"]
                        if (payload["item_id"] if key is None else key) == self._hot and type(delta) is str and delta:
                            return [Text(delta)]
                except (LookupError, TypeError):
                    pass
            out = self._feed_payload(payload, data)
        self.plain = self._hot is not None and self._is_plain()
        return out

    def _payload(self, payload: dict[str, Any], raw: bytes) -> None:
        kind = payload.get("type")
        handler = self._HANDLERS.get(kind) if type(kind) is str else None
        if handler is None:
            self._unnamed(kind, payload, raw)
        elif not (self._ended or self._failed):
            handler(self, payload, raw)
        else:
            self._late(str(kind), payload, raw)

    def _unnamed(self, kind: Any, payload: dict[str, Any], raw: bytes) -> None:
        """Data without a type that a rule knows: a bare error, a whole response object, or news from the provider."""
        if payload.get("object") == "response" or (kind is None and isinstance(payload.get("output"), list)):
            self._terminal({"response": payload}, raw)
        elif payload.get("error") and not (type(kind) is str and kind.startswith("response.")):
            self._error(payload, raw)
        elif type(kind) is not str:
            self._count("data without type")
        elif kind not in items.SILENT_EVENTS and not kind.startswith(items.SILENT_PREFIXES):
            self._count(kind)
        else:
            self._note(payload.get("response"))

    def _late(self, kind: str, payload: dict[str, Any], raw: bytes) -> None:
        """After the end mark usage, calls and errors count; after an error only usage, and the end mark itself."""
        if kind in items.END_WORDS:
            self._terminal(payload, raw)
        elif self._failed or self._stop == "error":
            return
        elif kind in ("error", "response.error") or "_call" in kind:
            self._HANDLERS[kind](self, payload, raw)
        elif kind in ("response.output_item.added", "response.output_item.done"):
            item = payload.get("item")
            if isinstance(item, dict) and item.get("type") in items.CALLS:
                self._HANDLERS[kind](self, payload, raw)

    # Text and reasoning

    def _say_delta(self, payload: dict[str, Any], *, refusal: bool) -> None:
        delta = payload.get("delta")
        if not isinstance(delta, str) or not delta:
            return
        slot = self._slots.of_event(payload, "message")
        slot.streamed = True
        self._refused = self._refused or refusal
        if not refusal:
            self._hot = slot.index if slot.index is not None else payload.get("item_id")
        self._text(delta)

    def _say_done(self, payload: dict[str, Any], part: Any) -> None:
        """A finished content part; DeepSeek sends those of reasoning as such too."""
        if isinstance(part, dict) and part.get("type") == "reasoning_text":
            self._think_done(payload | {"text": part.get("text")}, "content")
            return
        text, refusal = items.part_text(part)
        if text and self._is_news(self._slots.of_event(payload, "message"), "content", payload.get("content_index")):
            self._say(text, refusal)

    def _say(self, text: str, refusal: bool) -> None:
        self._refused = self._refused or refusal
        self._text(text)

    def _is_news(self, slot: Slot, field: str, index: Any) -> bool:
        """Whether a finished part was not given before, by deltas of its item or by another `.done` event."""
        key = (field, index if type(index) is int else None)
        if slot.streamed or slot.closed or key in slot.shown:
            return False
        slot.shown.add(key)
        return True

    def _think_delta(self, payload: dict[str, Any], field: str) -> None:
        delta = payload.get("delta")
        if isinstance(delta, str) and delta:
            slot = self._slots.of_event(payload, "reasoning")
            slot.streamed = True
            self._think_part(slot, field, payload.get(f"{field}_index"), delta)

    def _think_done(self, payload: dict[str, Any], field: str) -> None:
        text = payload.get("text", items.part_text(payload.get("part"))[0])
        index = payload.get(f"{field}_index")
        if isinstance(text, str) and text:
            slot = self._slots.of_event(payload, "reasoning")
            if self._is_news(slot, field, index):
                self._think_part(slot, field, index, text)

    def _think_part(self, slot: Slot, field: str, index: Any, text: str) -> None:
        """A piece of reasoning, after a blank line where another part gave reasoning before."""
        part = (slot, field, index)
        if self._thought is not None and self._thought != part:
            text = f"\n\n{text}"
        self._thought = part
        self._reasoning(text)

    # Calls

    def _call_delta(self, payload: dict[str, Any], raw: bytes) -> None:
        delta = payload.get("delta")
        slot = self._slots.of_event(payload, _call_kind(payload))
        if isinstance(delta, str):
            slot.deltas.append(delta)
        elif isinstance(delta, dict):
            slot.first = items.exact(payload, raw).get("delta")

    def _call_done(self, payload: dict[str, Any], raw: bytes) -> None:
        kind = _call_kind(payload)
        slot = self._slots.of_event(payload, kind)
        field = "arguments" if kind == "function_call" else "input"
        if not isinstance(payload.get(field), str):
            payload = items.exact(payload, raw)
        if not items.blank(payload.get(field)):
            slot.final = payload[field]
        name = payload.get("name")
        slot.name = slot.name or (name if isinstance(name, str) else "")
        if slot.name and slot.call_id and not items.blank(slot.arguments):
            self._emit_call(slot)

    def _emit_call(self, slot: Slot) -> None:
        """Emit a call once. One without arguments is held back, and may still get them from the terminal item."""
        arguments = slot.arguments
        if isinstance(arguments, dict):
            arguments = scrub_deep(arguments)  # it may come from an earlier frame than this one
        if slot.blank is not None and not items.blank(arguments):
            held, slot.blank = slot.blank, None
            if isinstance(arguments, str):
                held.input, held.unparsed = parse_arguments(scrub(arguments))
            elif isinstance(arguments, dict):
                held.input, held.unparsed = arguments, False
        if slot.emitted or not (slot.name or slot.call_id or not items.blank(arguments)):
            return
        slot.emitted = True
        self._tool_call(slot.call_id, slot.name, arguments, scrub_deep(slot.extras))
        call = (self._out if self._held is None else self._held)[-1]
        if not isinstance(call, ToolCall):
            return
        if items.blank(arguments):
            slot.blank = call
        elif not slot.name:  # the stream was cut before the name came: the call is no whole one
            text = arguments if isinstance(arguments, str) else dumps(arguments).decode()
            call.input, call.unparsed = {"_raw": scrub(text)}, True

    def _close(self) -> None:
        placed = [slot for slot in self._slots.all if slot.index is not None]
        unplaced = [slot for slot in self._slots.all if slot.index is None]
        for slot in [*sorted(placed, key=lambda slot: slot.index or 0), *unplaced]:
            if slot.kind in items.CALLS:
                self._emit_call(slot)
        if self.usage is not None and self._tools:
            self.usage.provider_tools = dict(sorted(self._tools.items()))

    # Items

    def _item_added(self, payload: dict[str, Any], raw: bytes) -> None:
        item = payload.get("item")
        self._hot = None
        if isinstance(item, dict):
            self._slots.announce(payload, item)

    def _item_done(self, payload: dict[str, Any], raw: bytes) -> None:
        item = payload.get("item")
        if isinstance(item, dict) and item.get("type") != "message":
            item = items.exact(payload, raw).get("item")
        if isinstance(item, dict):
            self._finish_item(self._slots.of_item(payload, item), item)

    def _finish_item(self, slot: Slot, item: dict[str, Any]) -> None:
        """Give what a finished item holds beyond what was given of it before."""
        kind = item.get("type")
        closed, slot.closed = slot.closed, True
        fresh = not (slot.streamed or slot.shown)
        if kind in items.CALLS:
            self._emit_call(slot)
        elif kind == "message":
            self._finish_message(slot, item, fresh=fresh, closed=closed)
        elif kind == "reasoning":
            if fresh:
                for field, index, text in items.reasoning_texts(item):
                    slot.shown.add((field, index))
                    self._think_part(slot, field, index, text)
            if not closed and items.goes_back(item):
                self._carry(item)
        elif not isinstance(kind, str):
            self._count("item without type")
        elif not slot.emitted:
            slot.emitted = True
            if kind not in items.OPAQUE_ITEMS:
                self._count(kind)
            tool = items.billed_tool(item)
            if tool is not None:
                self._tools[tool] = self._tools.get(tool, 0) + 1
            self._carry(item)

    def _finish_message(self, slot: Slot, item: dict[str, Any], *, fresh: bool, closed: bool) -> None:
        for index, part in enumerate(items.content(item)):
            text, refusal = items.part_text(part)
            if text and fresh:
                slot.shown.add(("content", index))
                self._say(text, refusal)
            elif isinstance(part, dict) and not closed and part.get("type") not in ("output_text", "refusal", "text"):
                named = part.get("type")
                self._count(named if isinstance(named, str) else "part without type")
                self._carry({"type": "message", "role": "assistant", "content": [part]})
        phase = item.get("phase")
        if not closed and isinstance(phase, str) and phase:
            # OpenAI asks to send `phase` back; it closes the text of its message.
            self._settle()
            self._text("", {"phase": self._clean(phase)})

    def _carry(self, item: dict[str, Any]) -> None:
        self._settle()
        self._reasoning("", self._clean(item))

    def _clean(self, value: Any) -> Any:
        return scrub_deep(value) if self._dirty else value

    # The whole response

    def _note(self, response: Any) -> None:
        """Model and usage stand in every copy of the response object; the last ones count."""
        if isinstance(response, dict):
            model = response.get("model")
            if isinstance(model, str) and model:
                self.model = self._clean(model)
            self.usage = items.read_usage(response.get("usage"), self.usage)

    def _terminal(self, payload: dict[str, Any], raw: bytes) -> None:
        response = payload.get("response")
        response = response if isinstance(response, dict) else {}
        self._hot = None
        self._note(response)
        stop, word = items.read_end(payload.get("type"), response)
        if word in items.PENDING:
            return
        if self._ended and not (stop == "error" and self._stop != "error"):
            return
        if stop == "cancelled":
            self._fail(in_stream_error(response.get("error") or "the provider cancelled the response"))
            return
        if not (self._ended or self._failed):
            self._output(items.exact(payload, raw) if payload.get("type") else payload)
        if stop == "error":
            self._close()
        elif stop == "stop" and self._refused:
            stop = "refusal"
        error = None
        if stop == "error" and self._failed:
            self._failed = False  # `error` and then `response.failed` are one failure
        elif stop == "error":
            error = in_stream_error(response.get("error") or "the response failed without an error message")
        self._end(stop, None if word is None else scrub(word), error)

    def _output(self, payload: dict[str, Any]) -> None:
        response = payload.get("response")
        output = response.get("output") if isinstance(response, dict) else None
        finished = [item for item in output if isinstance(item, dict)] if isinstance(output, list) else []
        for slot, item in zip(self._slots.of_output(finished), finished, strict=True):
            self._finish_item(slot, item)

    def _error(self, payload: dict[str, Any], raw: bytes) -> None:
        """An error event: the error inside `error`, or (as documented) its fields beside `type`."""
        if self._stop == "error":
            return
        flat = {key: value for key, value in payload.items() if key not in ("type", "sequence_number")}
        self._fail(in_stream_error(payload.get("error") or flat))

    def _fail(self, error: Error) -> None:
        self._hot = None
        super()._fail(error)

    _HANDLERS: ClassVar[Mapping[str, Callable[[ResponsesDecoder, dict[str, Any], bytes], None]]] = {
        _TEXT_DELTA: lambda self, payload, raw: self._say_delta(payload, refusal=False),
        "response.output_text.done": lambda self, payload, raw: self._say_done(
            payload, payload | {"type": "output_text"}
        ),
        "response.refusal.delta": lambda self, payload, raw: self._say_delta(payload, refusal=True),
        "response.refusal.done": lambda self, payload, raw: self._say_done(payload, payload | {"type": "refusal"}),
        "response.content_part.done": lambda self, payload, raw: self._say_done(payload, payload.get("part")),
        "response.reasoning_summary_text.delta": lambda self, payload, raw: self._think_delta(payload, "summary"),
        "response.reasoning_summary_text.done": lambda self, payload, raw: self._think_done(payload, "summary"),
        "response.reasoning_summary_part.done": lambda self, payload, raw: self._think_done(payload, "summary"),
        "response.reasoning_text.delta": lambda self, payload, raw: self._think_delta(payload, "content"),
        "response.reasoning_text.done": lambda self, payload, raw: self._think_done(payload, "content"),
        "response.reasoning_part.done": lambda self, payload, raw: self._think_done(payload, "content"),
        "response.function_call_arguments.delta": _call_delta,
        "response.function_call_arguments.done": _call_done,
        "response.custom_tool_call_input.delta": _call_delta,
        "response.custom_tool_call_input.done": _call_done,
        "response.output_item.added": _item_added,
        "response.output_item.done": _item_done,
        "response.completed": _terminal,
        "response.incomplete": _terminal,
        "response.failed": _terminal,
        "response.cancelled": _terminal,
        "error": _error,
        "response.error": _error,
    }


def _call_kind(payload: dict[str, Any]) -> str:
    return "custom_tool_call" if "custom" in str(payload.get("type")) else "function_call"


ADAPTER = Adapter("openai-responses", request, ResponsesDecoder)
