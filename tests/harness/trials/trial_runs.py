"""Suites and servers for tests of live trials."""

from __future__ import annotations

import json
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from agent.providers.base import Target
from harness.suites.case import Case, Suite
from harness.suites.loading import load_suite
from harness.trials.live_models import LiveModel
from harness.trials.plan import Trial
from harness.trials.preparing import Prepared, live_cases, plan_of, prepare
from tests.loopback import Exchange, Server, serve
from tests.scripted import Answer, fixture
from tests.threads import in_thread

TEXT = fixture("openai-chat/session-answer.sse")
"""It says that tea is at four, and what that took: 702 tokens in, 19 out."""
MODEL = "openai/gpt-4.1-mini"
SUITE = """
name = "garden"
[[case]]
name = "When is tea?"
task = "tea"
prompt = "When is tea?"
workspace = "garden"
[[case.check]]
type = "text"
contains = ["tea is at four"]

[[case]]
name = "names the seeds"
task = "seeds"
prompt = "Which seeds are there?"
[[case.check]]
type = "text"
contains = ["tomatoes"]
"""
"""A case that `TEXT` passes, and one that it fails."""


def write_suite(folder: Path, text: str = SUITE, name: str = "garden") -> Path:
    """A suite file, and the workspace that it names."""
    garden = folder / "garden"
    garden.mkdir(exist_ok=True)
    (garden / "plan.txt").write_text("Tea at four.\n", "utf-8")
    path = folder / f"{name}.suite.toml"
    path.write_text(text, "utf-8")
    return path


def cases(folder: Path, text: str = SUITE) -> tuple[Case, ...]:
    return load_suite(write_suite(folder, text)).cases


def prepared(
    suites: list[Suite], models: list[LiveModel], repeats: int, folder: Path, *, fresh: bool = False
) -> Prepared:
    """What a run of `suites` begins with."""
    return prepare(plan_of(suites, models, repeats, folder), live_cases(suites), folder, fresh=fresh)


def model(url: str = "http://127.0.0.1:9", name: str = "one") -> LiveModel:
    return LiveModel(name, Target("openai", "openai-chat", f"{url}/v1"), "gpt-4.1-mini")


def trial(case: Case, folder: Path, repeat: int = 1, model: str = "one") -> Trial:
    return Trial(case, model, repeat, folder / model / f"{case.task}.{repeat}.jsonl")


def server(answer: Callable[[Any, int], Answer]) -> AbstractContextManager[Server]:
    """A provider: `answer` is given the body of a request and its number, and says what comes."""

    async def handle(exchange: Exchange) -> None:
        number = len(exchange.server.exchanges) - 1
        found = answer(json.loads(exchange.body), number)
        if found.ending == "stall":
            await exchange.head(found.status, found.content_type)
            await exchange.send(found.body[: len(found.body) // 2])
            await exchange.until_closed()
        else:
            await exchange.whole(found.body, found.status, found.content_type)

    return in_thread(serve(handle))


def endless(answer: Answer = TEXT) -> AbstractContextManager[Server]:
    """A provider that always says the same."""
    return server(lambda body, number: answer)


def said(text: str, *, calls: tuple[tuple[str, dict[str, Any]], ...] = ()) -> Answer:
    """An answer of a model: a text, or calls of tools."""
    delta: dict[str, Any] = {"role": "assistant", "content": text}
    if calls:
        delta["tool_calls"] = [
            {"index": at, "id": f"call_{at}", "type": "function",
             "function": {"name": name, "arguments": json.dumps(arguments)}}
            for at, (name, arguments) in enumerate(calls)
        ]  # fmt: skip
    reason = "tool_calls" if calls else "stop"
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    chunks: list[dict[str, Any]] = [
        {"model": "gpt-4.1-mini", "choices": [{"index": 0, "delta": delta}]},
        {"model": "gpt-4.1-mini", "choices": [{"index": 0, "delta": {}, "finish_reason": reason}]},
        {"model": "gpt-4.1-mini", "choices": [], "usage": usage},
    ]  # fmt: skip
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + "data: [DONE]\n\n"
    return Answer(body.encode())
