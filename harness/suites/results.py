"""What judging a recording by a case gives: the verdicts of its checks, and what reports tell of the run. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path

from harness.report.figures import Usage, add_usage
from harness.verdicts import Status, Verdict, worst


@dataclass(slots=True, frozen=True)
class RunFacts:
    """What a report tells of one run.

    `models`: `provider/model` as providers answered, each once. `cost_usd`: of the calls that have a price, None where
    none has; `unpriced`: how many have none. Both are None where no costs were asked for. `seconds`: the recorded time.
    `offered`, `called`: tools, with the number of their calls.
    """

    models: tuple[str, ...] = ()
    turns: int | None = None
    calls: int | None = None
    retries: int | None = None
    usage: Usage = field(default_factory=lambda: add_usage(()))
    cost_usd: Decimal | None = None
    unpriced: int | None = None
    seconds: float | None = None
    offered: tuple[str, ...] = ()
    called: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(slots=True, frozen=True)
class CaseResult:
    """A recording and the verdicts of a case on it. It can be pickled. `file`: that of the suite."""

    file: Path
    suite: str
    case: str
    task: str
    path: Path
    verdicts: tuple[Verdict, ...]
    run: RunFacts = field(default_factory=RunFacts)
    status: Status = field(init=False)
    """The worst of the verdicts; without any, an error."""

    def __post_init__(self) -> None:
        status = worst(verdict.status for verdict in self.verdicts) if self.verdicts else "error"
        object.__setattr__(self, "status", status)

    @property
    def reason(self) -> str | None:
        """`check: reason` of the first verdict that is no pass; errors come first."""
        wrong = [verdict for verdict in self.verdicts if verdict.status == self.status]
        return None if self.status == "pass" else said(wrong[0]) if wrong else "there is no check"

    @property
    def score(self) -> float | None:
        """The mean over the checks, each by its partial score, else 1 or 0; None where one is an error."""
        if self.status == "error":
            return None
        scores = [float(one.status == "pass") if one.score is None else one.score for one in self.verdicts]
        return sum(scores) / len(scores)


def said(verdict: Verdict) -> str:
    """A verdict that is no pass, in one line."""
    return f"{verdict.check}: {verdict.reason or 'no reason given'}"


def count_by_status(results: Sequence[CaseResult]) -> dict[str, int]:
    counts = {"pass": 0, "fail": 0, "error": 0}
    for result in results:
        counts[result.status] += 1
    return counts
