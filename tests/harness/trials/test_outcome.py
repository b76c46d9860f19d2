from __future__ import annotations

import pytest

from harness.trials.outcome import as_trial, ended_in_provider_error, error_of
from tests.harness.checks.runs import call, facts, turn
from tests.harness.trials.trial_runs import SUITE, cases


def ended(kind):
    errors = [{"kind": "overloaded", "message": "busy"}, {"kind": kind, "message": "gone"}]
    return facts([call()], [turn(errors=errors)], status="error")


@pytest.mark.parametrize(
    ("kind", "of_the_provider"),
    [("network", True), ("auth", True), ("content_blocked", False), ("context_overflow", False)],
)
def test_the_last_error_counts(kind, of_the_provider):
    assert error_of(ended(kind)) == (kind, "gone")
    assert ended_in_provider_error(ended(kind)) is of_the_provider


def test_no_error():
    assert error_of(facts([call()])) is None
    assert not ended_in_provider_error(facts([call()], status="cancelled"))
    assert error_of(facts([call()], status="error")) == ("?", "no message")


def test_every_trial_is_judged_for_errors(tmp_path):
    first, _ = cases(tmp_path)
    assert [check.type for check in as_trial(first).checks] == ["no_error", "text"]
    own, _ = cases(tmp_path, SUITE.replace("[[case.check]]", '[[case.check]]\ntype = "no_error"\n[[case.check]]'))
    assert as_trial(own) is own
