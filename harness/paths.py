"""Which files a command line names: files as they are, folders and globs searched for recordings or any files."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from harness.errors import HarnessError

SUFFIXES = (".jsonl", ".jsonl.gz")
NOT_SEARCHED = frozenset({".git", ".hg", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv",
                          "__pycache__", "node_modules"})  # fmt: skip
"""Folders that hold what tools made, or fetched, for themselves."""


def find_recordings(paths: Iterable[str]) -> list[Path]:
    """The recordings that `paths` name, each once, folders sorted. Raises `HarnessError` where one names none."""

    def inside(folder: Path) -> list[Path]:
        found = sorted(file for file in folder.rglob("*") if file.name.endswith(SUFFIXES) and file.is_file())
        if not found:
            raise HarnessError(f"{folder}: no recording in this folder (*.jsonl); record one with `harness ask`")
        return found

    return _find(paths, inside)


def find_files(paths: Iterable[str]) -> list[Path]:
    """The files of any kind that `paths` name, each once. Folders are searched, but for `NOT_SEARCHED` and links.

    Raises `HarnessError` where a path names nothing.
    """

    def inside(folder: Path) -> list[Path]:
        found = []
        for root, folders, names in os.walk(folder):
            folders[:] = [name for name in folders if name not in NOT_SEARCHED]
            found += [file for name in names if (file := Path(root, name)).is_file()]
        return sorted(found)

    return _find(paths, inside)


def _find(paths: Iterable[str], inside: Callable[[Path], list[Path]]) -> list[Path]:
    found: dict[Path, None] = {}
    for text in paths:
        path = Path(text)
        if path.is_dir():
            files = inside(path)
        elif path.exists():
            files = [path]
        else:
            files = sorted(Path(name) for name in glob.glob(text, recursive=True) if not Path(name).is_dir())
            if not files:
                raise HarnessError(f"{path}: there is no such file or folder, and as a pattern it matches nothing")
        found |= dict.fromkeys(files)
    return list(found)
