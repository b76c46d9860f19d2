"""Anthropic Messages: decoder of streamed and whole answers.

Source: https://docs.anthropic.com/en/api/messages and .../build-with-claude/streaming. Events are told apart by the
payload's `type`; the `event:` lines repeat it. Text and thinking pass straight through. Tool calls and blocks that
only the provider reads (server tools and their results, redacted thinking, compaction, unknown types) are assembled
from their start block and deltas, and handed over at the block's stop.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orjson import loads

from agent.events import DecodeOptions, Event, Reasoning, StopReason, Text, Usage
from agent.failures import in_stream_error
from agent.jsonio import scrub, scrub_deep
from agent.providers.anthropic_blocks import OPAQUE_BLOCKS, Block, read_exactly
from agent.providers.anthropic_request import request
from agent.providers.anthropic_usage import TokenCounts
from agent.providers.base import Adapter, Decoder
from agent.sse import Frame

STOPS: Mapping[str, StopReason] = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "eos": "stop",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "pause_turn": "pause",
    "compaction": "pause",  # sent where the request asks to pause after a compaction
    "refusal": "refusal",
    "content_filter": "content_filter",
    "insufficient_system_resource": "error",
}
"""`stop_reason` words; an unknown one is `stop`."""


class AnthropicDecoder(Decoder):
    """The state machine of one answer; `_open` holds what is assembled, by index."""

    __slots__ = ("_container", "_counts", "_last", "_open")

    def __init__(self, *, call: int = 0, options: DecodeOptions = DecodeOptions()) -> None:
        super().__init__(call=call, options=options)
        self._open: dict[int, Block] = {}
        self._last = -1
        self._counts = TokenCounts()
        self._container: Any = None

    @staticmethod
    def piece(data: bytes) -> Text | Reasoning | None:
        """The text or thinking of a delta."""
        try:
            payload = loads(data)
            if payload["type"] == "content_block_delta":
                delta = payload["delta"]
                kind = delta["type"]
                if kind == "text_delta":
                    text = delta["text"]
                    if type(text) is str and text:
                        return Text(text)
                elif kind == "thinking_delta":
                    text = delta["thinking"]
                    if type(text) is str and text:
                        return Reasoning(text)
        except (ValueError, LookupError, TypeError):
            pass
        return None

    def feed(self, frame: Frame) -> list[Event]:
        """The events of one frame; text and thinking, most of a stream, take the short way."""
        if self.plain:
            piece = self.piece(frame.data or b"")
            if piece is not None:
                return [piece]
        out = super().feed(frame)
        self.plain = self._is_plain() and not self._open
        return out

    def _payload(self, payload: dict[str, Any], raw: bytes) -> None:
        kind = payload.get("type")
        if kind == "content_block_delta":
            delta = payload.get("delta")
            if type(delta) is dict:
                self._delta(self._open.get(self._index(payload)), delta)
            return
        if payload.get("usage") is not None:
            self._read_usage(payload["usage"])
        if kind == "content_block_start":
            self._block_start(payload, raw)
        elif kind == "content_block_stop":
            self._block_stop(self._index(payload))
        elif kind == "message_delta":
            self._message_delta(payload.get("delta"))
        elif kind == "message_start":
            self._message_start(payload.get("message"), raw)
        elif kind == "message_stop":
            self._message_stop()
        elif kind == "message":
            self._message(payload, raw)
        elif kind == "error" or payload.get("error"):
            self._fail(in_stream_error(payload.get("error") or payload))
        elif kind != "ping":
            self._count(kind)

    def _close(self) -> None:
        """Hand over open calls; blocks for the provider are of no use in part."""
        self.plain = False
        for index in sorted(self._open):
            block = self._open.pop(index)
            if block.kind == "tool_use":
                if not self._ended or self._failed:
                    block.sent["input"] = None  # deltas that never came would have replaced it
                self._hand_over(block)

    # Events of the message

    def _message_start(self, message: Any, raw: bytes) -> None:
        if type(message) is not dict:
            return
        self._read_head(message)
        if self._ended or self._failed:
            return
        self._open.clear()
        self._last = -1
        self._stop_raw = None
        self._read_container(message.get("container"))
        blocks = message.get("content")
        if type(blocks) is list and blocks:
            exact = read_exactly(raw).get("message")
            if type(exact) is dict and type(exact.get("content")) is list:
                blocks = exact["content"]
            self._read_blocks(blocks[:-1])
            self._open_block(len(blocks) - 1, blocks[-1])

    def _message_delta(self, delta: Any) -> None:
        if type(delta) is not dict or self._ended or self._failed:
            return
        self._read_container(delta.get("container"))
        self._read_stop_reason(delta.get("stop_reason"))

    def _message_stop(self) -> None:
        if self._ended or self._failed:
            return
        for index in sorted(self._open):
            self._block_stop(index)
        self._end(STOPS.get(self._stop_raw or "", "stop"), self._stop_raw)

    def _message(self, message: dict[str, Any], raw: bytes) -> None:
        """A whole answer: its end is the end mark."""
        self._read_head(message)
        if self._ended or self._failed:
            return
        blocks = read_exactly(raw).get("content")
        if type(blocks) is list:
            self._read_blocks(blocks)
        self._read_container(message.get("container"))
        self._read_stop_reason(message.get("stop_reason"))
        self._message_stop()

    def _read_head(self, message: dict[str, Any]) -> None:
        model = message.get("model")
        if type(model) is str and model:
            self.model = scrub(model)
        self._read_usage(message.get("usage"))

    def _read_usage(self, usage: Any) -> None:
        if type(usage) is dict:
            self._counts.read(usage)
            found = self._counts.usage()
            if found != Usage():
                self.usage = found

    def _read_stop_reason(self, reason: Any) -> None:
        if type(reason) is str and reason:
            self._stop_raw = scrub(reason)

    def _read_container(self, container: Any) -> None:
        """The container that server tools ran in: a resumed call must name it."""
        if type(container) is dict and container != self._container:
            self._container = container
            self._reasoning("", scrub_deep({"type": "container"} | container | {"type": "container"}))

    # Events of a block

    def _index(self, payload: dict[str, Any]) -> int:
        index = payload.get("index")
        return index if type(index) is int else self._last

    def _read_blocks(self, blocks: list[Any]) -> None:
        for index, block in enumerate(blocks):
            self._open_block(index, block)
            self._block_stop(index)

    def _block_start(self, payload: dict[str, Any], raw: bytes) -> None:
        block = payload.get("content_block")
        if type(block) is not dict or self._failed:
            return
        if block.get("type") not in ("text", "thinking"):
            block = read_exactly(raw).get("content_block", block)
        index = payload.get("index")
        self._open_block(index if type(index) is int else self._last + 1, block)

    def _open_block(self, index: int, block: Any) -> None:
        before = self._open.pop(index, None)
        if type(block) is not dict:
            return
        kind = block.get("type")
        if before is not None and not (before.sent.get("id") and before.sent["id"] == block.get("id")):
            self._hand_over(before)
        self._last = index
        if kind == "tool_use":
            self._open[index] = Block(kind, block)
        elif self._ended:
            return
        elif kind == "text":
            text = block.get("text")
            if text and type(text) is str:
                self._text(text)
        elif kind == "thinking":
            text = block.get("thinking")
            if text and type(text) is str:
                self._reasoning(text)
            if block.get("signature"):
                self._open[index] = Block(kind, block)
        else:
            if type(kind) is not str or not (kind in OPAQUE_BLOCKS or kind.endswith("_tool_result")):
                self._count(kind)
            self._open[index] = Block(kind, block)

    def _delta(self, block: Block | None, delta: dict[str, Any]) -> None:
        """A delta that did not take the short way."""
        name = delta.get("type")
        if self._failed or (self._ended and name != "input_json_delta"):
            return
        if name == "input_json_delta":
            piece = delta.get("partial_json")
            if block is not None and type(piece) is str:
                block.pieces.append(piece)
            elif block is not None and type(piece) is dict:
                block.sent["input"] = piece
        elif block is not None and block.kind not in ("tool_use", "thinking"):
            block.add(delta)
        elif name == "text_delta":
            text = delta.get("text")
            if text and type(text) is str:
                self._text(text)
        elif name == "thinking_delta":
            text = delta.get("thinking")
            if text and type(text) is str:
                self._reasoning(text)
        elif name == "signature_delta":
            self._signature(block, delta.get("signature"))
        elif name != "citations_delta":
            self._count(name)

    def _signature(self, block: Block | None, signature: Any) -> None:
        """The signature of the thinking before it, which goes back with it; one of the start block is replaced."""
        if type(signature) is str and signature:
            if block is not None and block.kind == "thinking":
                block.sent.pop("signature", None)
            self._reasoning("", {"type": "thinking", "signature": scrub(signature)})

    def _block_stop(self, index: int) -> None:
        block = self._open.pop(index, None)
        if block is not None:
            self._hand_over(block)

    def _hand_over(self, block: Block) -> None:
        if block.kind == "tool_use":
            sent = block.sent
            id, name, caller = sent.get("id"), sent.get("name"), sent.get("caller")
            opaque = None
            if type(caller) is dict and caller.get("type") != "direct":
                opaque = {"caller": scrub_deep(caller)}
            self._tool_call(
                id if type(id) is str else None, name if type(name) is str else "", block.arguments(), opaque
            )
        elif block.kind == "thinking":
            self._signature(None, block.sent.get("signature"))
        else:
            self._reasoning("", block.whole())


ADAPTER = Adapter("anthropic", request, AnthropicDecoder)
