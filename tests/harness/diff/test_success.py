"""Whether a run succeeded."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.costs.priced_by import PricedBy
from harness.diff.success import by_cases, by_ending
from harness.report.reading import read_facts
from harness.suites.loading import load_suite
from tests.harness.diff.runs import run, text
from tests.harness.report.session import session, write


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({}, None),
        ({"stop": "length"}, "it stopped with length"),
        ({"status": "cancelled"}, "it ended as cancelled"),
    ],
    ids=["stop", "length", "cancelled"],
)
def test_by_how_it_ended(tmp_path, fields, reason):
    outcome = by_ending(read_facts(run(tmp_path / "a.jsonl", [text("end")], **fields)))
    assert (outcome.passed, outcome.reason) == (reason is None, reason)


def test_a_recording_that_was_not_closed(tmp_path):
    outcome = by_ending(read_facts(write(tmp_path / "a.jsonl", session()[:-1])))
    assert outcome.reason == "the recording was not closed"


def suite(folder: Path, words: str):
    path = folder / "s.suite.toml"
    path.write_text(f'[[case]]\ntask = "t"\n[[case.check]]\ntype = "text"\ncontains = ["{words}"]\n')
    return load_suite(path).cases


def test_by_the_cases_of_a_suite(tmp_path):
    path = run(tmp_path / "a.jsonl", [text("the end")], task="t")
    facts = read_facts(path)
    assert by_cases(suite(tmp_path, "end"), facts, path, PricedBy()).passed
    failed = by_cases(suite(tmp_path, "begin"), facts, path, PricedBy())
    assert (failed.status, "begin" in (failed.reason or "")) == ("fail", True)
    assert by_cases((), facts, path, PricedBy()).status == "error"
