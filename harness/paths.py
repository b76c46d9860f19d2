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
        path = Path(text)
        if path.is_dir():
            inside = sorted(file for file in path.rglob("*") if file.name.endswith(SUFFIXES) and file.is_file())
            if not inside:
                raise HarnessError(f"{path}: no recording in this folder (*.jsonl); record one with `harness ask`")
        elif path.exists():
            inside = [path]
        else:
            inside = sorted(Path(name) for name in glob.glob(text, recursive=True) if not Path(name).is_dir())
            if not inside:
                raise HarnessError(f"{path}: there is no such file or folder, and as a pattern it matches nothing")
        found |= dict.fromkeys(inside)
    return list(found)
