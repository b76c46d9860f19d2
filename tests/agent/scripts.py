"""A scripted provider and scripted tools for the loop. They do what a test says, and keep what they were asked."""

from __future__ import annotations

import asyncio

from agent.events import Error, Text, ToolCall, Usage, UsageEvent
from agent.loop import run_turn
from agent.loop_types import ToolResult
from agent.messages import ToolSpec, user

WAIT = object()
"""In a script: the provider is silent from here on."""


def usage(stop="stop", *, input_tokens=10, output_tokens=5, model="m-1", complete=True, **parts):
    return UsageEvent(Usage(input_tokens, output_tokens, **parts), model, stop, stop, complete)


def no_usage(stop="error"):
    return UsageEvent(None, None, stop, None, False)


def failure(kind="overloaded", *, retryable=True, retry_after=None, message="it failed"):
    return Error(message, kind, retryable, None, 529, retry_after)


def call(id="c1", name="look", unparsed=False, **values):
    return ToolCall(id, name, {"_raw": '{"a":'} if unparsed else values, unparsed)


def tool(name):
    return ToolSpec(name, f"The {name} tool.", {"type": "object", "properties": {}})


class Script:
    """`calls`: the events of each call. After the last one every further call answers `again`."""

    def __init__(self, *calls, again=None):
        self.calls = list(calls)
        self.again = again
        self.requests = []
        self.open = 0
        self.pulled = 0
        self.closed = 0

    def __call__(self, messages, tools, **rest):
        self.requests.append({"messages": list(messages), "tools": list(tools), **rest})
        return self.stream(self.calls.pop(0) if self.calls else self.again)

    async def stream(self, events):
        self.open += 1
        try:
            for event in events:
                self.pulled += 1
                if event is WAIT:
                    await asyncio.Event().wait()
                if isinstance(event, Exception):
                    raise event
                await asyncio.sleep(0)
                yield event
        finally:
            await asyncio.sleep(0)
            self.closed += 1


class Tools:
    """`results`: what each tool does: a text, an exception, a function of the call, or WAIT."""

    def __init__(self, **results):
        self.results = results
        self.ran = []
        self.ended = []

    def specs(self):
        return [tool(name) for name in self.results]

    async def __call__(self, tool_call, *, call, position):
        self.ran.append((tool_call.name, call, position))
        try:
            await asyncio.sleep(0)
            result = self.results[tool_call.name]
            if result is WAIT:
                await asyncio.Event().wait()
            if isinstance(result, BaseException):
                raise result
            return ToolResult(True, result(tool_call) if callable(result) else result)
        finally:
            self.ended.append(tool_call.name)


class Sleeps(list):
    async def __call__(self, seconds):
        self.append(seconds)


def turn(script, tools=None, *, history=None, **options):
    tools = tools or Tools(look="seen")
    options.setdefault("tools", tools.specs())
    options.setdefault("sleep", Sleeps())
    return run_turn(
        [user("go")] if history is None else history, model="m", create_stream=script, execute_tool=tools, **options
    )


async def collect(turn):
    async with turn:
        return [event async for event in turn]


def names(events):
    return [event.event for event in events]


def data(events, name):
    return [event.data for event in events if event.event == name]


ANSWER = [Text("Hel"), Text("lo"), usage()]
