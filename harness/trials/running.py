"""Runs trials, several at once, and stops where going on is of no use: at the ceiling, or at a fault."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any

from agent.retry import LIMITS
from harness.config import Config
from harness.costs.priced_by import PricedBy
from harness.errors import HarnessError
from harness.report.facts import RecordingFacts
from harness.report.figures import cost as dollars
from harness.report.values import any_text
from harness.trials.folder import facts_aside, result_of, set_aside
from harness.trials.live_models import LiveModel
from harness.trials.outcome import last_error
from harness.trials.plan import Trial
from harness.trials.spending import Ledger
from harness.trials.trial import run_trial

HOPELESS = frozenset({"auth", "billing", "not_found"})
"""Kinds of errors that every trial of the model would end in; a wait that is too long for one is another."""


@dataclass(slots=True)
class Runner:
    """`results`: of the trials that came to their end, before this run too; it is kept up to date, and `done` is called
    with each that comes. `ledger`: what all recordings of the folder cost; `ceiling`: no trial begins once that much
    is spent, or what is spent is not known. `warn` takes lines for people.
    """

    models: Mapping[str, LiveModel]
    scratch: Path
    config: Config
    price: PricedBy
    ledger: Ledger
    results: dict[Trial, RecordingFacts]
    done: Callable[[Trial, RecordingFacts], Awaitable[None]]
    warn: Callable[[str], None]
    ceiling: Decimal | None = None
    stopped: str | None = None
    given_up: dict[str, str] = field(default_factory=dict)
    """Why no more trials begin: of all, and by model."""

    async def run(self, trials: Iterable[Trial], jobs: int) -> None:
        """The trials in their order, `jobs` at a time. Cancelling it ends those that are running."""
        waiting = deque(trials)
        workers = [asyncio.create_task(self._work(waiting)) for _ in range(min(jobs, len(waiting)))]
        try:
            await asyncio.gather(*workers)
        finally:
            for worker in workers:
                worker.cancel()
            await asyncio.gather(*workers, return_exceptions=True)

    def why_not(self, trial: Trial) -> str | None:
        """Why a trial was not run."""
        return self.given_up.get(trial.model) or self.stopped

    def reasons(self) -> list[str]:
        """Why trials were not run, each once."""
        return [*self.given_up.values(), *([self.stopped] if self.stopped else [])]

    async def _work(self, waiting: deque[Trial]) -> None:
        while waiting:
            trial = waiting.popleft()
            if self.stopped is None:
                self.stopped = self._ceiling_says()
            if self.why_not(trial) is None:
                await self._run(trial)

    def _ceiling_says(self) -> str | None:
        if self.ceiling is None:
            return None
        if self.ledger.unknown:
            return f"what {next(iter(self.ledger.unknown))} costs is not known, so --max-cost cannot be kept"
        if self.ledger.usd >= self.ceiling:
            return f"--max-cost {dollars(self.ceiling)} is reached: {dollars(self.ledger.usd)} are spent"
        return None

    async def _run(self, trial: Trial) -> None:
        self.results.pop(trial, None)
        model = self.models[trial.model]
        try:
            set_aside(trial)
            await run_trial(trial, model, self.scratch, self.config, self.price, self.warn)
        except HarnessError as fault:
            self._stop(trial, str(fault))
            return
        facts = await asyncio.to_thread(result_of, trial)
        if facts is None:
            self._stop(trial, f"{trial.path} is not what was recorded")
            return
        self.results[trial] = facts
        self.ledger.add(facts)
        error = last_error(facts)
        if error is not None and is_hopeless(error):
            kind, message = any_text(error.get("kind")), any_text(error.get("message")) or "no message"
            hint = any_text(error.get("hint"))
            said = f"{trial.model} answered with an error of kind {kind}: {message}{f' -> {hint}' if hint else ''}"
            self.given_up.setdefault(trial.model, said)
        await self.done(trial, facts)

    def _stop(self, trial: Trial, fault: str) -> None:
        """Where half a trial is in the way the next run puts it aside, should that not be possible now."""
        self.stopped = self.stopped or f"stopped by a fault: {fault}"
        with suppress(HarnessError):
            set_aside(trial)


def is_hopeless(error: Mapping[str, Any]) -> bool:
    wait = error.get("retry_after")
    too_long = isinstance(wait, (int, float)) and wait > LIMITS.patience
    return error.get("kind") in HOPELESS or too_long


def spent(trials: Iterable[Trial], results: Mapping[Trial, RecordingFacts], price: PricedBy) -> Ledger:
    """What all recordings of these trials cost, those put aside and the interrupted ones among them."""
    ledger = Ledger(price)
    for trial in trials:
        for facts in (*facts_aside(trial), *([results[trial]] if trial in results else [])):
            ledger.add(facts)
    return ledger
