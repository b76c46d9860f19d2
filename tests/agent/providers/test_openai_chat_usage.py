from __future__ import annotations

from typing import Any

import pytest

from agent.events import Usage
from agent.providers.openai_chat_usage import Counts


def usage(*objects: Any) -> Usage | None:
    counts = Counts()
    for value in objects:
        counts.add(value)
    return counts.usage()


def tokens(prompt: int, completion: int, total: int | None = None, **more: Any) -> dict[str, Any]:
    sum_ = prompt + completion if total is None else total
    return {"prompt_tokens": prompt, "completion_tokens": completion, "total_tokens": sum_, **more}


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([], None),
        ([None, {}, [], "x", {"prompt_tokens": None}], None),
        ([tokens(3, 2)], Usage(3, 2)),
        ([{"input_tokens": 3, "output_tokens": 2}], Usage(3, 2)),
        ([tokens(0, 0), tokens(3, 1), tokens(3, 2), None], Usage(3, 2)),
        ([tokens(3, 2), {"completion_tokens": None, "prompt_tokens": 4}], Usage(4, 2)),
        ([tokens(9, 2, prompt_tokens_details={"cached_tokens": 8, "cache_write_tokens": 1})], Usage(9, 2, 8, 1)),
        ([tokens(9, 2, prompt_tokens_details={"cached_tokens": 0}, cached_tokens=4)], Usage(9, 2, 0)),
        ([tokens(9, 2, prompt_tokens_details={"cached_tokens": None}, cached_tokens=4)], Usage(9, 2, 4)),
        ([tokens(9, 2, prompt_tokens_details=None, prompt_cache_hit_tokens=4)], Usage(9, 2, 4)),
        ([tokens(9, 2, cache_read_input_tokens=4, cache_creation_input_tokens=0)], Usage(9, 2, 4, 0)),
        ([tokens(9, 20, completion_tokens_details={"reasoning_tokens": 15})], Usage(9, 20, None, None, None, 15)),
        ([tokens(9, 20, reasoning_tokens=15)], Usage(9, 20, None, None, None, 15)),
        ([tokens(9, 20, 44, reasoning_tokens=15)], Usage(9, 35, None, None, None, 15)),
        ([tokens(9, 20, 40, reasoning_tokens=15)], Usage(9, 20, None, None, None, 15)),
        ([tokens(9, 2, reasoning_tokens=15)], Usage(9, 2, None, None, None, 15)),
        ([{"completion_tokens": 20, "total_tokens": 35, "reasoning_tokens": 15}],
         Usage(None, 20, None, None, None, 15)),
        ([{"prompt_tokens": True, "completion_tokens": "2"}], None),
        ([{"prompt_tokens": -1, "completion_tokens": 2.0}], Usage(None, 2)),
        ([{"prompt_tokens": 1.5, "completion_tokens": float("inf"), "total_tokens": float("nan")}], None),
    ],
)  # fmt: skip
def test_usage(objects: list[Any], expected: Usage | None) -> None:
    assert usage(*objects) == expected


def test_searches_of_a_router_are_billed_apart():
    found = usage(tokens(3, 2, server_tool_use={"web_search_requests": 2}))
    assert found == Usage(3, 2, provider_tools={"web_search": 2})
