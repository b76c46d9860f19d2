"""Whether a run succeeded: by the cases of a suite, else by how it ended."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from harness.verdicts import Status, worst

if TYPE_CHECKING:
    from harness.costs.priced_by import PricedBy
    from harness.report.facts import RecordingFacts
    from harness.suites.case import Case

BY_ENDING = "a run succeeds when it ends with the stop reason stop"


@dataclass(slots=True, frozen=True)
class Outcome:
    """`reason`: of what is no pass."""

    status: Status
    reason: str | None = None

    @property
    def passed(self) -> bool:
        return self.status == "pass"


def by_ending(facts: RecordingFacts) -> Outcome:
    """A pass where the recording was closed as ok and the last turn, or the last call where there is no turn, stopped
    by itself."""
    if facts.status != "ok":
        return Outcome(
            "fail", "the recording was not closed" if facts.status is None else f"it ended as {facts.status}"
        )
    last = facts.turns[-1] if facts.turns else facts.calls[-1] if facts.calls else None
    if last is None:
        return Outcome("fail", "it holds neither a turn nor a call")
    if last.stop_reason != "stop":
        return Outcome("fail", f"it stopped with {last.stop_reason or 'no stop reason'}")
    return Outcome("pass")


def by_cases(cases: Sequence[Case], facts: RecordingFacts, path: Path, price: PricedBy) -> Outcome:
    """The worst of what the cases say of the recording at `path`; without any, an error."""
    from harness.suites.judging import judge

    if not cases:
        return Outcome("error", "no case of the suite has this task")
    results = [judge(case, path, facts=facts, price=price, costs=False) for case in cases]
    status = worst(result.status for result in results)
    return Outcome(status, next((result.reason for result in results if result.status == status), None))
