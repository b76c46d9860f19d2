"""Import formats, by name. Adding one is one module and one row; packages add theirs by an entry point of `GROUP`.

A module of a format has `SUFFIXES` (of its files), `is_one(path)` for files that are found in folders, `target(path)`,
which says where the recording of a file goes by default, and `read(path) -> list[Exchange]`, which raises
`HarnessError`.
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

IMPORTS = {"vcr": "harness.formats.vcr"}
GROUP = "trajectory_harness.imports"


def import_names() -> list[str]:
    """The names of all formats that can be imported."""
    return sorted({*IMPORTS, *(point.name for point in entry_points(group=GROUP))})


def import_format(name: str) -> Any:
    """The module of a format. Raises `ValueError` for a name that is none."""
    if name in IMPORTS:
        return import_module(IMPORTS[name])
    for point in entry_points(group=GROUP, name=name):
        return point.load()
    raise ValueError(f"unknown format {name!r}; known are {', '.join(import_names())}")
