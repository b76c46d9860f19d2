from __future__ import annotations

from pathlib import Path

import pytest

from harness.checks.base import judged
from tests.harness.checks.runs import check, subject

RECORDINGS = Path(__file__).resolve().parents[3] / "recordings"
SOURCE = RECORDINGS / "openai-chat-tool-call.jsonl"


def verdict_of(path):
    return judged(check("requests"), subject(path=path))


@pytest.mark.parametrize("name", ["openai-chat-tool-call", "anthropic-retry", "gemini-parallel-calls"])
def test_pass(name):
    assert verdict_of(RECORDINGS / f"{name}.jsonl").status == "pass"


def test_a_request_that_was_another(tmp_path):
    path = tmp_path / "x.jsonl"
    lines = SOURCE.read_text().splitlines(keepends=True)
    turn = next(index for index, line in enumerate(lines) if line.startswith('{"kind":"turn"'))
    lines[turn] = lines[turn].replace('"system":"', '"system":"Be brief. ', 1)
    path.write_text("".join(lines))
    verdict = verdict_of(path)
    assert verdict.status == "fail"
    assert "no recorded call answers" in verdict.reason


def test_without_turns(tmp_path):
    path = tmp_path / "x.jsonl"
    kinds = ('{"kind":"turn"', '{"kind":"loop"', '{"kind":"tool_result"')
    lines = SOURCE.read_text().splitlines(keepends=True)
    path.write_text("".join(line for line in lines if not line.startswith(kinds)))
    verdict = verdict_of(path)
    assert (verdict.status, verdict.reason) == ("error", "the recording has no turns, so there is no loop to run again")


def test_a_target_that_cannot_be_used(tmp_path):
    path = tmp_path / "x.jsonl"
    path.write_text(SOURCE.read_text().replace('"provider":"openai","model"', '"provider":"nobody","model"', 1)
                    .replace('"base_url":"', '"base_url":"ftp:', 1))  # fmt: skip
    assert verdict_of(path).status == "error"
