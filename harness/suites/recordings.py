"""Which recordings a case is about: those it names, or all beside and under its suite whose header names its task."""

from __future__ import annotations

import glob
import os
from pathlib import Path

from harness.differences import shorten
from harness.errors import RecordingError, SuiteError
from harness.files import find_files
from harness.paths import SUFFIXES, WORKSPACE, in_workspace, without_suffix
from harness.recording.reader import task_of
from harness.suites.case import Case

LONGEST_NAME = 255
"""Characters of a name that is held against others."""


def final_workspace(path: Path) -> Path | None:
    """The workspace that lies beside a recording; None where there is none."""
    folder = f"{without_suffix(os.fspath(path))}{WORKSPACE}"
    return Path(folder) if os.path.isdir(folder) else None


def is_pattern(text: str) -> bool:
    return glob.has_magic(text)


class Recordings:
    """The recordings of cases; folders are searched once."""

    def __init__(self) -> None:
        self._inside: dict[Path, list[Path]] = {}
        self._tasks: dict[Path, dict[str, list[Path]]] = {}

    def of(self, case: Case) -> list[Path]:
        """Sorted within each pattern; each once. Raises `SuiteError` where one of them matches nothing."""
        if not case.recordings:
            found = self._of_tasks(case.folder).get(case.task, [])
            if not found:
                todo = "record it with `harness run` or with `--task`, or name a `recording`"
                self._refuse(case, None, f'no recording in {case.folder} has the task "{case.task}": {todo}')
            return found
        named: dict[str, Path] = {}
        for text in case.recordings:
            matched = self._matched(case, text)
            if not matched:
                self._refuse(
                    case, "recording", f"{shorten(text)} matches no recording in {case.folder}{self._near(case, text)}"
                )
            for path in matched:
                named.setdefault(os.path.abspath(path), path)
        return list(named.values())

    def inside(self, folder: Path) -> list[Path]:
        """All recordings beside and under a suite, sorted."""
        if folder not in self._inside:
            files = (file for file in find_files([str(folder)]) if file.name.endswith(SUFFIXES))
            self._inside[folder] = sorted(file for file in files if not in_workspace(file.relative_to(folder)))
        return self._inside[folder]

    def _matched(self, case: Case, text: str) -> list[Path]:
        path = case.folder / text
        if os.path.isdir(path):
            return self.inside(path)
        if os.path.isfile(path):
            return [path]
        if os.path.exists(path):
            self._refuse(case, "recording", f"{shorten(text)} is no regular file")
        if not is_pattern(text):
            return []
        names = sorted(glob.glob(text, root_dir=case.folder, recursive=True))
        files = [case.folder / name for name in names if name.endswith(SUFFIXES) and not in_workspace(Path(name))]
        return [file for file in files if os.path.isfile(file)]

    def _near(self, case: Case, text: str) -> str:
        """The recording whose name is nearest, where one is near."""
        from difflib import get_close_matches

        names = [os.path.relpath(path, case.folder) for path in self.inside(case.folder)]
        near = get_close_matches(text[:LONGEST_NAME], names, n=1)
        return f"; the nearest is {near[0]}" if near else ""

    def _of_tasks(self, folder: Path) -> dict[str, list[Path]]:
        if folder not in self._tasks:
            tasks = self._tasks[folder] = {}
            for path in self.inside(folder):
                task = _task(path)
                if task is not None:
                    tasks.setdefault(task, []).append(path)
        return self._tasks[folder]

    def _refuse(self, case: Case, key: str | None, problem: str) -> None:
        place = f"case[{case.number}]" if key is None else f"case[{case.number}].{key}"
        raise SuiteError(case.file, place, problem, case.name)


def _task(path: Path) -> str | None:
    """The task that a recording's header names; of what cannot be read, None."""
    try:
        return task_of(path)
    except RecordingError:
        return None
