from __future__ import annotations

from pathlib import Path

import pytest

from harness.costs.priced_by import PricedBy
from harness.suites.running import plan_run, run_job
from harness.suites.unexercised import Unexercised, unexercised
from tests.harness.suites.suite_files import suite, with_recordings
from tests.harness.suites.test_running import TEXT


@pytest.fixture
def garden(tmp_path):
    with_recordings(tmp_path, "gemini-text", "gemini-thoughts", "openai-chat-parallel-calls", "openai-chat-text")
    return suite(tmp_path, TEXT)


def test_what_a_run_did_not_exercise(garden):
    plan = plan_run([garden], "calls")
    results = [run_job(job, PricedBy(), False) for job in plan.jobs]
    found = unexercised(plan, results)
    assert found.filtered == 2
    assert found.tools == (("garden", ("search",)),)
    assert found.lines() == [
        f"1 recording that no case names: {plan.unnamed[0].as_posix()}",
        "garden: tools offered but never called: search",
        "2 checks left out by the filter",
    ]
    assert unexercised(plan, []).skipped == 2


def test_many_recordings_are_named_in_part():
    (line,) = Unexercised(tuple(Path(f"{number}.jsonl") for number in range(12))).lines()
    assert line.startswith("12 recordings that no case names: 0.jsonl, ")
    assert line.endswith(", 9.jsonl and 2 more")
    assert Unexercised().lines() == []
