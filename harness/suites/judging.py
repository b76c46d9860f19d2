"""One recording, judged by one case."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from harness.checks.base import Subject, judged
from harness.errors import RecordingError
from harness.recording.lines import damage_in
from harness.recording.opening import open as open_recording
from harness.report.call_facts import models_of
from harness.report.facts import RecordingFacts
from harness.report.reading import read_facts
from harness.suites.case import Case
from harness.suites.recordings import final_workspace
from harness.suites.results import CaseResult, RunFacts
from harness.verdicts import Verdict

if TYPE_CHECKING:
    from agent.loop_types import Price
    from harness.costs.priced_by import PricedBy


def judge(
    case: Case,
    path: Path,
    *,
    facts: RecordingFacts | None = None,
    workspace: Path | None = None,
    price: Price | PricedBy,
    costs: bool = True,
) -> CaseResult:
    """The verdicts of `case` on the recording at `path`; one that cannot be read, or is damaged, is an error of the
    check `read`.

    `facts`: of the recording with its content, where it has been read already. `workspace`: the files as the run left
    them; by default the folder that lies beside the recording. `costs`: tell what the run cost; the first price takes
    as long as a hundred recordings.
    """
    try:
        facts = facts or read_facts(path)
    except RecordingError as error:
        return _result(case, path, (Verdict("read", "error", str(error)),))
    subject = Subject(facts, case.folder, price, path, workspace or final_workspace(path), case.golden)
    broken = damage(path, facts)
    read = () if broken is None else (Verdict("read", "error", broken),)
    verdicts = (*read, *(judged(check, subject) for check in case.checks))
    return _result(case, path, verdicts, _run_facts(facts, price if costs else None))


def _result(case: Case, path: Path, verdicts: tuple[Verdict, ...], run: RunFacts | None = None) -> CaseResult:
    return CaseResult(case.file, case.suite, case.name, case.task, path, verdicts, run or RunFacts())


def damage(path: Path, facts: RecordingFacts) -> str | None:
    """The fault of a recording that leaves no check all it has to know; None for none."""
    return damage_in(open_recording(path).warnings) if facts.warnings else None


def _run_facts(facts: RecordingFacts, price: Price | PricedBy | None) -> RunFacts:
    """`price` None: no costs are asked for."""
    known, unpriced = (None, None) if price is None else _costs(facts, price)
    return RunFacts(
        models=models_of(facts.calls),
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
