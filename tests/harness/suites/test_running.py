from __future__ import annotations

import pickle

import pytest

from harness.errors import HarnessError, SuiteError
from harness.suites.running import choose, matches, plan_run
from tests.harness.suites.suite_files import suite, with_recordings

TEXT = """
name = "garden"
[[check]]
type = "no_error"
[[case]]
name = "gemini answers"
recording = "gemini-*.jsonl"
[[case]]
name = "calls a tool"
task = "look"
recording = "openai-chat-parallel-calls.jsonl"
[[case.check]]
type = "complete"
"""


@pytest.fixture
def garden(tmp_path):
    with_recordings(tmp_path, "gemini-text", "gemini-thoughts", "openai-chat-parallel-calls", "openai-chat-text")
    return suite(tmp_path, TEXT)


def jobs(plan):
    return [(job.case.name, job.path.stem) for job in plan.jobs]


def test_every_case_with_each_recording(garden):
    plan = plan_run([garden])
    assert jobs(plan) == [
        ("gemini answers", "gemini-text"), ("gemini answers", "gemini-thoughts"),
        ("calls a tool", "openai-chat-parallel-calls"),
    ]  # fmt: skip
    assert [path.name for path in plan.unnamed] == ["openai-chat-text.jsonl"]
    assert plan.left_out == []
    assert pickle.loads(pickle.dumps(plan.jobs)) == plan.jobs


@pytest.mark.parametrize(
    ("expression", "chosen"),
    [
        ("garden", 3), ("GEMINI", 2), ("look", 1), ("calls", 1), ("thoughts", 1), ("*-parallel-*", 1), ("gem*text*", 1),
        ("c?lls a tool", 1),
    ],
)  # fmt: skip
def test_filters(garden, expression, chosen):
    plan = plan_run([garden], expression)
    assert (len(plan.jobs), len(plan.left_out)) == (chosen, 3 - chosen)


def test_a_filter_that_fits_nothing_is_an_error(garden):
    with pytest.raises(HarnessError, match='fits "zzz": there are gemini answers, calls a tool'):
        plan_run([garden], "zzz")
    with pytest.raises(HarnessError, match='fits "thoughts"'):
        choose([garden], "thoughts")
    assert [case.name for case in choose([garden], "look")] == ["calls a tool"]
    assert matches("a/b.jsonl", "A/*")
    assert not matches("a/b.jsonl", "b?jsonl")


def test_a_case_without_recordings_counts_only_where_it_is_chosen(tmp_path):
    with_recordings(tmp_path, "gemini-text", "gemini-thoughts", "openai-chat-parallel-calls")
    found = suite(tmp_path, TEXT + '[[case]]\ntask = "later"\n')
    with pytest.raises(SuiteError, match='has the task "later"'):
        plan_run([found])
    assert len(plan_run([found], "gemini").jobs) == 2
