from __future__ import annotations

from pathlib import Path

import pytest

from harness.checks.base import judged
from tests.harness.checks.runs import check, subject
from tests.harness.leaky import leaky_session
from tests.harness.redaction.test_redactor import KEYS

RECORDING = Path(__file__).resolve().parents[3] / "recordings/openai-chat-text.jsonl"


@pytest.fixture(autouse=True)
def _no_configuration(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_pass():
    assert judged(check("no_secret"), subject(path=RECORDING)).status == "pass"


def test_a_secret_is_named_by_its_place_and_never_shown(tmp_path):
    path = leaky_session(tmp_path, "anthropic", KEYS["anthropic"], 9)
    verdict = judged(check("no_secret"), subject(path=path))
    assert verdict.status == "fail"
    assert f"{path}:" in verdict.reason
    assert "anthropic" in verdict.reason
    assert KEYS["anthropic"] not in verdict.reason


def test_the_value_of_a_key_variable(tmp_path, monkeypatch):
    path = tmp_path / "x.jsonl"
    path.write_bytes(RECORDING.read_bytes().replace(b"Hello", b"planted-value-4711"))
    assert judged(check("no_secret"), subject(path=path)).status == "pass"
    monkeypatch.setenv("OPENAI_API_KEY", "planted-value-4711")
    assert judged(check("no_secret"), subject(path=path)).status == "fail"


def test_what_cannot_be_scanned(tmp_path):
    assert judged(check("no_secret"), subject()).reason == "there is no recording to scan, only its facts"
    assert judged(check("no_secret"), subject(path=tmp_path / "x.jsonl")).status == "error"
    (tmp_path / "cut.jsonl.gz").write_bytes(b"\x1f\x8b\x08\x00broken")
    assert judged(check("no_secret"), subject(path=tmp_path / "cut.jsonl.gz")).status == "error"


def test_the_further_scanner_must_be_there(monkeypatch):
    monkeypatch.setattr("harness.redaction.kingfisher.available", lambda: False)
    verdict = judged(check("no_secret", kingfisher=True), subject(path=RECORDING))
    assert verdict.status == "error"
    assert "trajectory-harness[secrets]" in verdict.reason
