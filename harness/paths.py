"""Which files a command line names: files as they are, folders and globs searched for recordings."""

from __future__ import annotations

import glob
from collections.abc import Iterable
from pathlib import Path

from harness.errors import HarnessError

SUFFIXES = (".jsonl", ".jsonl.gz")


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
        inside = _inside(path)
        if not inside:
            raise HarnessError(f"{path}: no recording in this folder (*.jsonl); record one with `harness ask`")
        return inside
    if path.exists():
        return [path]
    matched = sorted(Path(name) for name in glob.glob(text, recursive=True))
    inside = [file for one in matched for file in (_inside(one) if one.is_dir() else [one])]
    if not matched:
        raise HarnessError(f"{path}: there is no such file or folder, and as a pattern it matches nothing")
    if not inside:
        raise HarnessError(f"{path}: the folders that it matches hold no recording (*.jsonl)")
    return inside


def _inside(folder: Path) -> list[Path]:
    return sorted(file for file in folder.rglob("*") if file.name.endswith(SUFFIXES) and file.is_file())
