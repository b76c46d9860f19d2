"""The laws of design's "Evaluate", over every fixture at every byte, and over every stream of the corpus at a sample.

They are those of `harness sweep` (docs/sweep.md): what is done to a stream and what must hold stand in `harness.sweep`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from harness.sweep.plan import Plan
from harness.sweep.run import sweep_stream
from harness.sweep.streams import Stream, make_stream, read_fixture
from tests.agent.providers.test_corpus import ANSWERS, CORPUS, INDEX
from tests.agent.providers.test_fixtures import STREAMS
from tests.shared import needs_shared

SAMPLE = 24


def check(stream: Stream, cuts: int | None) -> None:
    tally = sweep_stream(stream, cuts, Plan().source(0))
    assert {law: (broken.first.case.says(), broken.first.reason) for law, broken in tally.broken.items()} == {}
    assert tally.cases["cut"] > 0


@pytest.mark.parametrize("path", STREAMS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_fixture(path: Path) -> None:
    check(read_fixture(path), None)


@needs_shared
@pytest.mark.parametrize("answer", ANSWERS, ids=lambda answer: answer["id"])
def test_corpus(answer: dict[str, Any]) -> None:
    row = INDEX[answer["id"]]
    headers = [("content-type", row["content_type"]), *row["response_headers"].items()]
    body = (CORPUS / "cases" / row["body_file"]).read_bytes()
    check(make_stream(row["wire_format"], body, headers, status=row["http_status"]), SAMPLE)
