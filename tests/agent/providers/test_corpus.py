"""Streams that real providers sent: each gives the reference answer of the corpus, in any cut."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent.providers import WIRES
from tests.agent.providers.streams import corpus_form, run_all_ways
from tests.shared import SHARED, needs_shared

CORPUS = SHARED / "corpus"
INFORMAL = ("id", "differs", "disputed")


def lines(name: str) -> list[dict[str, Any]]:
    path = CORPUS / name
    return [json.loads(line) for line in path.read_bytes().splitlines()] if path.is_file() else []


INDEX = {row["id"]: row for row in lines("index.jsonl")}
ANSWERS = [row for row in lines("normalized.jsonl") if INDEX[row["id"]]["wire_format"] in WIRES]


@needs_shared
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer["id"])
def test_answer(answer: dict[str, Any]) -> None:
    row = INDEX[answer["id"]]
    body = (CORPUS / "cases" / row["body_file"]).read_bytes()
    events = run_all_ways(
        row["wire_format"],
        body,
        every=(1, 7) if len(body) < 100_000 else (64,),
        seeds=2,
        status=row["http_status"],
        content_type=row["content_type"],
        headers=list(row["response_headers"].items()),
    )
    assert corpus_form(events) == {name: value for name, value in answer.items() if name not in INFORMAL}
