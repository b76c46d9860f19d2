"""One trial: the built-in agent takes a turn in a fresh workspace, and both are kept."""

from __future__ import annotations

import tempfile
from asyncio import to_thread
from collections.abc import Callable
from pathlib import Path

from agent.front_ends.summary import Summary
from agent.messages import user
from harness.config import Config
from harness.costs.priced_by import PricedBy
from harness.errors import HarnessError
from harness.recorder.recorder import Recorder
from harness.recorder.session import Agent, network, open_turn, redactor
from harness.suites.workspaces import copy_tree, keep
from harness.trials.folder import set_aside
from harness.trials.live_models import LiveModel
from harness.trials.plan import Trial


async def run_trial(
    trial: Trial,
    model: LiveModel,
    scratch: Path,
    config: Config,
    price: PricedBy,
    warn: Callable[[str], None],
) -> Summary:
    """What the turn came to. The agent works in a folder of its own below `scratch`.

    An end record with the status ok or error is the last that is written: what is interrupted before is no trial yet.
    Raises `HarnessError` where workspace or recording cannot be written.
    """
    case = trial.case
    assert case.prompt is not None
    summary = Summary()
    status = "cancelled"
    try:
        await to_thread(trial.path.parent.mkdir, exist_ok=True)
        workspace = await to_thread(_fresh, case.workspace, scratch)
        agent = Agent(
            model.target,
            model.model,
            case.mode,
            workspace,
            case.system,
            dict(case.params),
            case.tools,
            case.max_iterations,
        )
        transport = network(model.target)
        recorder = Recorder(
            trial.path, task=case.task, tags=tags_of(trial), redactor=redactor(config, model.target), warn=warn
        )
        try:
            async with open_turn([user(case.prompt)], agent, transport, recorder, price) as events:
                async for event in events:
                    summary.see(event)
            await to_thread(keep, workspace, trial.workspace)
            status = "error" if summary.failed else "ok"
        finally:
            recorder.close(status)
    except OSError as error:
        raise HarnessError(f"{error.filename2 or error.filename or trial.path}: {error.strerror or error}") from None
    if recorder.errors:
        set_aside(trial)
        raise HarnessError(f"not all of it is recorded: {recorder.errors[0]}")
    return summary


def tags_of(trial: Trial) -> list[str]:
    case = trial.case
    return [f"suite={case.suite}", f"case={case.name}", f"repeat={trial.repeat}", f"model={trial.model}"]


def _fresh(source: Path | None, scratch: Path) -> Path:
    """A copy of the suite's folder under its own name, or an empty folder. Nothing in its path tells of the trial."""
    above = Path(tempfile.mkdtemp(dir=scratch))
    if source is None:
        folder = above / "workspace"
        folder.mkdir()
    else:
        folder = above / (source.resolve().name or "workspace")
        copy_tree(source, folder)
    return folder
