"""Reads suite files. Whatever is wrong with one is one line with file, table, name of the case, and key."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from harness.checks.registry import check_class, names
from harness.errors import CheckError, HarnessError, SuiteError
from harness.files import find_files
from harness.model_errors import first_problem, key_text
from harness.paths import in_workspace, without_suffix
from harness.suites.case import SUFFIX, Case, Suite, slug
from harness.suites.models import CaseTable, SuiteTable
from harness.suites.recordings import is_pattern
from harness.toml_input import read_toml

if TYPE_CHECKING:
    from harness.checks.base import Check


def find_suites(paths: Iterable[str]) -> list[Path]:
    """The suite files that `paths` name (files, folders, patterns), each once. Raises `HarnessError` where one names
    none."""
    found: dict[str, Path] = {}
    for text in paths:
        files = [file for file in find_files([text]) if file.name.endswith(SUFFIX)]
        if Path(text).is_dir():
            files = [file for file in files if not in_workspace(file.relative_to(text))]
        if not files and Path(text).is_file():
            advice = f"`harness suite init {text}` makes one of a recording"
            raise HarnessError(f"{text}: not a suite: its name should end in {SUFFIX} ({advice})")
        if not files:
            raise HarnessError(f"{text}: no suite there (*{SUFFIX}); `harness suite init RECORDING...` writes one")
        for file in files:
            found.setdefault(os.path.realpath(file), file)
    return list(found.values())


def load_suites(paths: Iterable[str]) -> list[Suite]:
    """The suites that `paths` name. Raises `HarnessError`."""
    return [load_suite(path) for path in find_suites(paths)]


def load_suite(path: Path) -> Suite:
    """The suite of one file. Raises `SuiteError`."""
    table = _table(path)
    try:
        found = SuiteTable.model_validate(table)
    except ValidationError as error:
        place, problem = first_problem(error, SuiteTable)
        raise SuiteError(path, key_text(place), problem, _case_name(table, place)) from None
    if not found.case:
        raise SuiteError(path, None, "it has no case: write [[case]]")
    name = found.name or path.name.removesuffix(SUFFIX)
    shared = [_check(path, ("check", index), check, None) for index, check in enumerate(found.check)]
    cases = tuple(_case(path, name, index, case, shared) for index, case in enumerate(found.case))
    _check_names(path, cases)
    return Suite(path, name, cases)


def _table(path: Path) -> dict[str, Any]:
    try:
        if os.path.exists(path) and not os.path.isfile(path):  # these raise nothing
            raise ValueError("it is no regular file")
        document = read_toml(path)
    except ValueError as error:
        raise SuiteError(path, None, str(error)) from None
    return {key: _plain(key, value) for key, value in document.items()}


def _plain(key: str, value: Any) -> Any:
    """Decimal numbers are floats, as in JSON; those of money, whose keys end in `_usd`, stay exact."""
    if isinstance(value, dict):
        return {name: _plain(name, item) for name, item in value.items()}
    if isinstance(value, list):
        return [_plain(key, item) for item in value]
    return float(value) if isinstance(value, Decimal) and not key.endswith("_usd") else value


def _case_name(table: dict[str, Any], place: Sequence[int | str]) -> str | None:
    """The name of the case in which `place` lies, where it has one."""
    if len(place) < 2 or place[0] != "case" or not isinstance(place[1], int):
        return None
    case = table["case"][place[1]]
    name = (case.get("name") or case.get("task")) if isinstance(case, dict) else None
    return name if isinstance(name, str) else None


def _case(path: Path, suite: str, number: int, table: CaseTable, shared: list[Check]) -> Case:
    place = ("case", number)
    name = table.name or table.task or _name_of(table.recording)
    if name is None:
        problem = "has no name: give it `name`, `task` or one `recording`"
        raise SuiteError(path, key_text(place), problem)
    checks = [_check(path, (*place, "check", index), check, name) for index, check in enumerate(table.check)]
    if not shared and not checks:
        raise SuiteError(path, key_text(place), "has no check: write [[case.check]], or [[check]] for every case", name)
    return Case(
        suite=suite,
        file=path,
        number=number,
        name=name,
        task=table.task or name,
        checks=(*shared, *checks),
        recordings=table.recording,
        prompt=table.prompt,
        workspace=_folder(path, place, "workspace", table.workspace, name),
        mode=table.mode,
        system=table.system,
        params=table.params,
        max_iterations=table.max_iterations,
        tools=table.tools,
        solution=_folder(path, place, "solution", table.solution, name),
        answer=table.answer,
    )


def _name_of(recordings: tuple[str, ...]) -> str | None:
    """The name of a single recording; a pattern names none."""
    if len(recordings) != 1 or is_pattern(recordings[0]):
        return None
    return without_suffix(Path(recordings[0]).name)


def _check(path: Path, place: tuple[int | str, ...], table: dict[str, Any], case: str | None) -> Check:
    kind = table.get("type")
    if not isinstance(kind, str):
        problem = f"is missing; known are {', '.join(names())}" if kind is None else "should be the name of a check"
        raise SuiteError(path, key_text((*place, "type")), problem, case)
    try:
        check = check_class(kind)
        return check.model_validate(table)
    except CheckError as error:
        raise SuiteError(path, key_text((*place, "type")), str(error), case) from None
    except ValidationError as error:
        inside, problem = first_problem(error, check)
        raise SuiteError(path, key_text((*place, *inside)), problem, case) from None


def _folder(path: Path, place: tuple[str, int], key: str, text: str | None, case: str) -> Path | None:
    if text is None:
        return None
    folder = path.parent / text
    if not os.path.isdir(folder):
        raise SuiteError(path, key_text((*place, key)), f"there is no folder {folder}", case)
    return folder


def _check_names(path: Path, cases: Sequence[Case]) -> None:
    """No two cases may be taken for one another, nor their goldens."""
    seen: dict[str, Case] = {}
    for case in cases:
        other = seen.setdefault(slug(case.name), case)
        if other is not case:
            more = "" if other.name == case.name else f' "{other.name}"; signs, blanks and capitals do not count'
            problem = f"has the name of case[{other.number}]{more}"
            raise SuiteError(path, key_text(("case", case.number)), problem, case.name)
