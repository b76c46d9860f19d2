"""Which recordings belong to which contender, and which of them are runs of the same task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.errors import HarnessError, RecordingError
from harness.paths import recordings_inside, without_suffix
from harness.recording.reader import task_of


@dataclass(slots=True)
class Contender:
    """One side. `tasks`: the recordings of each task, in order; `unread`: why recordings have no place in it."""

    name: str
    path: Path
    tasks: dict[str, list[Path]] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)

    @property
    def is_file(self) -> bool:
        return not self.path.is_dir()


def find_contenders(paths: Sequence[str]) -> list[Contender]:
    """A contender for each path. Raises `HarnessError` where one names no recording.

    Runs are of one task where their headers name it; a run whose header names none goes by its relative file name
    without suffix. Where every path is a file, these are runs of one task, whatever they are called.
    """
    found = [Contender(name, Path(path)) for name, path in zip(_names(paths), paths, strict=True)]
    for contender in found:
        for file in _recordings(contender.path):
            try:
                task = task_of(file) or _relative(file, contender.path)
            except RecordingError as error:
                contender.unread.append(str(error))
                continue
            contender.tasks.setdefault(task, []).append(file)
    if all(contender.is_file for contender in found):
        task = next((task for contender in found for task in contender.tasks), "")
        for contender in found:
            contender.tasks = {task: [contender.path]} if contender.tasks else {}
    return found


def all_tasks(contenders: Sequence[Contender]) -> list[str]:
    """Those of any contender, sorted."""
    return sorted({task for contender in contenders for task in contender.tasks})


def _names(paths: Sequence[str]) -> list[str]:
    """The last part of each path; the whole where that is not enough to tell them apart; then numbered."""
    short = [without_suffix(Path(path).name) or path for path in paths]
    names = short if len(set(short)) == len(short) else [*paths]
    seen: Counter[str] = Counter()
    found = []
    for name in names:
        seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return found


def _recordings(path: Path) -> list[Path]:
    if not path.exists():
        raise HarnessError(f"{path}: there is no such file or folder")
    if not path.is_dir():
        return [path]
    inside = recordings_inside(path)
    if not inside:
        raise HarnessError(f"{path}: no recording in this folder (*.jsonl)")
    return inside


def _relative(file: Path, folder: Path) -> str:
    return without_suffix(file.name if file == folder else file.relative_to(folder).as_posix())
