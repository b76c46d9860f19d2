"""What never counts, shown on request."""

from __future__ import annotations

import json

from harness.diff.compare import compare_steps
from harness.diff.steps import steps_of
from harness.diff.volatile import volatile_differences
from harness.report.reading import read_facts
from tests.harness.diff.runs import run, text
from tests.harness.diff.test_steps import of_case_66
from tests.harness.sessions import change
from tests.shared import SHARED, needs_shared


def found(one, other):
    changes = compare_steps(*(steps_of(read_facts(path)) for path in (one, other)))
    return {path: (left, right) for path, left, right in volatile_differences(one, other, changes)}


@needs_shared
def test_case_66(tmp_path):
    """The names of the case, but for the time, which the recorder did not take from it."""
    expected = json.loads((SHARED / "cases/66-diff-volatile-fields.expect.json").read_text())["expected"]
    one, other = of_case_66(tmp_path)
    differences = found(one, other)
    first = {path.removeprefix("call[0].") for path in differences if path.startswith("call[0].")}
    assert first | {"latency_ms"} == {*expected["with_option_all"]}
    assert differences["call[0].tool_id"] == (["call_111"], ["toolu_222"])
    assert differences["call[0].created"] == (1700000000, 1700000777)


def test_times_and_ids(tmp_path):
    one = run(tmp_path / "a.jsonl", [text("end")])
    other = run(tmp_path / "b.jsonl", [text("end")], seconds=0.5)

    def later(record):
        if record["kind"] == "response":
            record["headers"].append(["x-request-id", "r-2"])

    differences = found(one, change(other, later))
    assert differences["header.id"] == ("id-of-a.jsonl", "id-of-b.jsonl")
    assert differences["call[0].latency_ms"][0] * 2 == differences["call[0].latency_ms"][1]
    assert differences["call[0].request_id"][1] == "r-2"


def test_a_recording_and_itself(tmp_path):
    path = run(tmp_path / "a.jsonl", [text("end")])
    assert found(path, path) == {}
