"""One recording, judged by one case: the verdicts of its checks, and what reports tell of the run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from harness.checks.base import Subject, judged
from harness.errors import RecordingError
from harness.report.facts import RecordingFacts
from harness.report.figures import Usage, add_usage
from harness.report.reading import read_facts
from harness.suites.case import Case
from harness.suites.recordings import final_workspace
from harness.verdicts import Status, Verdict, worst

if TYPE_CHECKING:
    from agent.loop_types import Price
    from harness.costs.priced_by import PricedBy


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

    @property
    def status(self) -> Status:
        """The worst of the verdicts; without any, an error."""
        return worst(verdict.status for verdict in self.verdicts) if self.verdicts else "error"

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


def judge(
    case: Case, path: Path, *, workspace: Path | None = None, price: Price | PricedBy, costs: bool = True
) -> CaseResult:
    """The verdicts of `case` on the recording at `path`; one that cannot be read is an error of the check `read`.

    `workspace`: the files as the run left them; by default the folder that lies beside the recording. `costs`: tell
    what the run cost; the first price takes as long as a hundred recordings.
    """
    try:
        facts = read_facts(path)
    except RecordingError as error:
        return _result(case, path, (Verdict("read", "error", str(error)),))
    subject = Subject(facts, case.folder, price, path, workspace or final_workspace(path), case.golden)
    return _result(
        case, path, tuple(judged(check, subject) for check in case.checks), run_facts(facts, price if costs else None)
    )


def _result(case: Case, path: Path, verdicts: tuple[Verdict, ...], run: RunFacts | None = None) -> CaseResult:
    return CaseResult(case.file, case.suite, case.name, case.task, path, verdicts, run or RunFacts())


def run_facts(facts: RecordingFacts, price: Price | PricedBy | None) -> RunFacts:
    """`price` None: no costs are asked for."""
    known, unpriced = (None, None) if price is None else _costs(facts, price)
    return RunFacts(
        models=_models(facts),
        turns=len(facts.turns),
        calls=len(facts.calls),
        retries=facts.totals.retries,
        usage=facts.totals.usage,
        cost_usd=known,
        unpriced=unpriced,
        seconds=facts.duration,
        offered=tuple(dict.fromkeys(tool for turn in facts.turns for tool in turn.tools)),
        called=facts.totals.tool_calls,
        warnings=tuple(facts.warnings),
    )


def _costs(facts: RecordingFacts, price: Price | PricedBy) -> tuple[Decimal | None, int]:
    from harness.costs.calls import call_costs, total

    costs = call_costs(facts, price)
    known, unpriced = total(costs)
    return known if unpriced < len(costs) else None, unpriced


def _models(facts: RecordingFacts) -> tuple[str, ...]:
    named = ((call.provider, call.answered_by) for call in facts.calls if call.answered_by)
    return tuple(dict.fromkeys("/".join(filter(None, pair)) for pair in named))


def count_by_status(results: Sequence[CaseResult]) -> dict[str, int]:
    counts = {"pass": 0, "fail": 0, "error": 0}
    for result in results:
        counts[result.status] += 1
    return counts
