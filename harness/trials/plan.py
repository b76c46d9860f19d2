"""What trials there are to be: cases, models, repeats. Kept as `DIR/trials.json`, so that a run can go on. Pure."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from harness.errors import HarnessError
from harness.paths import WORKSPACE
from harness.suites.case import Case, slug

FORMAT, VERSION = "trials", 1


@dataclass(slots=True, frozen=True)
class PlannedSuite:
    """`sha256`: of the file as it is; `begun`: as it was when the first trials were run, None where that is the
    same."""

    name: str
    file: str
    sha256: str
    begun: str | None = None


@dataclass(slots=True, frozen=True)
class PlannedCase:
    """`asked`: all that the agent is given, by name; texts and folders as digests."""

    suite: str
    case: str
    task: str
    asked: Mapping[str, Any]


@dataclass(slots=True, frozen=True)
class PlannedModel:
    """`name`: how reports call it; `model`: its own id, without the provider."""

    name: str
    provider: str
    model: str
    base_url: str

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return slug(self.name)


@dataclass(slots=True, frozen=True)
class Plan:
    """`harness`: the version of this program."""

    harness: str
    suites: tuple[PlannedSuite, ...]
    cases: tuple[PlannedCase, ...]
    models: tuple[PlannedModel, ...]
    repeats: int

    def to_dict(self) -> dict[str, Any]:
        return {"format": FORMAT, "version": VERSION, **asdict(self)}

    @classmethod
    def from_dict(cls, data: Any) -> Plan:
        """Raises `KeyError`, `TypeError` or `ValueError` for what is no plan of this version."""
        if data["format"] != FORMAT or data["version"] != VERSION:
            raise ValueError("not a plan of this version")
        return cls(
            data["harness"],
            tuple(PlannedSuite(**one) for one in data["suites"]),
            tuple(PlannedCase(**one) for one in data["cases"]),
            tuple(PlannedModel(**one) for one in data["models"]),
            int(data["repeats"]),
        )


@dataclass(slots=True, frozen=True, eq=False)
class Trial:
    """One run of a case, the same only as itself. `model`: the name; `repeat`: from 1; `path`: of the recording."""

    case: Case
    model: str
    repeat: int
    path: Path

    def __str__(self) -> str:
        """As people are told of it."""
        return f"{self.model}, {self.case.task}, repeat {self.repeat}"

    @property
    def workspace(self) -> Path:
        """Where the files are kept as the trial left them."""
        return self.path.with_suffix(WORKSPACE)


def planned_case(case: Case, workspace: str | None) -> PlannedCase:
    """`workspace`: the digest of its folder."""
    asked = {
        "prompt": _digest(case.prompt),
        "workspace": workspace,
        "mode": case.mode,
        "system": _digest(case.system),
        "params": _digest(json.dumps(dict(case.params), sort_keys=True, default=str)),
        "max_iterations": case.max_iterations,
        "tools": case.tools,
    }
    return PlannedCase(case.suite, case.name, case.task, asked)


def check_tasks(cases: Sequence[Case]) -> None:
    """Raises `HarnessError` where two cases have one task: their recordings could not be told apart."""
    seen: dict[str, Case] = {}
    for case in cases:
        other = seen.setdefault(slug(case.task), case)
        if other is not case:
            where = f'case "{case.name}" of {case.file} and case "{other.name}" of {other.file}'
            raise HarnessError(f'{where} have the same task "{case.task}": give each a `task` of its own')


def merged(old: Plan, new: Plan) -> Plan:
    """The plan that a second run goes on with: more suites, cases, models or repeats are added.

    Raises `HarnessError` that names the first difference of any other kind.
    """
    if old.harness != new.harness:
        _refuse(f"it was begun with version {old.harness} of this program, and this is {new.harness}")
    models = {model.name: model for model in old.models}
    cases = {(case.suite, case.case): case for case in new.cases}
    for case in old.cases:
        now = cases.get((case.suite, case.case))
        if now is None:
            _refuse(f'it holds trials of the case "{case.case}" of {case.suite}, which is not among these')
        else:
            _compare_cases(case, now)
    for model in new.models:
        known = models.setdefault(model.name, model)
        if known != model:
            _refuse(f"{model.name} is {_place(known)} there, and {_place(model)} now")
        for other in models.values():
            if other.folder == model.folder and other.name != model.name:
                _refuse(f"{model.name} would be kept where {other.name} is: name it, as in NAME=provider/model")
    begun = {suite.name: suite.begun or suite.sha256 for suite in old.suites}
    suites = tuple(replace(suite, begun=_unless(suite.sha256, begun.get(suite.name))) for suite in new.suites)
    return Plan(new.harness, suites, new.cases, tuple(models.values()), max(old.repeats, new.repeats))


def changed_suites(plan: Plan) -> list[str]:
    """The files of suites that are not what they were when the first trials were run."""
    return [suite.file for suite in plan.suites if suite.begun is not None]


def trials_of(plan: Plan, cases: Sequence[Case], folder: Path) -> list[Trial]:
    """All of them, in the order in which they are run.

    The models take turns on each case, and the first of them changes, so that what changes at a provider with time
    comes to all alike.
    """
    found = []
    for repeat in range(1, plan.repeats + 1):
        for number, case in enumerate(cases):
            start = (number + repeat - 1) % len(plan.models)
            for model in (*plan.models[start:], *plan.models[:start]):
                path = folder / model.folder / f"{slug(case.task)}.{repeat}.jsonl"
                found.append(Trial(case, model.name, repeat, path))
    return found


def _unless(same: str, value: str | None) -> str | None:
    return None if value == same else value


def _digest(text: str | None) -> str | None:
    return None if text is None else hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def _compare_cases(old: PlannedCase, new: PlannedCase) -> None:
    if old.task != new.task:
        _refuse(f'the task of the case "{new.case}" was "{old.task}", and is "{new.task}" now')
    differing = [name for name in new.asked if new.asked[name] != old.asked.get(name)]
    if differing:
        _refuse(f'of the case "{new.case}" of {new.suite} `{"`, `".join(differing)}` changed since')


def _place(model: PlannedModel) -> str:
    return f"{model.provider}/{model.model} at {model.base_url}"


def _refuse(difference: str) -> None:
    raise HarnessError(f"{difference}; take another --out, or --fresh to start over")
