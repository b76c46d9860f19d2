from __future__ import annotations

from pathlib import Path
from typing import Literal

import pytest
from pydantic import ValidationError

from harness.checks.base import Check, Subject, judged
from harness.errors import CheckError, UnreadableRecording
from harness.verdicts import Verdict
from tests.harness.checks.runs import facts, free

RECORDING = Path(__file__).resolve().parents[3] / "recordings/openai-chat-text.jsonl"


class Even(Check):
    """Whether the number of calls is even; a number of `limit` calls cannot be judged."""

    type: Literal["even"]
    limit: int = 3

    def judge(self, subject):
        calls = len(subject.facts.calls)
        if calls == self.limit:
            raise CheckError("too many calls")
        if subject.path == Path("odd"):
            raise RuntimeError("out of\norder")
        return self.passed() if calls % 2 == 0 else self.failed(f"{calls} is odd", 0.5)


@pytest.mark.parametrize(
    ("limit", "path", "expected"),
    [
        (3, None, Verdict("even", "pass")),
        (0, None, Verdict("even", "error", "too many calls")),
        (3, Path("odd"), Verdict("even", "error", "the check failed: RuntimeError: out of order")),
    ],
    ids=["pass", "harness error", "any other exception"],
)
def test_whatever_a_check_raises_is_an_error(limit, path, expected):
    check = Even(type="even", limit=limit)
    assert judged(check, Subject(facts([]), Path(), free, path)) == expected


def test_reasons_are_one_plain_line():
    check = Even(type="even")
    assert check.failed("a\nb \x1b[31mred \ud800").reason == "a b ?[31mred ?"
    assert check.error("a\r\nb").reason == check.passed(1.0, "a\tb").reason == "a b"
    assert check.passed().reason is None


@pytest.mark.parametrize("keys", [{"limits": 2}, {"limit": "2"}, {"limit": True}, {"type": "odd"}])
def test_unknown_keys_and_other_types_are_refused(keys):
    with pytest.raises(ValidationError):
        Even.model_validate({"type": "even", **keys})


def test_the_recording_is_read_once():
    subject = Subject(facts([]), Path(), free, RECORDING)
    assert subject.recording() is subject.recording()
    assert subject.recording().calls


def test_without_a_recording():
    with pytest.raises(CheckError, match="only its facts"):
        Subject(facts([]), Path(), free).recording()
    with pytest.raises(UnreadableRecording):
        Subject(facts([]), Path(), free, Path("missing.jsonl")).recording()
