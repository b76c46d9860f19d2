"""The handed wire cases: each body gives its answer whole, and in 1, 2, 3, 5 and 7 bytes and at random cuts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent.events import DecodeOptions
from agent.providers import WIRES
from tests.agent.providers.streams import assert_error, case_form, error_of, run_all_ways
from tests.shared import SHARED, needs_shared


def load() -> list[dict[str, Any]]:
    cases = [json.loads(path.read_text(encoding="utf-8")) for path in sorted(SHARED.glob("cases/*.expect.json"))]
    return [case for case in cases if case.get("wire") in WIRES and Path(case["input"]["file"]).suffix != ".json"]


CASES = load()
COMPARED = ("text", "reasoning", "tool_calls", "usage", "finish", "finish_raw", "complete")


def check(case: dict[str, Any], expected: dict[str, Any], options: DecodeOptions = DecodeOptions()) -> None:
    given = case["input"]
    headers = given["headers"]
    events = run_all_ways(
        case["wire"],
        (SHARED / "cases" / given["file"]).read_bytes(),
        every=(1, 2, 3, 5, 7),
        status=given["http_status"],
        content_type=headers.get("content-type"),
        headers=list(headers.items()),
        options=options,
    )
    assert case_form(events) == {name: expected[name] for name in COMPARED}, case["why"]
    assert_error(error_of(events), expected["error"])


@needs_shared
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['case']}-{case['slug']}")
def test_case(case: dict[str, Any]) -> None:
    check(case, case["expected"])


@needs_shared
@pytest.mark.parametrize(
    "case", [case for case in CASES if "with_think_tags_enabled" in case["expected"]], ids=lambda case: case["slug"]
)
def test_think_tags(case: dict[str, Any]) -> None:
    check(case, case["expected"]["with_think_tags_enabled"], DecodeOptions(think_tags=True))
