from __future__ import annotations

import asyncio
from decimal import Decimal

import pytest

from harness.config import Config
from harness.costs.priced_by import PricedBy
from harness.errors import HarnessError
from harness.trials import running
from harness.trials.running import Runner, spent
from harness.trials.spending import Ledger
from tests.harness.checks.runs import call, facts, turn
from tests.harness.trials.trial_runs import cases, model, trial


@pytest.fixture
def trials(tmp_path):
    case = cases(tmp_path)[0]
    return [trial(case, tmp_path, repeat, model) for repeat in (1, 2, 3) for model in ("one", "two")]


class World:
    """In place of trials: when each begins and ends, and what it comes to."""

    def __init__(self, monkeypatch, found=None):
        self.found = found or {}
        self.log = []
        self.at_once = self.most = 0
        self.done = []
        monkeypatch.setattr(running, "run_trial", self.run)
        monkeypatch.setattr(running, "result_of", self.result)
        monkeypatch.setattr(running, "set_aside", lambda one: self.log.append(("aside", one.model, one.repeat)))

    async def run(self, one, *rest):
        self.log.append(("run", one.model, one.repeat))
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(0.01)
        self.at_once -= 1

    def result(self, one):
        return self.found.get((one.model, one.repeat), facts([call()], [turn(cost_usd="0.5")]))

    async def tell(self, one, found):
        self.done.append(one)

    def runner(self, tmp_path, **more):
        names = {name: model(name=name) for name in ("one", "two")}
        price = PricedBy()
        return Runner(names, tmp_path, Config(), price, Ledger(price), {}, self.tell, print, **more)


def failed(kind, **more):
    errors = [{"kind": kind, "message": "no", "hint": "look", **more}]
    return facts([call(0, usage=None)], [turn(errors=errors, cost_usd="0")], status="error")


@pytest.mark.anyio
@pytest.mark.parametrize("jobs", [1, 2, 10])
async def test_so_many_at_a_time_in_their_order(tmp_path, monkeypatch, trials, jobs):
    world = World(monkeypatch)
    runner = world.runner(tmp_path)
    await runner.run(trials, jobs)
    assert world.most == min(jobs, 6)
    ran = [entry[1:] for entry in world.log if entry[0] == "run"]
    assert ran == [(one.model, one.repeat) for one in trials]
    assert [*runner.results] == world.done == trials
    assert (runner.ledger.usd, runner.reasons()) == (3, [])


@pytest.mark.anyio
async def test_the_ceiling_is_held_before_each_trial(tmp_path, monkeypatch, trials):
    world = World(monkeypatch)
    runner = world.runner(tmp_path, ceiling=Decimal("1.2"))
    await runner.run(trials, 1)
    assert len(runner.results) == 3
    assert runner.reasons() == ["--max-cost $1.200000 is reached: $1.500000 are spent"]
    assert runner.why_not(trials[5]) == runner.stopped


@pytest.mark.anyio
async def test_running_trials_are_finished_at_the_ceiling(tmp_path, monkeypatch, trials):
    world = World(monkeypatch)
    runner = world.runner(tmp_path, ceiling=Decimal("0.4"))
    await runner.run(trials, 3)
    assert len(runner.results) == 3


@pytest.mark.anyio
@pytest.mark.parametrize(("kind", "ran"), [("auth", 4), ("billing", 4), ("not_found", 4), ("network", 6)])
async def test_a_model_that_cannot_be_asked_is_given_up(tmp_path, monkeypatch, trials, kind, ran):
    world = World(monkeypatch, {("two", 1): failed(kind)})
    runner = world.runner(tmp_path)
    await runner.run(trials, 1)
    assert len(runner.results) == ran
    assert runner.reasons() == ([] if ran == 6 else [f"two answered with an error of kind {kind}: no -> look"])


@pytest.mark.anyio
@pytest.mark.parametrize(("wait", "ran"), [(60.5, 4), (60, 6), (None, 6)])
async def test_a_model_that_asks_for_a_longer_wait_than_a_trial_has_is_given_up(
    tmp_path, monkeypatch, trials, wait, ran
):
    world = World(monkeypatch, {("two", 1): failed("rate_limit", retry_after=wait)})
    runner = world.runner(tmp_path)
    await runner.run(trials, 1)
    assert len(runner.results) == ran


@pytest.mark.anyio
async def test_half_a_trial_is_put_aside_at_once(tmp_path, monkeypatch, trials):
    world = World(monkeypatch)

    async def fails(*_):
        raise HarnessError("no space left")

    monkeypatch.setattr(running, "run_trial", fails)
    runner = world.runner(tmp_path)
    await runner.run(trials, 2)
    assert runner.stopped == "stopped by a fault: no space left"
    assert world.log == [("aside", "one", 1), ("aside", "one", 1)]


@pytest.mark.anyio
async def test_what_cannot_be_put_aside_stops_the_run(tmp_path, monkeypatch, trials):
    def refuses(_):
        raise HarnessError("read-only")

    world = World(monkeypatch)
    monkeypatch.setattr(running, "set_aside", refuses)
    runner = world.runner(tmp_path)
    await runner.run(trials, 1)
    assert (runner.stopped, world.log) == ("stopped by a fault: read-only", [])


@pytest.mark.anyio
async def test_a_recording_that_is_not_there_stops_the_run(tmp_path, monkeypatch, trials):
    world = World(monkeypatch)
    world.result = lambda one: None
    monkeypatch.setattr(running, "result_of", world.result)
    runner = world.runner(tmp_path)
    await runner.run(trials, 1)
    assert runner.results == {}
    assert runner.reasons() == [f"stopped by a fault: {trials[0].path} is not what was recorded"]


@pytest.mark.anyio
async def test_cancelling_ends_those_that_run(tmp_path, monkeypatch, trials):
    world = World(monkeypatch)
    ended = []

    async def forever(one, *rest):
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(one)

    monkeypatch.setattr(running, "run_trial", forever)
    task = asyncio.create_task(world.runner(tmp_path).run(trials, 2))
    await asyncio.sleep(0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended == trials[:2]


def test_what_was_spent_before(monkeypatch, trials):
    paid = facts([call()], [turn(cost_usd="0.5")])
    monkeypatch.setattr(running, "facts_aside", lambda one: [paid] if one is trials[1] else [])
    assert spent(trials, {trials[0]: paid, trials[1]: paid}, PricedBy()).usd == Decimal("1.5")
