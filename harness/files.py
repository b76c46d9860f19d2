"""Which files of any kind a command line names. For recordings see `harness.paths`."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from harness.errors import HarnessError

NOT_SEARCHED = frozenset({
    ".git", ".hg", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".svn", ".tox", ".venv", "__pycache__",
    "node_modules",
})  # fmt: skip
"""Folders that hold what tools made, or fetched, for themselves."""


def find_files(paths: Iterable[str], unsearched: list[str] | None = None) -> list[Path]:
    """The files that `paths` name, each once. Folders are searched, but for `NOT_SEARCHED` and links to folders.

    `unsearched` is told of each folder that cannot be searched, a line each. Raises `HarnessError` where a path names
    nothing, and, without `unsearched`, for such a folder.
    """
    found: dict[Path, None] = {}
    for text in paths:
        try:
            named = [Path(text)] if Path(text).exists() else sorted(map(Path, glob.glob(text, recursive=True)))
            files = [file for path in named for file in (_inside(path, unsearched) if path.is_dir() else [path])]
        except (OSError, ValueError) as error:
            raise HarnessError(f"{text}: cannot be looked up: {getattr(error, 'strerror', None) or error}") from None
        if not named:
            raise HarnessError(f"{text}: there is no such file or folder, and as a pattern it matches nothing")
        found |= dict.fromkeys(files)
    return list(found)


def _inside(folder: Path, unsearched: list[str] | None) -> list[Path]:
    found = []
    for root, folders, names in walked(folder, unsearched):
        folders[:] = [name for name in folders if name not in NOT_SEARCHED]
        found += [file for name in names if (file := Path(root, name)).is_file()]
    return sorted(found)


def walked(folder: Path, unsearched: list[str] | None = None) -> Iterator[tuple[str, list[str], list[str]]]:
    """As `os.walk`, which passes over what it may not read without a word; `unsearched` as in `find_files`."""

    def refuse(error: OSError) -> None:
        line = f"{error.filename}: cannot be searched: {error.strerror or error}"
        if unsearched is None:
            raise HarnessError(line) from None
        unsearched.append(line)

    return os.walk(folder, onerror=refuse)
