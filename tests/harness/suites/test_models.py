from __future__ import annotations

import pytest
from pydantic import ValidationError

from harness.suites.models import CaseTable, SuiteTable


def test_defaults():
    case = CaseTable()
    assert (case.mode, case.tools, case.recording, case.params) == ("PLAN", True, (), {})
    assert SuiteTable().case == []


def test_forms():
    assert CaseTable(recording="a.jsonl").recording == ("a.jsonl",)
    assert CaseTable.model_validate({"recording": ["a", "b*"], "mode": "fix"}).recording == ("a", "b*")
    assert CaseTable(mode="fix").mode == "FIX"


@pytest.mark.parametrize(
    "table",
    [
        {"recording": []}, {"recording": 3}, {"recording": ["a", 3]}, {"recording": ""}, {"mode": "see"},
        {"max_iterations": 0}, {"max_iterations": 1.0}, {"tools": 1}, {"name": ""}, {"prompt": ""}, {"promt": "x"},
        {"check": ["no_error"]},
    ],
    ids=str,
)  # fmt: skip
def test_refused(table):
    with pytest.raises(ValidationError):
        CaseTable.model_validate(table)
