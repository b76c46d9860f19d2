"""Which recordings an MCP client may name: those inside the folders that the server was given."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from agent.tools.tool import ToolError
from harness.paths import SUFFIXES, in_workspace


class Folders:
    """The recordings inside some folders. Nothing outside can be named: symlinks are followed before that is decided.

    A recording's name is its path in the folder; where there are several folders, with the folder before it.
    """

    def __init__(self, folders: Sequence[Path]) -> None:
        self.folders = list(folders)
        self._real = [folder.resolve() for folder in folders]

    def name(self, path: Path) -> str:
        """The name of a file below one of the folders, as they were given."""
        return (path if len(self.folders) > 1 else path.relative_to(self.folders[0])).as_posix()

    def find(self, name: str) -> Path:
        """The file of a recording. Raises `ToolError`."""
        for path in (*(folder / name for folder in self.folders), Path(name)):
            if self._holds(path):
                return path
        raise ToolError(f"there is no recording {name!r}; list_recordings gives the names")

    def newest_first(self) -> list[Path]:
        """All recordings, without what lies in workspaces of trials; that which was written to last comes first."""
        found: dict[Path, float] = {}
        for folder in self.folders:
            for path in filter(self._holds, folder.rglob("*")):
                if not in_workspace(path.relative_to(folder)):
                    found[path] = _modified(path)
        return sorted(found, key=lambda path: (-found[path], path.as_posix()))

    def _holds(self, path: Path) -> bool:
        """`path` is a recording's file inside one of the folders."""
        if not path.name.endswith(SUFFIXES):
            return False
        try:
            real = path.resolve(strict=True)
        except (OSError, RuntimeError, ValueError):  # missing, a circle of symlinks, a NUL byte
            return False
        return real.is_file() and any(real.is_relative_to(folder) for folder in self._real)


def _modified(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:  # it has just gone
        return 0.0
