"""What a run of trials shows: which were run, how they ended, and the comparison of the models. Pure.

Every trial of the plan counts, also those that were not run: they have not succeeded, and are named.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from harness.diff.figures import figures_of
from harness.report.call_facts import models_of
from harness.report.figures import cost, known, plural
from harness.report.report import Block, Details, Heading, Report, Table
from harness.trials.outcome import error_of

if TYPE_CHECKING:
    from harness.diff.tasks import Run, TaskResult
    from harness.report.facts import RecordingFacts
    from harness.trials.plan import Plan, Trial
    from harness.trials.spending import Ledger


@dataclass(slots=True)
class Ran:
    """What is known once the trials were run.

    `results`: of the trials that came to their end. `why`: why the others have none. `again`: the recordings that were
    put aside, by trial. `ledger`: what all of it cost. `notes`: lines for people.
    """

    plan: Plan
    trials: Sequence[Trial]
    results: Mapping[Trial, RecordingFacts]
    why: Mapping[Trial, str]
    again: Mapping[Trial, Sequence[RecordingFacts]]
    ledger: Ledger
    notes: Sequence[str] = ()


def trials_report(ran: Ran, tasks: Sequence[TaskResult], comparison: Report) -> Report:
    """`tasks`: the judged trials of each task, the models in the order of the plan. `comparison`: of the models."""
    rows = [_model_row(ran, model.name) for model in ran.plan.models]
    blocks: list[Block] = [
        Heading("Trials"),
        _sentence(ran),
        Table(("model", "answered as", "planned", "run", "not run", "ended in error", "retries", "run again", "cost"),
              [_shown(row) for row in rows],
              ("planned", "run", "not run", "ended in error", "retries", "run again", "cost"), "Models"),
        *ran.notes,
        *_problems(ran),
    ]  # fmt: skip
    judged = {(run.path): run for task in tasks for runs in task.runs for run in runs}
    entries = [_entry(ran, trial, judged.get(trial.path)) for trial in ran.trials]
    data = {
        "suites": [{"name": one.name, "file": one.file, "sha256": one.sha256} for one in ran.plan.suites],
        "repeats": ran.plan.repeats,
        "planned": len(ran.trials),
        "run": len(ran.results),
        "cost_usd": f"{ran.ledger.usd:f}",
        "calls_without_usage": ran.ledger.guessed,
        "calls_without_limit": ran.ledger.unseen,
        "unpriced": list(ran.ledger.unknown),
        "models": rows,
        "trials": entries,
        "comparison": comparison.data,
    }
    headers = [*entries[0]]
    return Report([*blocks, *comparison.blocks], data, headers, [[*entry.values()] for entry in entries])


def _sentence(ran: Ran) -> str:
    tasks, models = len(ran.plan.cases), len(ran.plan.models)
    said = (
        f"{plural(len(ran.trials), 'trial')} planned: {plural(tasks, 'task')} of "
        f"{', '.join(suite.name for suite in ran.plan.suites)}, {plural(models, 'model')}, "
        f"{plural(ran.plan.repeats, 'repeat')}; {known(len(ran.results))} run. Spent: {_money(ran.ledger)}"
    )
    if ran.ledger.guessed:
        said += (
            f" ({plural(ran.ledger.guessed, 'call')} without a count of tokens, each byte taken for one{_unseen(ran)})"
        )
    return f"{said}."


def _unseen(ran: Ran) -> str:
    if not ran.ledger.unseen:
        return ""
    return f"; {ran.ledger.unseen:,} of them cut without a max_tokens, so the provider may have billed more"


def _money(ledger: Ledger) -> str:
    if not ledger.unknown:
        return cost(ledger.usd)
    without = f"no price for {', '.join(ledger.unknown)}"
    return f"{cost(ledger.usd, unpriced=True)} ({without})" if ledger.usd else f"unpriced ({without})"


def _model_row(ran: Ran, name: str) -> dict[str, Any]:
    trials = [trial for trial in ran.trials if trial.model == name]
    found = [ran.results[trial] for trial in trials if trial in ran.results]
    aside = [facts for trial in trials if trial in ran.results for facts in ran.again.get(trial, ())]
    costs = [figures_of(facts, ran.ledger.price).cost_usd for facts in found]
    priced = [amount for amount in costs if amount is not None]
    return {
        "model": name,
        "answered_as": [*models_of(call for facts in found for call in facts.calls)],
        "planned": len(trials),
        "run": len(found),
        "not_run": len(trials) - len(found),
        "ended_in_error": sum(facts.status == "error" for facts in found),
        "retries": sum(facts.totals.retries for facts in found),
        "run_again_after_errors": sum(facts.status == "error" for facts in aside),
        "run_again_after_interruptions": sum(facts.status != "error" for facts in aside),
        "cost_usd": f"{sum(priced, Decimal(0)):f}" if priced else None,
        "unpriced_trials": len(costs) - len(priced),
    }


def _shown(row: Mapping[str, Any]) -> list[str]:
    amount = None if row["cost_usd"] is None else Decimal(row["cost_usd"])
    again = row["run_again_after_errors"] + row["run_again_after_interruptions"]
    return [
        row["model"],
        ", ".join(row["answered_as"]) or "nothing told",
        *(known(row[name]) for name in ("planned", "run", "not_run", "ended_in_error", "retries")),
        known(again),
        cost(amount, unpriced=row["unpriced_trials"] > 0) if row["run"] else "",
    ]


def _problems(ran: Ran) -> list[Block]:
    """Trials that ended in an error, those that were run again, and those that were not run."""
    errors = [
        f"{trial}: {error}" for trial in ran.trials if trial in ran.results and (error := error_of(ran.results[trial]))
    ]
    missing: dict[str, list[str]] = {}
    for trial in ran.trials:
        if trial not in ran.results:
            missing.setdefault(ran.why.get(trial, "not asked for this time"), []).append(_begun(ran, trial))
    again = [
        f"{trial}: {_after(facts)}"
        for trial in ran.trials
        if trial in ran.results
        for facts in ran.again.get(trial, ())
    ]
    found: list[Block] = []
    if errors:
        found.append(Details(f"{plural(len(errors), 'trial')} ended in an error, counted as failed:", errors))
    if again:
        found.append(Details(f"{plural(len(again), 'trial was', 'trials were')} run again:", again))
    for why, names in missing.items():
        found.append(Details(f"{plural(len(names), 'trial')} not run ({why}), counted as not passed:", names))
    return found


def _begun(ran: Ran, trial: Trial) -> str:
    """A trial that was not run, with what was begun and put aside."""
    aside = ran.again.get(trial, ())
    return f"{trial} (begun and put aside: {plural(len(aside), 'recording')})" if aside else str(trial)


def _after(facts: RecordingFacts) -> str:
    error = error_of(facts)
    return "after an interruption" if error is None else f"after an error: {error}"


def _entry(ran: Ran, trial: Trial, run: Run | None) -> dict[str, Any]:
    facts = ran.results.get(trial)
    figures = None if run is None or facts is None else run.figures.to_dict()
    status = "not run" if facts is None else "error" if run is None else run.outcome.status
    return {
        "model": trial.model,
        "suite": trial.case.suite,
        "case": trial.case.name,
        "task": trial.case.task,
        "repeat": trial.repeat,
        "status": status,
        "reason": ran.why.get(trial) if facts is None else None if run is None else run.outcome.reason,
        "error": None if facts is None or (error := error_of(facts)) is None else error.kind,
        "answered_as": None if facts is None else ", ".join(models_of(facts.calls)) or None,
        **{name: None if figures is None else figures[name] for name in _FIGURES},
        "recording": trial.path.as_posix(),
    }


_FIGURES = ("calls", "retries", "tool_calls", "input_tokens", "output_tokens", "cost_usd", "duration")
