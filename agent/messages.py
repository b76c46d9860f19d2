"""Neutral messages: what the loop keeps, adapters shape for the wire, and recordings hold as `history`.

An assistant message is the `text`, `reasoning` and `tool_call` events of one call in their order (adjacent pieces
joined), so opaque provider data goes back exactly where it stood. `wire` names the format that data belongs to:
an adapter sends opaque data only to its own format.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from agent.events import Event, Part, Reasoning, Text, ToolCall, from_dict, to_dict

Role: TypeAlias = Literal["system", "user", "assistant", "tool", "note"]


@dataclass(slots=True, frozen=True)
class Message:
    """One message.

    system, user, note: `text` (a note is local and never goes out).
    assistant: `parts`, `wire`.
    tool: `text` is the result of the call `id` to `name`; `ok` is False for an error result;
    `synthetic_id` marks an id that the provider did not send.
    """

    role: Role
    text: str = ""
    parts: tuple[Part, ...] = ()
    wire: str | None = None
    id: str = ""
    name: str = ""
    ok: bool = True
    synthetic_id: bool = False

    @property
    def tool_calls(self) -> list[ToolCall]:
        return [part for part in self.parts if isinstance(part, ToolCall)]


@dataclass(slots=True, frozen=True)
class ToolSpec:
    """A tool as a model sees it: `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: dict[str, Any]

    def to_dict(self) -> dict[str, Any]:
        return {"name": self.name, "description": self.description, "parameters": self.parameters}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> ToolSpec:
        return cls(
            data["name"], data.get("description", ""), data.get("parameters") or {"type": "object", "properties": {}}
        )


def system(text: str) -> Message:
    return Message("system", text)


def user(text: str) -> Message:
    return Message("user", text)


def note(text: str) -> Message:
    return Message("note", text)


def tool_result(call: ToolCall, output: str, *, ok: bool = True) -> Message:
    return Message("tool", output, id=call.id, name=call.name, ok=ok, synthetic_id=call.synthetic_id)


def assistant(events: Iterable[Event], wire: str | None) -> Message:
    """The assistant message of one call's events: other events left out, adjacent pieces of one kind joined.

    A piece with opaque data stays a part of its own, so that a signature stays where the provider put it.
    """
    parts: list[Part] = []
    run: list[str] = []
    run_type: type[Text] | type[Reasoning] = Text

    def close() -> None:
        if any(run):
            parts.append(run_type("".join(run)))
        run.clear()

    for event in events:
        if isinstance(event, Text | Reasoning) and event.opaque is None:
            if run_type is not type(event):
                close()
                run_type = type(event)
            run.append(event.text)
        elif isinstance(event, Text | Reasoning | ToolCall):
            close()
            parts.append(event)
    close()
    return Message("assistant", parts=tuple(parts), wire=wire)


def message_to_dict(message: Message) -> dict[str, Any]:
    """The JSON form that `turn` records hold; fields at their default are left out."""
    data: dict[str, Any] = {"role": message.role}
    if message.role == "assistant":
        data["parts"] = [to_dict(part) for part in message.parts]
        if message.wire is not None:
            data["wire"] = message.wire
        return data
    data["text"] = message.text
    if message.role == "tool":
        data |= {"id": message.id, "name": message.name, "ok": message.ok}
        if message.synthetic_id:
            data["synthetic_id"] = True
    return data


def message_from_dict(data: dict[str, Any]) -> Message:
    """The inverse of `message_to_dict`. Raises `KeyError` or `ValueError` for a form it does not know."""
    role = data["role"]
    if role not in ("system", "user", "assistant", "tool", "note"):
        raise ValueError(f"unknown role {role!r}")
    if role == "assistant":
        parts = tuple(from_dict(part) for part in data.get("parts", ()))
        if not all(isinstance(part, Text | Reasoning | ToolCall) for part in parts):
            raise ValueError("an assistant message holds only text, reasoning and tool_call parts")
        return Message(role, parts=parts, wire=data.get("wire"))  # type: ignore[arg-type]
    if role == "tool":
        return Message(
            role, data["text"], id=data["id"], name=data["name"], ok=data.get("ok", True),
            synthetic_id=bool(data.get("synthetic_id")),
        )  # fmt: skip
    return Message(role, data.get("text", ""))
