"""The conversation in the body of a request, whatever its format: for calls that no turn explains. Pure.

Shapes as the providers document them: OpenAI chat `messages`, Responses `input`, Anthropic `messages`, Gemini
`contents`. What has none of these shapes is shown as the JSON that it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from agent.jsonio import NotJSON, loads_exact
from harness.recording.contents import Call
from harness.report.asked import CONVERSATIONS
from harness.report.call_facts import CallFacts
from harness.report.values import any_text, items, mapping, text

SYSTEMS = ("system", "instructions", "systemInstruction", "system_instruction")
_RESULTS = {"tool_result", "function_call_output", "custom_tool_call_output"}
_CALLS = {"tool_use", "function_call", "custom_tool_call"}


@dataclass(slots=True, frozen=True)
class Piece:
    """A piece of a message. `kind`: `text`, `call`, `result` or `other`. `id` and `name`: of the tool call, as far as
    they are told. `value`: a string for `text` and `result`, any JSON for the others."""

    kind: str
    value: Any
    id: str = ""
    name: str = ""


@dataclass(slots=True, frozen=True)
class Message:
    """One message of a request."""

    role: str
    pieces: list[Piece] = field(default_factory=list)


@dataclass(slots=True, frozen=True)
class News:
    """What a request says that the earlier one `of` did not: the system prompt first, then new messages. `before`: how
    many messages of it `of` had sent already, one after the other from the first on."""

    messages: list[Message] = field(default_factory=list)
    before: int = 0
    of: int | None = None


_BACK = 16
"""Earlier requests that are looked at: several agents of one program may take turns."""


def news(calls: Sequence[Call]) -> list[News]:
    """The news of each request, in order. The one that it is told against is the latest of those with the longest
    beginning in common."""
    found: list[News] = []
    bodies = [mapping(call.request.body) for call in calls]
    talks = [_talk(body) for body in bodies]
    for at, (body, talk) in enumerate(zip(bodies, talks, strict=True)):
        before, of = 0, None
        for earlier in range(at - 1, max(at - 1 - _BACK, -1), -1):
            if len(talks[earlier]) > before:
                common = in_common(talks[earlier], talk)
                before, of = (common, earlier) if common > before else (before, of)
        known = {} if of is None else bodies[of]
        system = [
            Message("system", [Piece("text", _plain(body[name]))])
            for name in SYSTEMS
            if body.get(name) and body[name] != known.get(name)
        ]
        messages = [*system, *map(_message, talk[before:])]
        found.append(News(messages, before, None if of is None else calls[of].number))
    return found


def _talk(body: dict[str, Any]) -> list[Any]:
    """The messages of a body. Those of the Responses API may be one text."""
    name = next((name for name in CONVERSATIONS if name in body), "")
    value = body.get(name)
    return [{"role": "user", "content": value}] if isinstance(value, str) else items(value)


def in_common(one: list[Any], other: list[Any]) -> int:
    """The length of the beginning that two lists have in common: by halves, for comparing slices passes quickly over
    what is the same object, as what earlier requests sent is."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _message(item: Any) -> Message:
    message = mapping(item)
    kind, role = text(message.get("type")), text(message.get("role"))
    if kind in _RESULTS or kind in _CALLS:
        return Message("tool" if kind in _RESULTS else "assistant", [_block(message)])
    content = message.get("content", message.get("parts"))
    if role is None and content is None:
        return Message(kind or "message", [Piece("other", item)])
    if role == "tool":
        return Message("tool", [Piece("result", _plain(content), any_text(message.get("tool_call_id")))])
    pieces = [Piece("text", content)] if isinstance(content, str) and content else list(map(_block, items(content)))
    for call in items(message.get("tool_calls")):
        asked = mapping(mapping(call).get("function"))
        arguments = _arguments(asked.get("arguments"))
        pieces.append(Piece("call", arguments, any_text(mapping(call).get("id")), any_text(asked.get("name"))))
    return Message({"model": "assistant"}.get(role or "", role or "user"), pieces)


def _block(item: Any) -> Piece:
    block = mapping(item)
    kind = text(block.get("type"))
    if kind in _RESULTS:
        value = block.get("content", block.get("output"))
        return Piece("result", _plain(value), any_text(block.get("tool_use_id", block.get("call_id"))))
    if kind in _CALLS:
        value = block["input"] if "input" in block else _arguments(block.get("arguments"))
        return Piece("call", value, any_text(block.get("call_id", block.get("id"))), any_text(block.get("name")))
    if "functionCall" in block:
        asked = mapping(block["functionCall"])
        return Piece("call", asked.get("args"), any_text(asked.get("id")), any_text(asked.get("name")))
    if "functionResponse" in block:
        given = mapping(block["functionResponse"])
        return Piece("result", _plain(given.get("response")), any_text(given.get("id")), any_text(given.get("name")))
    if text(block.get("text")) is not None:
        return Piece("text", block["text"])
    return Piece("text", item) if isinstance(item, str) else Piece("other", item, name=kind or "")


def _plain(value: Any) -> str:
    """The text of a content: a string, or a list of text blocks; JSON where it is anything else."""
    if isinstance(value, dict) and isinstance(value.get("parts"), list):
        value = value["parts"]
    if isinstance(value, list) and value and all(text(mapping(part).get("text")) is not None for part in value):
        return "\n".join(part["text"] for part in value)
    return any_text(value)


def _arguments(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        return loads_exact(value.encode("utf-8", "surrogatepass"))
    except NotJSON:
        return value


@dataclass(slots=True, frozen=True)
class SentBack:
    """A tool result that a later request of the same program told: by its call."""

    call: int
    output: str


def results_sent_back(
    calls: Sequence[tuple[CallFacts, News]],
) -> tuple[Mapping[tuple[int, int], SentBack], Mapping[tuple[int, int], tuple[int, int]]]:
    """The results of tool calls that later requests told, by (call, position); and the other way round: by (call,
    number of the result among those of its news) the tool call that it answers.

    By the id of the call, the latest first; where the provider has no ids, in order of the calls of that name.
    """
    results: dict[tuple[int, int], SentBack] = {}
    places: dict[tuple[int, int], tuple[int, int]] = {}
    waiting: list[tuple[tuple[int, int], str, str]] = []
    for facts, new in calls:
        given = [piece for message in new.messages for piece in message.pieces if piece.kind == "result"]
        for number, piece in enumerate(given):
            match = [entry for entry in reversed(waiting) if piece.id and entry[1] == piece.id]
            match = match or [entry for entry in waiting if not piece.id and entry[2] == piece.name]
            if match:
                waiting.remove(match[0])
                results[match[0][0]] = SentBack(facts.call, any_text(piece.value))
                places[facts.call, number] = match[0][0]
        asked = [part for part in facts.content if part["type"] == "tool_call"]
        waiting += [((facts.call, at), part["id"], part["name"]) for at, part in enumerate(asked)]
    return results, places
