"""OpenAI-compatible chat completions: decoder of streamed and whole answers.

Source: OpenAI API reference, "Chat completions", and what compatible servers make of it. Text and reasoning pass
straight through; tool calls are handed over at `[DONE]` or at the end of the stream, because fragments (and usage, and
errors) still follow `finish_reason`. Only choice 0 is read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orjson import loads

from agent.events import DecodeOptions, Error, Event, StopReason
from agent.failures import in_stream_error
from agent.jsonio import scrub, scrub_deep
from agent.providers.alike import Alike
from agent.providers.base import Adapter, Decoder
from agent.providers.openai_chat_fields import (
    entry_text,
    exact_fragments,
    first_choice,
    fragments_of,
    is_failure,
    piece_in,
    piece_of,
    thinking_text,
)
from agent.providers.openai_chat_request import request
from agent.providers.openai_chat_tools import ToolCalls
from agent.providers.openai_chat_usage import Counts
from agent.sse import Frame

STOPS: Mapping[str, StopReason] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "sensitive": "content_filter",  # Z.ai
    "refusal": "refusal",
    "insufficient_system_resource": "error",  # DeepSeek
    "network_error": "error",  # Z.ai
    "error": "error",  # OpenRouter
    "abort": "error",  # vLLM
}
"""`finish_reason` words; an unknown one is `stop`."""

TEXT_PARTS = {"text": "text", "output_text": "text", "refusal": "refusal"}
"""Content parts that are text, and the key that holds it."""

SILENT_PARTS = frozenset({"reference", "citation", "annotations"})
"""Content parts that give no event: citations."""

_NO_WORD = ("", "null")


class ChatDecoder(Decoder):
    """The state machine of one chat response."""

    __slots__ = ("_alike", "_counts", "_group", "_key_variable", "_over", "_refused", "_stop_error", "_tools")

    def __init__(self, *, call: int = 0, options: DecodeOptions = DecodeOptions()) -> None:
        super().__init__(call=call, options=options)
        self._key_variable = options.key_variable
        self._counts = Counts()
        self._tools: ToolCalls | None = None
        self._stop_error: Error | None = None  # what a finish_reason that is a failure will say
        self._group: tuple[Any, Any] | None = None  # type and index of the open entry of reasoning_details
        self._refused = False
        self._over = False  # [DONE] was seen: nothing after it is read
        self._alike = Alike(piece_in)

    piece = staticmethod(piece_in)

    def feed(self, frame: Frame) -> list[Event]:
        """The events of one frame; plain text and reasoning, most of a stream, take short ways."""
        data = frame.data
        if data is None:
            return []
        plain = self.plain
        if plain:
            piece = self._alike.piece(data)
            if piece is not None:
                return [piece]
        try:
            payload = loads(data)
        except ValueError:
            out = self._feed_odd(data)
        else:
            if plain:
                piece = piece_of(payload)
                if piece is not None:
                    self._alike.learn(data, piece)
                    return [piece]
            out = self._feed_payload(payload, data)
        self.plain = self._is_plain() and not self._over and self.model is not None
        return out

    def _payload(self, payload: dict[str, Any], raw: bytes) -> None:
        if self._over:
            return
        choices = payload.get("choices")
        choice = None
        if type(choices) is list and choices:
            choice = choices[0]
            if type(choice) is not dict or choice.get("index"):
                choice = first_choice(choices)
            if choice is not None and not self._failed:
                delta = choice.get("delta")
                if type(delta) is not dict:
                    self._read_delta(choice.get("message"), raw)
                elif len(delta) == 1 and type(content := delta.get("content")) is str:
                    if content and not self._ended:
                        self._text(content)
                else:
                    self._read_delta(delta, raw)
                if not self._ended:
                    reason = choice.get("finish_reason")
                    if reason is not None:
                        self._finish_reason(reason)
        if self.model is None:
            model = payload.get("model")
            if type(model) is str and model:
                self.model = scrub(model)
        usage = payload.get("usage")
        if choice is None:
            inner = error = None
        else:
            inner, error = choice.get("usage"), choice.get("error")
        if "x_groq" in payload and type(payload["x_groq"]) is dict:
            inner, error = inner or payload["x_groq"].get("usage"), error or payload["x_groq"].get("error")
        if usage or inner:
            self._read_usage(inner, usage)
        if error or payload.get("error"):
            self._read_error(payload, error)
        elif choice is None and not choices and not usage:
            self._read_odd(payload)

    def _read_delta(self, delta: Any, raw: bytes) -> None:
        """Reasoning and text up to the end mark; tool fragments also after it."""
        if type(delta) is not dict:
            return
        if not self._ended:
            content = delta.get("content")
            text = delta.get("reasoning_content") or delta.get("reasoning")
            if text or "reasoning_details" in delta:
                self._read_reasoning(delta)
            if type(content) is str:
                if content:
                    self._text(content)
            elif content:
                self._read_content(content)
            refusal = delta.get("refusal")
            if refusal and type(refusal) is str:
                self._refused = True
                self._text(refusal)
        if delta.get("tool_calls") or delta.get("function_call"):
            self._read_tools(delta, raw)

    def _read_reasoning(self, delta: dict[str, Any]) -> None:
        """One reasoning field: `reasoning_content`, then `reasoning`, then `reasoning_details`."""
        text = delta.get("reasoning_content")
        if not text or type(text) is not str:
            text = delta.get("reasoning")
            if type(text) is not str:
                text = ""
        details = delta.get("reasoning_details")
        if details and type(details) is list:
            self._read_details(details, text)
        elif text:
            self._reasoning(text)

    def _read_details(self, details: list[Any], text: str) -> None:
        """OpenRouter's `reasoning_details`, https://openrouter.ai/docs/use-cases/reasoning-tokens.

        They go back as they came, so the first piece of each entry carries what is not text as opaque data, and so
        does each piece with a signature or with data. The text is that of the plain field where there is one.
        """
        entries = [entry for entry in details if isinstance(entry, dict)]
        texts = [entry_text(entry) for entry in entries]
        if text and "".join(texts) != text:
            texts = [text, *("" for _ in entries)]
            if not entries:
                self._reasoning(text)
        for place, (entry, own) in enumerate(zip(entries, texts, strict=False)):
            kind, index = entry.get("type"), entry.get("index")
            group = (kind if isinstance(kind, str) else None, index if isinstance(index, int) else None)
            another = group != self._group or (place and group[1] is None)
            opaque = None
            if another or entry.get("signature") or entry.get("data"):
                opaque = {key: value for key, value in entry.items() if key not in ("text", "summary")}
                if self._dirty:
                    opaque = scrub_deep(opaque)
            self._group = group
            if own or opaque:
                self._reasoning(own, opaque)

    def _read_content(self, content: Any) -> None:
        """Content as a list of parts (Mistral's thinking, refusals, images)."""
        for part in content if type(content) is list else [content]:
            if isinstance(part, str):
                if part:
                    self._text(part)
                continue
            if not isinstance(part, dict):
                continue
            kind = part.get("type") or "text"
            if kind in ("thinking", "reasoning"):
                text = thinking_text(part.get("thinking") or part.get("text"))
                if text:
                    self._reasoning(text)
            elif isinstance(kind, str) and kind in TEXT_PARTS:
                piece = part.get(TEXT_PARTS[kind])
                if piece and isinstance(piece, str):
                    self._refused = self._refused or kind == "refusal"
                    self._text(piece)
            elif not isinstance(kind, str) or kind not in SILENT_PARTS:
                self._count(kind)
                self._reasoning("", scrub_deep(part) if self._dirty else part)

    def _read_tools(self, delta: dict[str, Any], raw: bytes) -> None:
        """Fragments of tool calls, or of the one `function_call` of old."""
        if self._tools is None:
            self._tools = ToolCalls()
        fragments = fragments_of(delta)
        if len(fragments) == 1 and self._tools.append(fragments[0]):
            return
        for fragment in exact_fragments(raw) or fragments:
            if not self._tools.append(fragment):
                self._tools.add(fragment)

    def _finish_reason(self, reason: Any) -> None:
        if type(reason) is not str or reason in _NO_WORD:
            return
        stop = STOPS.get(reason.lower(), "stop")
        if stop == "error":
            failure = {"message": f"the provider stopped the answer: {reason}", "type": reason}
            self._stop_error = in_stream_error(failure, key_variable=self._key_variable)
        self._end(stop, scrub(reason))

    def _read_usage(self, inner: Any, usage: Any) -> None:
        """Usage at the top level wins over that in `choices[0]` or `x_groq`."""
        self._counts.add(inner)
        self._counts.add(usage)
        self.usage = self._counts.usage()

    def _read_error(self, payload: dict[str, Any], inner: Any) -> None:
        """An error at the top level, in `choices[0]` or in `x_groq`; an error text may have its code beside it."""
        error = payload.get("error") or inner
        self._failure(payload if isinstance(error, str) and error is not inner else error)

    def _read_odd(self, payload: dict[str, Any]) -> None:
        """A payload without choices: an error in another server's form (vLLM, FastAPI, gateways), or unknown."""
        named = "error" in (payload.get("object"), payload.get("type"))
        coded = isinstance(payload.get("message"), str) and is_failure(payload.get("code"), payload.get("status"))
        if named or coded or payload.get("detail"):
            self._failure(payload)
        elif not payload.keys() & {"choices", "usage", "x_groq"}:
            self._count(payload.get("type") or payload.get("object") or "payload without choices")

    def _failure(self, value: Any) -> None:
        self._fail(in_stream_error(scrub_deep(value) if self._dirty else value, key_variable=self._key_variable))

    def _done(self) -> None:
        if self._over:
            return
        self._over = self._ended = True
        self._close()
        self._settle()
        self._release(normal=not self._failed and self._stop != "length")

    def _close(self) -> None:
        tools, self._tools = self._tools, None
        for call in tools.calls() if tools is not None else ():
            opaque = None if call.extra is None else scrub_deep({"extra_content": call.extra})
            self._tool_call(call.id, call.name, call.arguments, opaque)
        if self._refused and self._stop in (None, "stop"):
            self._stop = "refusal"
        if self._stop_error is not None and not self._failed:
            self._release(normal=False)
            self._settle()
            self._emit(self._stop_error)
            self._stop_error = None


ADAPTER = Adapter("openai-chat", request, ChatDecoder)
