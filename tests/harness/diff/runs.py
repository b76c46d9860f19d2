"""Runs for the tests of diffs: recordings written record by record, and lists of steps without a recording."""

from __future__ import annotations

import random
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

from agent.jsonio import canonical
from harness.diff.steps import Step
from harness.recording.bodies import BodyLog
from tests.harness.report.session import call, header, loop, turn, usage, write

FREE: Any = lambda *_: Decimal(0)  # noqa: E731
"""A price function."""

PATHS = ("src/a.py", "src/b.py", "docs/guide.md", "tests/test_a.py", "README.md")
VERBS = ("look at", "change", "read", "run", "compare", "delete", "write")


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words}


def thought(words: str) -> dict[str, Any]:
    return {"type": "reasoning", "text": words}


def tool(name: str, id: str = "call_111111", result: tuple[bool, str] | None = (True, "done"), **given: Any) -> Any:
    """A tool call with its result."""
    return {"type": "tool_call", "id": id, "name": name, "input": given, "result": result}


def run(
    path: Path,
    *calls: Sequence[dict[str, Any]],
    task: str | None = None,
    input: str = "do it",
    stop: str = "stop",
    status: str = "ok",
    cost: str | None = "0.01",
    tokens: tuple[int | None, int | None] = (10, 5),
    seconds: float = 0.25,
    **fields: Any,
) -> Path:
    """A recording with one turn. `calls`: the events of each; `seconds` lie between two records; `fields`: of the
    turn."""
    log = BodyLog()
    records = [header(task=task, id=f"id-of-{path.name}"), turn(input=input, history=[], **fields)]
    for number, events in enumerate(calls):
        inner = [{name: value for name, value in event.items() if name != "result"} for event in events]
        called = [event for event in events if event["type"] == "tool_call"]
        last = number == len(calls) - 1
        closing = usage((*tokens, None, None, None, None), stop if last else "tool_calls")
        records += call(log, number, [*inner, closing], turn=0, provider="openai", model="m")
        for position, event in enumerate(called):
            if event["result"] is not None:
                ok, output = event["result"]
                records.append(
                    {"kind": "tool_result", "turn": 0, "call": number, "position": position, "id": event["id"],
                     "name": event["name"], "ok": ok, "output": output, "duration": 0.1}
                )  # fmt: skip
    counts = {"input_tokens": tokens[0], "output_tokens": tokens[1]}
    records += [
        loop("finish", usage=counts, cost_usd=cost, model="m-1", stop_reason=stop, iterations=len(calls)),
        loop("done"),
        {"kind": "end", "status": status, "calls": len(calls), "turns": 1, "usage": {"m-1": counts}, "tool_calls": {},
         "errors": 0},
    ]  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    return write(path, [{"kind": None, "seq": seq, "t": seq * seconds, **r} for seq, r in enumerate(records)])


def step(kind: str, text: str = "", *, name: str = "", output: str | None = None, **given: Any) -> Step:
    """A step without a recording. Its key is that of its values."""
    key = canonical([kind, name, text, given, output])
    ok = None if output is None else True
    return Step(kind, 0, 0, text, name, given or None, ok=ok, output=output, key=key)


def long_run(size: int, seed: int) -> list[Step]:
    """`size` steps as an agent makes them: texts that resemble one another, calls of a few tools, some repeated."""
    draw = random.Random(seed)
    steps: list[Step] = []
    while len(steps) < size:
        number, path = len(steps), draw.choice(PATHS)
        steps += [
            step("text", f"Now I {draw.choice(VERBS)} line {number} of {path} before I go on with the rest."),
            step("tool_call", name="read_file", output=f"{number}: some line of {path}", path=path, line=number),
            step("tool_call", name="list_dir", output="src docs tests", path="."),
        ]
    return steps[:size]
