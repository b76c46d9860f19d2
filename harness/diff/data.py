"""Runs and comparisons as JSON: docs/diff.md describes the fields. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from harness.diff.compare import Change
from harness.diff.steps import Step
from harness.differences import MISSING, Difference

if TYPE_CHECKING:
    from harness.diff.tasks import Comparison, Run


def run_data(run: Run) -> dict[str, Any]:
    return {
        "path": str(run.path),
        "number": run.number,
        "status": run.outcome.status,
        "reason": run.outcome.reason,
        "ending": run.ending,
        "models": list(run.models),
        "settings": run.settings,
        "steps": run.steps,
        "figures": run.figures.to_dict(),
        "warnings": list(run.warnings),
    }


def comparison_data(comparison: Comparison, *, steps: bool) -> dict[str, Any]:
    """`steps`: with the list of all that are not the same."""
    found: dict[str, Any] = {
        "number": comparison.number,
        "same": comparison.same,
        "steps": dict(comparison.counts),
        "first_divergence": None if comparison.first is None else change_data(comparison.first),
        "settings": differences_data(comparison.settings),
    }
    if steps:
        found["changes"] = [change_data(change) for change in comparison.changes if change.status != "same"]
    if comparison.volatile:
        found["volatile"] = differences_data(comparison.volatile)
    return found


def change_data(change: Change) -> dict[str, Any]:
    return {
        "number": change.number,
        "status": change.status,
        "kind": change.step.kind,
        "one": step_data(change.one),
        "other": step_data(change.other),
        "differences": differences_data(change.differences),
    }


def step_data(step: Step | None) -> dict[str, Any] | None:
    if step is None:
        return None
    found: dict[str, Any] = {"turn": step.turn, "call": step.call}
    if step.kind == "tool_call":
        return found | {
            "name": step.name, "input": step.input, "unparsed": step.unparsed, "ok": step.ok, "output": step.output,
        }  # fmt: skip
    return found | ({"error": step.name, "text": step.text} if step.kind == "error" else {"text": step.text})


def differences_data(differences: Sequence[Difference]) -> list[dict[str, Any]]:
    """`one` or `other` is left out where that side has no value."""
    return [
        {
            "path": path,
            **({} if one is MISSING else {"one": one}),
            **({} if other is MISSING else {"other": other}),
        }
        for path, one, other in differences
    ]
