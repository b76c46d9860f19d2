"""Which files a command line names: files as they are, folders and globs searched for recordings."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from operator import attrgetter
from pathlib import Path

from harness.errors import HarnessError
from harness.files import walked

SUFFIXES = (".jsonl", ".jsonl.gz")
WORKSPACE = ".workspace"
"""`X.workspace` beside `X.jsonl`: the folder as the recorded run left it."""


def in_workspace(path: Path) -> bool:
    """Whether a file belongs to the workspace of a trial: it is none of ours then, whatever it holds."""
    return any(part.endswith(WORKSPACE) for part in path.parts[:-1])


def without_suffix(name: str) -> str:
    """A file's name without the suffix of a recording; all of it where it has none."""
    return next((name.removesuffix(suffix) for suffix in SUFFIXES if name.endswith(suffix)), name)


def find_recordings(paths: Iterable[str]) -> list[Path]:
    """The recordings that `paths` name, each once, folders sorted. Raises `HarnessError` where one names none."""
    found: dict[Path, None] = {}
    for text in paths:
        try:
            found |= dict.fromkeys(_named(text))
        except (OSError, ValueError) as error:
            raise HarnessError(f"{text}: cannot be looked up: {getattr(error, 'strerror', None) or error}") from None
    return list(found)


def _named(text: str) -> list[Path]:
    path = Path(text)
    if path.is_dir():
        inside = recordings_inside(path)
        if not inside:
            raise HarnessError(f"{path}: no recording in this folder (*.jsonl); record one with `harness ask`")
        return inside
    if path.exists():
        return [path]
    matched = sorted(Path(name) for name in glob.glob(text, recursive=True))
    inside = [file for one in matched for file in (recordings_inside(one) if one.is_dir() else [one])]
    if not matched:
        raise HarnessError(f"{path}: there is no such file or folder, and as a pattern it matches nothing")
    if not inside:
        raise HarnessError(f"{path}: the folders that it matches hold no recording (*.jsonl)")
    return inside


def recordings_inside(folder: Path) -> list[Path]:
    """Those in a folder and below it, sorted; none that lies in the workspace of a trial.

    Raises `HarnessError` where a folder cannot be searched.
    """
    found = []
    for root, folders, names in walked(folder):
        folders[:] = [name for name in folders if not name.endswith(WORKSPACE)]
        base = Path(root)
        found += [file for name in names if name.endswith(SUFFIXES) and (file := base / name).is_file()]
    return sorted(found, key=attrgetter("parts"))  # as paths compare, but taken apart once each
