"""How a trial came out. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from harness.report.values import any_text

if TYPE_CHECKING:
    from harness.report.facts import RecordingFacts
    from harness.suites.case import Case

OF_THE_MODEL = frozenset({"content_blocked", "context_overflow", "malformed_tool_call"})
"""Kinds of errors that what the model, or the agent, did brought about: to run such a trial again would be to choose
among answers."""


class TrialError(NamedTuple):
    kind: str
    message: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.message}"


def last_error(facts: RecordingFacts) -> Mapping[str, Any] | None:
    """The error that a trial ended in, as recorded (an empty one where none is); None where it ended in none."""
    if facts.status != "error":
        return None
    return next((turn.errors[-1] for turn in reversed(facts.turns) if turn.errors), {})


def error_of(facts: RecordingFacts) -> TrialError | None:
    """The error that a trial ended in; None where it ended in none."""
    error = last_error(facts)
    if error is None:
        return None
    return TrialError(any_text(error.get("kind")) or "?", any_text(error.get("message")) or "no message")


def ended_in_provider_error(facts: RecordingFacts) -> bool:
    error = error_of(facts)
    return error is not None and error.kind not in OF_THE_MODEL


def as_trial(case: Case) -> Case:
    """The case with the check that every trial has to pass: that it did not end in an error."""
    from harness.checks.registry import check_class

    if any(check.type == "no_error" for check in case.checks):
        return case
    return replace(case, checks=(check_class("no_error").model_validate({"type": "no_error"}), *case.checks))
