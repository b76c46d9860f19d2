from __future__ import annotations

import json
from pathlib import Path

import pytest

import harness
from harness.checks.base import judged
from harness.checks.golden import golden_of
from tests.harness.checks.runs import check, subject

RECORDING = Path(__file__).resolve().parents[3] / "recordings/openai-chat-tool-call.jsonl"


@pytest.fixture
def golden(tmp_path):
    path = tmp_path / "golden.json"
    path.write_text(json.dumps(golden_of(harness.open(RECORDING))))
    return path


def verdict_of(golden, recording=RECORDING):
    return judged(check("events"), subject(path=recording, golden=golden))


def test_pass(golden):
    assert (verdict_of(golden).status, verdict_of(golden).reason) == ("pass", None)


def test_fail(golden):
    value = json.loads(golden.read_text())
    value["calls"][0]["stop_reason"] = "length"
    value["calls"][1].update(model="other", usage=None, complete=False)
    golden.write_text(json.dumps(value))
    verdict = verdict_of(golden)
    assert verdict.status == "fail"
    assert verdict.reason.startswith(
        'call 0: stop_reason: golden "length", now "tool_calls"; call 1: usage: golden null'
    )
    assert verdict.reason.endswith("; 1 more difference (`harness suite accept` takes what is derived now)")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "there is no golden file "),
        ("{", "the golden file is no JSON: "),
        ("[]", "this is no golden file: it should be an object with the list `calls`"),
    ],
    ids=["missing", "no JSON", "no golden"],
)
def test_error(golden, text, reason):
    golden.unlink()
    if text is not None:
        golden.write_text(text)
    verdict = verdict_of(golden)
    assert verdict.status == "error"
    assert reason in verdict.reason


def test_errors_name_what_to_do(golden, tmp_path):
    assert verdict_of(None).reason == "there is no golden file; `harness suite accept` writes it"
    assert verdict_of(tmp_path / "x.json").reason.endswith("x.json; `harness suite accept` writes it")
    assert verdict_of(tmp_path).status == "error"
    assert judged(check("events"), subject(golden=golden)).reason == "there is no recording to read, only its facts"
    assert verdict_of(golden, tmp_path / "x.jsonl").status == "error"
