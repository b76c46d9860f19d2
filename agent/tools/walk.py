"""Walks a folder of the workspace in a fixed order. Symlinks are named but not followed; `.git` is left out."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from agent.tools.tool import ToolError
from agent.tools.workspace import Parts, Workspace

_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

Kind: TypeAlias = Literal["folder", "file", "link", "special"]


@dataclass(slots=True, frozen=True)
class Entry:
    """One name. `parts` lie below the root, `depth` counts from 1 in the folder the walk began with.

    `error` is set where the folder of that name could not be opened.
    """

    parts: Parts
    depth: int
    kind: Kind
    error: str = ""


def walk(workspace: Workspace, start: Parts, depth: int) -> Iterator[Entry]:
    """All entries below `start`, at most `depth` folders deep, each folder before what is in it, names in order.

    One folder is open at a time, and none while the caller works. Raises `OSError` or `ToolError` for `start` itself.
    """
    stack = list(reversed(_names(workspace, start, 1)))
    while stack:
        entry = stack.pop()
        if entry.kind != "folder" or entry.depth >= depth:
            yield entry
            continue
        try:
            below = _names(workspace, entry.parts, entry.depth + 1)
        except (OSError, ToolError) as error:
            yield Entry(entry.parts, entry.depth, "folder", getattr(error, "strerror", None) or str(error))
            continue
        yield entry
        stack.extend(reversed(below))


def show(parts: Parts) -> str:
    """A path as it is shown to a model, on one line: control characters in names are escaped."""
    path = "/".join(parts)
    return path if path.isprintable() else _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", path)


def _names(workspace: Workspace, parts: Parts, depth: int) -> list[Entry]:
    with workspace.folder(parts) as folder, os.scandir(folder) as scan:
        found = [Entry((*parts, item.name), depth, _kind(item)) for item in scan if item.name.lower() != ".git"]
    found.sort(key=lambda entry: entry.parts[-1])
    return found


def _kind(item: os.DirEntry[str]) -> Kind:
    try:
        if item.is_symlink():
            return "link"
        if item.is_dir(follow_symlinks=False):
            return "folder"
        return "file" if item.is_file(follow_symlinks=False) else "special"
    except OSError:
        return "special"
