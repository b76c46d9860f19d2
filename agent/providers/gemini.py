"""Gemini `streamGenerateContent` and `generateContent`, of the Gemini API and of Vertex AI.

Each payload is one GenerateContentResponse: whole parts (no deltas inside a part, except of function calls, see
`gemini_call`), running token counts, and at the end `finishReason`, or `promptFeedback.blockReason` when the prompt
was refused. Without `alt=sse` the payloads come as one JSON array. Source: Gemini API reference, "Generating content".
"""

from __future__ import annotations

from typing import Any

from orjson import loads

from agent.events import DecodeOptions, Error, Event, StopReason
from agent.failures import error, in_stream_error
from agent.jsonio import NotJSON, loads_exact, scrub, scrub_deep
from agent.providers.base import Adapter, Decoder
from agent.providers.gemini_call import OpenCall
from agent.providers.gemini_payload import (
    BLOCK_NUMBERS,
    COUNTS,
    FAILURES,
    FINISH_NUMBERS,
    STOPS,
    exact_parts,
    first_candidate,
    parts_of,
    piece_of,
    queries_of,
    usage_of,
    whole_elements,
    word_of,
)
from agent.providers.gemini_request import request
from agent.sse import Frame

_COUNTED = frozenset(COUNTS)
_MARKS = {"thought", "thoughtSignature", "functionCall"}
_KINDS = {
    "executableCode", "codeExecutionResult", "inlineData", "fileData", "toolCall", "toolResponse",
    "functionResponse",
}  # fmt: skip


class GeminiDecoder(Decoder):
    """Reads candidate 0. Calls without an id get one made from call number and position."""

    __slots__ = ("_begun", "_counts", "_key_variable", "_open", "_over", "_queries")

    def __init__(self, *, call: int = 0, options: DecodeOptions = DecodeOptions()) -> None:
        super().__init__(call=call, options=options)
        self._key_variable = options.key_variable
        self._counts: dict[str, int] = {}
        self._open: OpenCall | None = None
        self._queries: set[str] = set()
        self._begun = False
        self._over = False

    def feed(self, frame: Frame) -> list[Event]:
        """The events of one frame; text and thoughts, most of a stream, take the short way."""
        data = frame.data
        if data is None:
            return []
        try:
            payload = loads(data)
        except ValueError:
            out = self._feed_odd(data)
        else:
            if self.plain:
                piece = piece_of(payload, self.model)
                if piece is not None:
                    self._count_tokens(payload)
                    return [piece]
            out = self._feed_payload(payload, data)
        self.plain = self._begun and self._is_plain() and not self._over
        return out

    def parse_body(self, body: bytes) -> list[Event]:
        """The events of one response object, or of an array of them; a cut array gives those of its whole elements."""
        body = body.removeprefix(b"\xef\xbb\xbf")
        if body.lstrip()[:1] != b"[":
            return super().parse_body(body)
        try:
            elements = loads_exact(body)
        except NotJSON:
            elements = whole_elements(body.decode("utf-8", "replace"))
        self._dirty = True
        for element in elements:
            if type(element) is dict:
                self._read(element, None)
            else:
                self.malformed += 1
        self._dirty = False
        return self._take()

    def _payload(self, payload: dict[str, Any], raw: bytes) -> None:
        self._read(payload, raw)

    def _read(self, payload: dict[str, Any], raw: bytes | None) -> None:
        """Read one response; `raw` are its bytes where `payload` may hold rounded integers."""
        self._count_tokens(payload)
        model = payload.get("modelVersion")
        if type(model) is str and model:
            self.model = scrub(model) if self._dirty else model
        if self._over or self._failed:
            return
        candidate = first_candidate(payload)
        if candidate is not None:
            self._queries.update(queries_of(candidate))
            self._candidate(candidate, raw)
        feedback = payload.get("promptFeedback")
        if type(feedback) is dict and not self._over:
            self._blocked(feedback)
        if payload.get("error") is not None and not self._over:
            failure = scrub_deep(payload["error"]) if self._dirty else payload["error"]
            self._fail(in_stream_error(failure, key_variable=self._key_variable))

    def _count_tokens(self, payload: dict[str, Any]) -> None:
        counts = payload.get("usageMetadata")
        if type(counts) is dict:
            for name, count in counts.items():
                if type(count) is int and count >= 0 and name in _COUNTED:
                    self._counts[name] = count

    def _candidate(self, candidate: dict[str, Any], raw: bytes | None) -> None:
        word = word_of(candidate.get("finishReason"), FINISH_NUMBERS)
        exact: list[Any] | None = None
        parts = parts_of(candidate)
        # After the end mark only calls are read. Two dialects put STOP elsewhere: on every payload (so the parts of a
        # payload with its own mark are read), and on empty payloads before the answer (so `_begin` takes it back).
        late = self._ended and word is None and (self._begun or self._stop != "stop")
        for at, part in enumerate(parts):
            if type(part) is dict and type(part.get("text")) is str and part.get("functionCall") is None:
                if not late:
                    self._text_part(part)
            else:
                if exact is None:
                    exact = exact_parts(raw, parts)
                self._other_part(exact[at], late)
        if word is not None:
            self._finished(word, candidate.get("finishMessage"))

    def _text_part(self, part: dict[str, Any]) -> None:
        text, opaque = part["text"], self._signature(part)
        if text or opaque is not None:
            self._begin()
            if part.get("thought") is True:
                self._reasoning(text, opaque)
            else:
                self._text(text, opaque)

    def _other_part(self, part: Any, late: bool) -> None:
        if type(part) is not dict:
            self._count(f"part: {type(part).__name__}")
            return
        call = part.get("functionCall")
        if type(call) is dict:
            self._begun = True
            if type(part.get("text")) is str and part["text"] and not late:
                self._text_part({"text": part["text"], "thought": part.get("thought")})
            self._function_call(call, self._signature(part))
            return
        kinds = [kind for kind, value in part.items() if value is not None and kind not in _MARKS]
        if call is not None:
            kinds.append("functionCall")
        if late:
            return
        if not kinds:
            self._text_part(part | {"text": ""})
            return
        if _KINDS.isdisjoint(kinds):
            self._count(f"part: {kinds[0]}")
        if kinds != ["text"]:
            self._begin()
            self._reasoning("", scrub_deep(part) if self._dirty else part)

    def _begin(self) -> None:
        """Something of the answer came; a STOP before it was no end mark."""
        if not self._begun:
            self._begun = True
            if self._ended:
                self._ended, self._stop, self._stop_raw = False, None, None

    def _function_call(self, call: dict[str, Any], opaque: Any) -> None:
        name, id = call.get("name"), call.get("id")
        name, id = name if type(name) is str else "", id if type(id) is str else None
        more = call.get("willContinue") is True
        goes_on = self._open is not None and (not name or (id is not None and id == self._open.id))
        if not goes_on:
            self._shut(closed=False, ended=True)
            if not name and not call.get("args") and not call.get("partialArgs"):
                self._count("functionCall without a name")
                return
            if not more and call.get("partialArgs") is None:
                self._tool_call(id, name, call.get("args"), opaque)
                return
            self._open = OpenCall()
        assert self._open is not None
        self._open.add(call)
        if opaque is not None:
            self._open.opaque = opaque
        if not more:
            self._shut(closed=True, ended=True)

    def _shut(self, *, closed: bool, ended: bool) -> None:
        """Hand over the open call: `closed` by its last part, or `ended` in good order without one."""
        call, self._open = self._open, None
        if call is not None:
            arguments = call.arguments(whole=closed or (ended and call.settled))
            self._tool_call(call.id, call.name, arguments, call.opaque)

    def _finished(self, word: str, message: Any) -> None:
        name = word.upper()
        failure: Error | None = None
        if name in FAILURES:
            kind, default = FAILURES[name]
            failure = error(kind, message if type(message) is str and message else default, status=200)
        self._own_end(STOPS.get(name, "content_filter"), word, failure)

    def _blocked(self, feedback: dict[str, Any]) -> None:
        word = word_of(feedback.get("blockReason"), BLOCK_NUMBERS)
        if word is not None:
            message = feedback.get("blockReasonMessage")
            text = message if type(message) is str and message else f"The provider blocked the prompt: {word}"
            self._own_end("content_filter", word, error("content_blocked", text, status=200))

    def _own_end(self, stop: StopReason, word: str, failure: Error | None) -> None:
        if failure is not None:
            self._over = True
            self._shut(closed=False, ended=False)
            self._release(normal=False)
        self._end(stop, scrub(word), failure)

    def _close(self) -> None:
        self._shut(closed=False, ended=self._ended and not self._failed and self._stop == "stop")
        self.usage = usage_of(self._counts)
        if self.usage is not None and self._queries:
            self.usage.provider_tools = {"web_search": len(self._queries)}

    def _signature(self, part: dict[str, Any]) -> dict[str, Any] | None:
        signature = part.get("thoughtSignature")
        if not signature:
            return None
        return {"thoughtSignature": scrub_deep(signature) if self._dirty else signature}


ADAPTER = Adapter("gemini", request, GeminiDecoder)
