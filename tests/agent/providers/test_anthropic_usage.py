from __future__ import annotations

import json

import pytest

from agent.events import Usage
from agent.providers.anthropic_usage import TokenCounts
from tests.shared import SHARED, needs_shared


def usage(*objects: dict) -> Usage:
    counts = TokenCounts()
    for sent in objects:
        counts.read(sent)
    return counts.usage()


def split(short: object, long: object, **rest: object) -> dict:
    return {"cache_creation": {"ephemeral_5m_input_tokens": short, "ephemeral_1h_input_tokens": long}, **rest}


@pytest.mark.parametrize(
    ("objects", "expected"),
    [
        ([{}], Usage()),
        ([{"input_tokens": 5}], Usage(input_tokens=5)),
        ([{"output_tokens": 0}], Usage(output_tokens=0)),
        ([{"cache_read_input_tokens": 7}], Usage(cache_read_tokens=7)),
        ([{"input_tokens": 5, "output_tokens": 1}, {"output_tokens": 9}], Usage(5, 9)),
        ([{"input_tokens": 5}, {"input_tokens": None}], Usage(5)),
        ([{"input_tokens": 5}, {"input_tokens": 0}], Usage(0)),
        ([{"input_tokens": "5", "output_tokens": True}, {"input_tokens": -1, "output_tokens": 1.5}], Usage()),
        ([split(1, 2, input_tokens=1)], Usage(4, None, None, 3, 2)),
        ([split(None, 3, cache_creation_input_tokens=3)], Usage(cache_write_tokens=3, cache_write_1h_tokens=3)),
        ([split(1, 3, cache_creation_input_tokens=9)], Usage(cache_write_tokens=9)),
        ([split(None, 3)], Usage()),
        ([split(0, 0, cache_creation_input_tokens=0)], Usage(cache_write_tokens=0, cache_write_1h_tokens=0)),
        ([{"output_tokens_details": {"thinking_tokens": 3}}, {"output_tokens_details": []}], Usage(reasoning_tokens=3)),
        ([{"iterations": [{"type": "message"}]}, {"iterations": None}], Usage(iterations=[{"type": "message"}])),
    ],
)
def test_counts(objects, expected):
    assert usage(*objects) == expected


@needs_shared
def test_handed_case_of_cached_tokens():
    case = json.loads((SHARED / "cases" / "58-cost-cached-counted-twice.json").read_bytes())
    assert usage(case["raw"]["anthropic"]) == Usage(2000, 300, 1500, 400)


@pytest.mark.parametrize(
    ("used", "tools"),
    [
        ({"web_search_requests": 2, "web_fetch_requests": 1}, {"web_search": 2}),
        ({"web_search_requests": 0}, None),
        (None, None),
    ],
)
def test_searches_are_billed_and_fetches_are_not(used, tools):
    assert usage({"input_tokens": 1}, {"output_tokens": 2, "server_tool_use": used}).provider_tools == tools
