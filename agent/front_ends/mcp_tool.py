"""What an MCP server offers, and the agent as such a tool: the loop events of a turn folded into one reply.

Nothing here needs the protocol's SDK; `agent.front_ends.mcp` puts tools behind a server.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from contextlib import AbstractAsyncContextManager, aclosing
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from agent.front_ends.human import STOPS
from agent.front_ends.summary import Events, Summary
from agent.jsonio import dumps
from agent.loop_types import LoopEvent
from agent.notices import describe
from agent.tools.tool import properties

_LINE_WIDTH = 160

Report: TypeAlias = Callable[[str], Awaitable[None]]
"""Tells the client, if it asked for progress, in one line what is being done."""


@dataclass(slots=True, frozen=True)
class Reply:
    """`text` and `notes` (a block each) are for a model, `data` tells programs the same; `failed`: an error result."""

    text: str
    data: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()
    failed: bool = False


@dataclass(slots=True, frozen=True)
class Tool:
    """One tool of a server. `parameters`, `output`: JSON Schema objects of the arguments and of `Reply.data`, if any.

    `call` gets the arguments, checked and with defaults filled in. A failure that the client's model should read is a
    failed reply or a `ToolError` (`agent.tools.tool`). Cancelling it must end all that it started.
    """

    name: str
    title: str
    description: str
    parameters: dict[str, Any]
    output: dict[str, Any] | None
    call: Callable[[dict[str, Any], Report], Awaitable[Reply]]
    read_only: bool = True
    open_world: bool = False
    """It reaches beyond this machine."""


@dataclass(slots=True, frozen=True)
class Running:
    """A turn that can be read. `details` is added to the reply's data, and each named in a note."""

    events: Events
    details: Mapping[str, Any] = field(default_factory=dict)


class Run(Protocol):
    """Prepares a turn over a prompt. Leaving the context ends all that belongs to the turn.

    Raises `ToolError` where there is nothing to read.
    """

    def __call__(self, prompt: str) -> AbstractAsyncContextManager[Running]: ...


def agent_tool(run: Run, about: str, *, read_only: bool) -> Tool:
    """The agent as the tool `ask_agent`. `about` says in a sentence what this agent works on and what it may do."""

    async def call(arguments: dict[str, Any], report: Report) -> Reply:
        async with run(arguments["prompt"]) as running:
            return await fold(running, report)

    return Tool(
        "ask_agent",
        "Ask the agent",
        f"Give a task to an agent and get its answer. {about} The agent sees nothing of this conversation: the prompt "
        "must say all that it needs. It works until it is done, which can take minutes.",
        properties(
            ("prompt",),
            prompt={"type": "string", "description": "The task, complete in itself.", "minLength": 1},
        ),
        _OUTPUT,
        call,
        read_only=read_only,
        open_world=True,
    )


async def fold(running: Running, report: Report) -> Reply:
    """Read a turn to its end. It is closed when this returns or raises."""
    folded = _Folded()
    async with aclosing(running.events) as events:
        async for event in events:
            line = folded.see(event)
            if line is not None:
                await report(_short(line))
    return folded.reply(running.details)


_NULLABLE_TEXT = {"type": ["string", "null"]}
_OUTPUT: dict[str, Any] = {
    "type": "object",
    "properties": {
        "answer": {"type": "string", "description": "What the agent said after its last tool call."},
        "stop_reason": {**_NULLABLE_TEXT, "description": "Why it stopped; `stop` is the normal end."},
        "error": {"type": ["object", "null"], "description": "What went wrong: message, kind, hint."},
        "tool_calls": {
            "type": "array",
            "description": "The tools that the agent called, in order.",
            "items": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "ok": {"type": "boolean"}},
                "required": ["name", "ok"],
            },
        },
        "model": _NULLABLE_TEXT,
        "iterations": {"type": ["integer", "null"], "description": "Requests to the model, retries not counted."},
        "usage": {"type": ["object", "null"], "description": "Tokens of all requests; null is unknown."},
        "cost_usd": {**_NULLABLE_TEXT, "description": "Dollars, a decimal string; null where a price is unknown."},
    },
    "required": ["answer", "stop_reason", "error", "tool_calls", "model", "iterations", "usage", "cost_usd"],
}


class _Folded:
    """What a turn has come to so far."""

    def __init__(self) -> None:
        self._summary = Summary()
        self._pieces: list[str] = []
        self._before = ""
        self._doing = ""
        self._tools: list[dict[str, Any]] = []
        self._error: dict[str, Any] | None = None

    def see(self, event: LoopEvent) -> str | None:
        """Take one event. What it says about the progress, None for nothing new."""
        self._summary.see(event)
        kind, data = event.event, event.data
        if kind in ("text", "reasoning"):
            if kind == "text":
                self._pieces.append(data["delta"])
            was, self._doing = self._doing, kind
            return None if was == kind else "answering" if kind == "text" else "thinking"
        self._doing = kind
        if kind == "tool_call":
            return f"{data['name']} {dumps(data['input']).decode()}"
        if kind == "tool_result":
            self._before, self._pieces = self.answer, []
            self._tools.append({"name": data["name"], "ok": data["ok"]})
            return f"{data['name']} {'is done' if data['ok'] else 'failed: ' + data['output']}"
        if kind == "notice":
            return describe(data)
        if kind == "error":
            self._error = self._error or data
            return f"error: {data['message']}"
        return None

    @property
    def answer(self) -> str:
        """The text since the last tool result; without any, that before."""
        text = "".join(self._pieces)
        return text if text.strip() else self._before

    def reply(self, details: Mapping[str, Any]) -> Reply:
        finish = self._summary.finish or {}
        stop = finish.get("stop_reason")
        said = [self.answer] if self.answer else []
        if self._error is not None:
            hint = self._error.get("hint")
            said.append(f"error: {self._error['message']}" + (f"\n-> {hint}" if hint else ""))
        if stop in STOPS:
            said.append(f"stopped ({stop}): {STOPS[stop]}")
        elif stop is None:
            said.append("error: the turn was closed before it was done")
        return Reply(
            "\n\n".join(said) or "The agent is done and said nothing.",
            {
                "answer": self.answer,
                "stop_reason": stop,
                "error": self._error,
                "tool_calls": self._tools,
                **{name: finish.get(name) for name in ("model", "iterations", "usage", "cost_usd")},
                **details,
            },
            tuple(f"{name}: {value}" for name, value in details.items() if value is not None),
            failed=self._summary.failed or stop is None,
        )


def _short(text: str) -> str:
    line = " ".join(text[: 4 * _LINE_WIDTH].split())
    return line if len(line) <= _LINE_WIDTH else line[: _LINE_WIDTH - 3] + "..."
