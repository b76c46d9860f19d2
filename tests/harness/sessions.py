"""Whole sessions, recorded in process: the real loop, client and recorder over scripted responses and tools."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

from agent.client import Client
from agent.events import DecodeOptions
from agent.loop import run_turn
from agent.loop_types import Limits, ToolResult
from agent.messages import Message, ToolSpec, user
from agent.providers.table import resolve
from tests.harness.transports import SSE, WAIT, Reply, Scripted, recorder

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def frames(*payloads: Any) -> list[bytes]:
    return [b"data: " + (p if isinstance(p, bytes) else json.dumps(p).encode()) + b"\n\n" for p in payloads]


def chat(*texts: str, calls: Sequence[tuple[str, str, str]] = (), finish: str | None = "stop", **more: Any) -> Reply:
    """A chat answer: `texts`, then tool calls `(id, name, arguments)`; `finish` None leaves the end mark out."""
    deltas: list[dict[str, Any]] = [{"content": text} for text in texts]
    for index, (id, name, arguments) in enumerate(calls):
        function = {"name": name, "arguments": arguments}
        deltas.append({"tool_calls": [{"index": index, "id": id, "type": "function", "function": function}]})
    payloads: list[Any] = [{"model": "m-1", "choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    if finish is not None:
        last = {"model": "m-1", "choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}
        payloads += [last | {"usage": {"prompt_tokens": 7, "completion_tokens": 3}}, b"[DONE]"]
    return Reply(frames(*payloads), **more)


def failure(status: int, message: str = "no", **more: Any) -> Reply:
    body = json.dumps({"error": {"message": message, "type": "some_error"}}).encode()
    return Reply([body], status, "application/json", **more)


def fixture(name: str, **more: Any) -> Reply:
    """A stream of `fixtures/`, a frame a chunk."""
    data = (FIXTURES / f"{name}.sse").read_bytes()
    return Reply([part + b"\n\n" for part in data.split(b"\n\n") if part.strip()], content_type=SSE, **more)


LOOK = ("c1", "look", '{"at":"x"}')


@dataclass(frozen=True)
class Turn:
    """One turn. `tools`: what each offered tool does: a text, a function of the call, an exception, or WAIT.

    `leave`: the reader leaves after so many loop events; with `pulling` while it waits for the next one, by
    `cancelling` the task that waits or by closing the turn from another one. `sleeps` False: backoff never ends.
    """

    replies: Sequence[Reply]
    tools: dict[str, Any] = field(default_factory=lambda: {"look": "seen"})
    input: str = "go"
    history: Sequence[Message] = ()
    provider: str = "openai"
    limits: Limits = field(default_factory=Limits)
    params: dict[str, Any] = field(default_factory=dict)
    leave: int | None = None
    pulling: bool = False
    cancelling: bool = True
    sleeps: bool = True
    options: DecodeOptions = field(default_factory=DecodeOptions)

    def but(self, **changes: Any) -> Turn:
        return replace(self, **changes)


async def _tool(turn: Turn, tool_call: Any) -> ToolResult:
    await asyncio.sleep(0)
    result = turn.tools[tool_call.name]
    if result == WAIT:
        await asyncio.Event().wait()
    if isinstance(result, BaseException):
        raise result
    return ToolResult(True, result(tool_call) if callable(result) else result)


async def _read(run: Any, turn: Turn) -> list[Any]:
    seen: list[Any] = []
    if turn.leave is None:
        async for event in run:
            seen.append(event)
        return seen
    while len(seen) < turn.leave:
        seen.append(await anext(run))
    if turn.pulling:
        pull = asyncio.ensure_future(anext(run, None))
        for _ in range(100):
            await asyncio.sleep(0)
        assert not pull.done(), "the turn does not wait where the test says"
        if turn.cancelling:
            pull.cancel()
        else:
            await run.aclose()
        await asyncio.wait([pull])
    return seen


async def _record(made: Any, turn: Turn) -> list[Any]:
    async def execute(tool_call: Any, *, call: int, position: int) -> ToolResult:
        return await _tool(turn, tool_call)

    async def sleep(seconds: float) -> None:
        if not turn.sleeps:
            await asyncio.Event().wait()

    target, model = resolve(f"{turn.provider}/m", base_url="https://api.test/v1", environ={})
    history = [*turn.history, user(turn.input)]
    shared: dict[str, Any] = {
        "mode": "PLAN",
        "provider": turn.provider,
        "model": model,
        "system": "Be brief.",
        "tools": [ToolSpec(name, f"The {name} tool.", {"type": "object", "properties": {}}) for name in turn.tools],
        "params": turn.params,
        "limits": turn.limits,
        "tool_modes": {"shell": ["BUILD"]},
    }
    tap = made.turn(history, base_url=target.base_url, **shared)
    async with Client(target, transport=made.transport(Scripted(list(turn.replies)))) as client:
        run = tap.events(
            run_turn(
                history, create_stream=partial(client.stream, options=turn.options), execute_tool=tap.tools(execute),
                ids=tap.ids(), sleep=sleep, wire=target.wire, price=lambda *_: Decimal("0.01"), **shared,
            )
        )  # fmt: skip
        async with run:
            return await _read(run, turn)


def record(path: Path, *turns: Turn, **options: Any) -> Path:
    """A recording of the turns, all in one session."""

    async def session() -> None:
        with recorder(path, **options) as made:
            for turn in turns:
                await _record(made, turn)

    asyncio.run(session())
    return path


def change(path: Path, change_record: Callable[[dict[str, Any]], Any], name: str = "changed.jsonl") -> Path:
    """A copy in which `change_record` was applied to each record; a record for which it gives False is left out."""
    kept = []
    for line in path.read_bytes().splitlines():
        value = json.loads(line)
        if change_record(value) is not False:
            kept.append(json.dumps(value))
    changed = path.with_name(name)
    changed.write_text("".join(line + "\n" for line in kept))
    return changed
