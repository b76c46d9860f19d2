"""`harness run`: live trials of the built-in agent on the tasks of suites, with several models, again and again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from harness.cli.ask_turn import cancel_on_signals
from harness.cli.jobs import with_progress
from harness.cli.price_options import price_for, price_options
from harness.cli.report_options import Output, deliver, report_options_as
from harness.cli.run_progress import Progress
from harness.cli.suite_options import filter_option
from harness.config import Config, current
from harness.errors import HarnessError

if TYPE_CHECKING:
    from harness.costs.priced_by import PricedBy
    from harness.report.facts import RecordingFacts
    from harness.report.report import Report
    from harness.suites.case import Suite
    from harness.trials.live_models import LiveModel
    from harness.trials.plan import Trial
    from harness.trials.preparing import Prepared
    from harness.trials.running import Runner

EXIT_INCOMPLETE = 1
EXIT_INTERRUPTED = 130


def _dollars(ctx: click.Context, param: click.Parameter, value: str | None) -> Decimal | None:
    if value is None:
        return None
    try:
        found = Decimal(value)
    except InvalidOperation:
        found = Decimal(0)
    if not found.is_finite() or found <= 0:
        raise click.BadParameter(f"{value!r} is no amount of dollars: write for example 2.50")
    return found


@click.command(name="run")
@click.argument("suites", nargs=-1, required=True, metavar="SUITES...", type=click.Path())
@click.option(
    "--model", "-m", "models", multiple=True, metavar="[NAME=]MODEL[@URL]", help="A model that takes part: see above."
)
@click.option("--repeat", "-n", default=1, show_default=True, type=click.IntRange(1), help="Trials of each task.")
@click.option("--out", type=click.Path(path_type=Path), required=True, metavar="DIR", help="The folder of the trials.")
@filter_option
@click.option("--jobs", "-j", default=1, show_default=True, type=click.IntRange(1), help="Trials at a time.")
@click.option("--max-cost", callback=_dollars, metavar="USD", help="Begin no trial once DIR has cost this much.")
@click.option("--retry-errors", is_flag=True, help="Run trials again that ended in an error of the provider.")
@click.option("--fresh", is_flag=True, help="Remove the trials that are in DIR, and start over.")
@price_options
@report_options_as("--report")
@click.option("--seed", default=0, show_default=True, type=int, help="Of the bootstrap in the report.")
@click.pass_context
def command(ctx: click.Context, /, suites: tuple[str, ...], models: tuple[str, ...], **options: Any) -> None:
    """Run the built-in agent on the tasks of suites, and compare models.

    SUITES are suite files (*.suite.toml), folders that are searched for them, or globs. Each case with a prompt is run
    by each model in a fresh copy of its workspace, recorded as DIR/MODEL/TASK.N.jsonl, its files kept beside it, and
    judged. MODEL is provider/model; NAME= is how the report calls it, @URL the server that it is asked of. The same
    command again goes on where it stopped, also after Ctrl-C; more models, cases or repeats are added. Exit status: 0
    all was run; 1 trials were not run, ended in an error, or cannot be judged; 2 unusable input; 130 Ctrl-C.

    \b
    harness run tasks.suite.toml -m openai/gpt-4.1-mini -m anthropic/claude-haiku-4-5 --repeat 5 --out trials/
    harness run tasks.suite.toml -m openai/gpt-4.1-mini --repeat 5 --out trials/ --max-cost 2.50 --report trials.md
    harness run tasks.suite.toml -m a=llamacpp/m@http://127.0.0.1:8080 -m b=llamacpp/m@http://127.0.0.1:8081 --out t/
    """
    from harness.suites.loading import load_suites
    from harness.suites.running import is_chosen
    from harness.trials.live_models import find_live_models
    from harness.trials.preparing import live_cases

    config = current()
    named = models or ((config.model,) if config.model else ())
    if not named:
        raise click.UsageError("no model: name one or more, for example --model openai/gpt-4.1-mini")
    loaded = load_suites(suites)
    expression = options["expression"]
    if not any(is_chosen(case, expression) for case in live_cases(loaded)):
        raise HarnessError(f'no case with a prompt fits "{expression}"')
    taking_part = find_live_models(named, config)
    price = price_for(options["prices"], config)
    _check(taking_part, price, options["max_cost"])
    ctx.exit(_run_all(loaded, taking_part, config, price, options))


def _run_all(
    suites: Sequence[Suite],
    models: Sequence[LiveModel],
    config: Config,
    price: PricedBy,
    options: dict[str, Any],
) -> int:
    """Run what is to be run, and report on all of it; the exit status."""
    from harness.suites.running import is_chosen
    from harness.trials.folder import opened, set_aside
    from harness.trials.preparing import live_cases, plan_of, prepare
    from harness.trials.running import Runner, spent

    folder: Path = options["out"]
    by_name = {model.name: model for model in models}
    plan = plan_of(suites, models, options["repeat"], folder)
    with opened(folder) as scratch:
        prepared = prepare(plan, live_cases(suites), folder, fresh=options["fresh"])
        results = prepared.results
        asked = [one for one in prepared.trials if one.model in by_name and is_chosen(one.case, options["expression"])]
        chosen = [one for one in asked if _is_to_run(results.get(one), options["retry_errors"])]
        ledger = spent(prepared.trials, results, price)
        with Progress(len(chosen), price) as progress:
            runner = Runner(
                by_name, scratch, config, price, ledger, results, progress.done, progress.say, options["max_cost"]
            )
            interrupted = _run(runner, chosen, options["jobs"])
        if interrupted:
            for trial in chosen:
                if trial not in results:
                    set_aside(trial)
            done = sum(trial in results for trial in chosen)
            progress.say(f"interrupted; {done} of {len(chosen)} trials were run, and the same command goes on")
            return EXIT_INTERRUPTED
        report, unjudged = _report(prepared, chosen, runner, folder, options["seed"])
    deliver(report, Output(options["form"], options["report"]), "trials")
    for why in runner.reasons():
        progress.say(why)
    whole = all(trial in results and results[trial].status == "ok" for trial in asked)
    return 0 if whole and not unjudged else EXIT_INCOMPLETE


def _check(models: Sequence[LiveModel], price: PricedBy, max_cost: Decimal | None) -> None:
    """Whether calls can be made, and their cost known. Raises `HarnessError`."""
    from harness.recorder.session import network
    from harness.trials.spending import unpriced

    for model in models:
        network(model.target)
    without = unpriced([(one.target.provider, one.model) for one in models], price)
    if max_cost is not None and without:
        raise HarnessError(f"no price is known for {', '.join(without)}: give --prices FILE, or leave out --max-cost")


def _is_to_run(facts: RecordingFacts | None, retry_errors: bool) -> bool:
    from harness.trials.outcome import ended_in_provider_error

    return facts is None or (retry_errors and ended_in_provider_error(facts))


def _run(runner: Runner, trials: Sequence[Trial], jobs: int) -> bool:
    """Run them; whether that was interrupted."""

    async def run() -> None:
        cancel_on_signals()
        await runner.run(trials, jobs)

    try:
        asyncio.run(run())
    except (KeyboardInterrupt, asyncio.CancelledError):
        return True
    return False


def _report(
    prepared: Prepared, chosen: Sequence[Trial], runner: Runner, folder: Path, seed: int
) -> tuple[Report, bool]:
    """The report, and whether a trial could not be judged."""
    from harness.trials.comparing import comparison, judged
    from harness.trials.folder import facts_aside
    from harness.trials.report import Ran, trials_report

    plan, trials = prepared.plan, prepared.trials
    tasks = [*with_progress(judged(plan, trials, prepared.results, runner.price), len(plan.cases), "judging")]
    ran = Ran(
        plan,
        trials,
        prepared.results,
        {trial: why for trial in chosen if (why := runner.why_not(trial)) is not None},
        {trial: facts_aside(trial) for trial in trials},
        runner.ledger,
        prepared.notes,
    )
    unjudged = any(run.outcome.status == "error" for task in tasks for runs in task.runs for run in runs)
    return trials_report(ran, tasks, comparison(plan, folder, tasks, seed=seed)), unjudged
