"""What `harness run` shows on stderr while it works: a line a trial; on a terminal a bar as well."""

from __future__ import annotations

import sys
from asyncio import to_thread
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click

from harness.report.figures import cost, plural
from harness.report.text import shorten, visible_line

if TYPE_CHECKING:
    from harness.costs.priced_by import PricedBy
    from harness.report.facts import RecordingFacts
    from harness.trials.plan import Trial

_WIDTH = 160


class Progress:
    """`total`: the trials to come."""

    def __init__(self, total: int, price: PricedBy) -> None:
        self._total = total
        self._price = price
        self._done = 0
        self._bar: Any = None

    def __enter__(self) -> Progress:
        if sys.stderr.isatty() and self._total:
            self._bar = click.progressbar(length=self._total, label="trials", file=sys.stderr).__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.__exit__(kind, error, traceback)
            self._bar = None

    async def done(self, trial: Trial, facts: RecordingFacts) -> None:
        """Judge a trial and tell of it."""
        from harness.diff.figures import figures_of
        from harness.suites.judging import judge
        from harness.trials.outcome import as_trial, error_of

        result = await to_thread(judge, as_trial(trial.case), trial.path, price=self._price, costs=False)
        self._done += 1
        verdict = result.status if result.reason is None else f"{result.status}: {result.reason}"
        if result.status == "error" and (error := error_of(facts)):
            verdict = f"fail: no_error: {error}"
        amount = cost(figures_of(facts, self._price).cost_usd)
        figures = f"{plural(facts.totals.calls, 'call')}, {amount}"
        self._line(shorten(f"{self._done}/{self._total} {trial}: {figures}, {verdict}", _WIDTH))
        if self._bar is not None:
            self._bar.update(1)

    def say(self, line: str) -> None:
        self._line(f"harness: {line}")

    def _line(self, line: str) -> None:
        before = "\r\033[K" if self._bar is not None else ""
        click.echo(f"{before}{visible_line(line)}", err=True)
        if self._bar is not None:
            self._bar.render_progress()
