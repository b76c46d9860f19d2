"""Keeps a request within its budget, and a tool result within its cap. Pure and idempotent.

Sizes are characters of the JSON form of messages, tools and system prompt. A call and all its results are one unit:
they are touched together and dropped whole, because providers refuse a result without its call and a call without
its result (OpenAI and Anthropic, tool use). The task head (system and user messages, so also the first one) is never
touched, nor are the last messages, widened to whole units.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from agent.events import ToolCall
from agent.jsonio import dumps
from agent.messages import Message, ToolSpec, message_to_dict

PLACEHOLDER = "[trimmed: budget]"
LONG_VALUE = 1_000
_KEPT_OF_LONG_VALUE = 900
_MARK_ROOM = 60


@dataclass(slots=True, frozen=True)
class Trimmed:
    """What `trim` made of a request.

    `results`: tool results replaced; `inputs`: calls whose long values were shortened; `units`: units dropped.
    `before` and `after` are sizes in characters; `fits` is False where nothing more may be taken and it is too long.
    """

    messages: list[Message]
    before: int
    after: int
    results: int
    inputs: int
    units: int
    fits: bool

    @property
    def changed(self) -> bool:
        return bool(self.results or self.inputs or self.units)


def base_size(system: str | None, tools: Sequence[ToolSpec]) -> int:
    """The characters of a request that are no messages."""
    return _length(system or "") + sum(_length(tool.to_dict()) for tool in tools)


def trim(messages: Sequence[Message], budget: int, *, base: int = 0, keep_tail: int = 6) -> Trimmed:
    """The messages cut down to `budget` characters, `base` included; as they are where they fit.

    In this order, each from the oldest unit on and only as far as needed: results become a placeholder; strings over
    1,000 characters inside call inputs are shortened; units are dropped.
    """
    kept: list[Message | None] = list(messages)
    sizes = [_length(message_to_dict(message)) for message in messages]
    total = before = base + sum(sizes)
    results = inputs = dropped = 0
    old = list(_old_units(messages, keep_tail))
    for change in (_without_result, _with_short_input):
        for unit in old:
            if total <= budget:
                break
            for index in unit:
                message = kept[index]
                changed = None if message is None else change(message)
                if changed is None:
                    continue
                kept[index] = changed
                size = _length(message_to_dict(changed))
                total += size - sizes[index]
                sizes[index] = size
                if change is _without_result:
                    results += 1
                else:
                    inputs += sum(a is not b for a, b in zip(messages[index].parts, changed.parts, strict=True))
    for unit in old:
        if total <= budget:
            break
        dropped += 1
        for index in unit:
            kept[index] = None
            total -= sizes[index]
    left = [message for message in kept if message is not None]
    return Trimmed(left, before, total, results, inputs, dropped, total <= budget)


def units(messages: Sequence[Message]) -> Iterator[range]:
    """The call-and-result units: an assistant message with calls, and the tool messages right after it."""
    index = 0
    while index < len(messages):
        start, index = index, index + 1
        if messages[start].tool_calls:
            while index < len(messages) and messages[index].role == "tool":
                index += 1
            yield range(start, index)


def cap(text: str, limit: int = 20_000) -> str:
    """`text` in at most `limit` characters: its beginning and its end, with a mark that says how much is left out."""
    if len(text) <= limit:
        return text
    room = limit - _MARK_ROOM
    if room <= 0:
        return text[:limit]
    head = room * 3 // 4
    tail = room - head
    return f"{text[:head]}\n[... {len(text) - room} characters left out ...]\n{text[len(text) - tail :]}"


def _length(value: Any) -> int:
    return len(dumps(value).decode())


def _old_units(messages: Sequence[Message], keep_tail: int) -> Iterator[range]:
    border = len(messages) - keep_tail
    return (unit for unit in units(messages) if unit.stop <= border)


def _without_result(message: Message) -> Message | None:
    if message.role != "tool" or len(message.text) <= len(PLACEHOLDER):
        return None
    return replace(message, text=PLACEHOLDER)


def _with_short_input(message: Message) -> Message | None:
    parts = tuple(_short_call(part) if isinstance(part, ToolCall) else part for part in message.parts)
    if all(a is b for a, b in zip(parts, message.parts, strict=True)):
        return None
    return replace(message, parts=parts)


def _short_call(call: ToolCall) -> ToolCall:
    short = _shorten(call.input)
    return call if short is call.input else replace(call, input=short)


def _shorten(value: Any) -> Any:
    """`value` with long strings shortened, and the same object where there is none."""
    if isinstance(value, str):
        if len(value) <= LONG_VALUE:
            return value
        return f"{value[:_KEPT_OF_LONG_VALUE]}... [trimmed: budget, {len(value)} characters]"
    if isinstance(value, dict):
        short = {key: _shorten(item) for key, item in value.items()}
        return value if all(short[key] is item for key, item in value.items()) else short
    if isinstance(value, list):
        items = [_shorten(item) for item in value]
        return value if all(a is b for a, b in zip(items, value, strict=True)) else items
    return value
